import type { MetricView } from '../control/methods/metric.ts';
import { ageText } from '../time-text.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { plainText, valueText } from './text.ts';

/** Formats metrics as a table, one a row: the value or why there is none, its age, and why it may be out of date. */
export function showMetrics(terminal: Terminal, metrics: readonly MetricView[]): string {
  const isStale = metrics.some(({ stale }) => stale !== undefined);
  return table(terminal, metrics, [
    ['METRIC', ({ name }) => name],
    [
      'VALUE',
      ({ value, reason }) => (reason === undefined ? figureText(value) : `– (${plainText(reason.message)})`),
      { cutTo: 16 },
    ],
    ['AGE', ({ verifiedAt }) => (verifiedAt === undefined ? '–' : ageText(verifiedAt, terminal.now()))],
    ...(isStale
      ? [['STALE', ({ stale }: MetricView) => (stale === undefined ? '' : plainText(stale)), { cutTo: 16 }] as const]
      : []),
  ]);
}

/** Formats a figure, rounded to two places after the point where it is an amount and to four where it is a number. */
export function figureText(value: MetricView['value']): string {
  if (typeof value === 'number') return String(Math.round(value * 10_000) / 10_000);
  if (typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value)
    return `${Number(value.amount).toFixed(2)} ${valueText(value.currency)}`;
  return valueText(value);
}
