import type { MetricView } from '../control/methods/metric.ts';
import { ageText } from '../time-text.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { figureText, plainText } from '../view/text.ts';

/** Records that are named in the row of a metric. */
const mostNamed = 5;

/**
 * Formats metrics as a table, one a row: the value or why there is none, its age, and why it may be out of date.
 *
 * @param withInputs - whether a row also names the records that the metric is made of, each with its age
 */
export function showMetrics(terminal: Terminal, metrics: readonly MetricView[], withInputs = false): string {
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
    ...(withInputs ? [['MADE OF', (metric: MetricView) => inputsText(terminal, metric), { cutTo: 16 }] as const] : []),
  ]);
}

function inputsText(terminal: Terminal, { inputs, records }: MetricView): string {
  // A metric may be made of two fields of one record.
  const ages = new Map<string, number>();
  for (const { source, type, key, verifiedAt } of inputs) {
    const name = `${source} ${type} ${plainText(key)}`;
    ages.set(name, Math.min(ages.get(name) ?? Infinity, verifiedAt));
  }
  const named = Array.from(ages, ([name, verifiedAt]) => `${name} (${ageText(verifiedAt, terminal.now())})`);
  // A calculation counts a record once for each metric that has it. Where all are named here, they are counted themselves.
  const count = inputs.length < records ? records : named.length;
  const more = named.length > mostNamed ? [`${count - mostNamed} more`] : [];
  return [...named.slice(0, mostNamed), ...more].join(', ');
}

/** Formats the rates that metrics were converted by as a table, each once. */
export function showRates(terminal: Terminal, metrics: readonly MetricView[]): string {
  const rates = new Map<string, MetricView['rates'][number]>();
  for (const rate of metrics.flatMap((metric) => metric.rates)) rates.set(`${rate.from} ${rate.to} ${rate.day}`, rate);
  if (rates.size === 0) return '';
  return table(
    terminal,
    [...rates.values()],
    [
      [
        'RATE',
        ({ from, to, factor, over }) => `1 ${from} = ${factor} ${to}${over === undefined ? '' : ` over ${over}`}`,
      ],
      ['DAY', ({ day }) => day],
      ['FROM', ({ source }) => plainText(source)],
    ],
  );
}
