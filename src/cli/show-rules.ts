import type { RuleView } from '../control/methods/rule.ts';
import { ageText } from '../time-text.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { countText, plainText } from '../view/text.ts';

/** Records that are named in the row of a rule. */
const mostNamed = 5;

/** Formats rules as a table, one a row: its condition, how many records meet it, and the first of them, each with its time. */
export function showRules(terminal: Terminal, rules: readonly RuleView[]): string {
  return table(terminal, rules, [
    ['RULE', ({ name }) => name],
    ['WHEN', ({ when }) => plainText(when), { cutTo: 16 }],
    ['MET BY', metByText],
    ['RECORDS', (rule) => namedText(terminal, rule), { cutTo: 16 }],
  ]);
}

function metByText({ records, metricsSince }: RuleView): string {
  if (metricsSince !== undefined) return 'metrics';
  return records === 0 ? '–' : countText(records, 'record');
}

function namedText(terminal: Terminal, { records, met, metricsSince }: RuleView): string {
  if (metricsSince !== undefined) return ageText(metricsSince, terminal.now());
  const named = met
    .slice(0, mostNamed)
    .map(({ source, type, key, since }) => `${source} ${type} ${plainText(key)} (${ageText(since, terminal.now())})`);
  const more = records - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
