import type { ReplayExample, ReplayView } from '../view/replay.ts';
import { showChange } from './show-change.ts';
import { table } from './table.ts';
import type { Terminal } from './terminal.ts';
import { countText, plainText } from '../view/text.ts';

/** Formats what a version of a definition changes on kept pages: how many records and fields, and some of them. */
export function showReplay(
  terminal: Terminal,
  { source, pages, records, lost, added, byField, examples }: ReplayView,
): string {
  const counts = [`${countText(records, 'record')}, ${lost} lost, ${added} added`];
  for (const [name, { changed, lost: none, gained }] of Object.entries(byField))
    counts.push(`${plainText(name)} ${partsText({ changed, lost: none, gained })}`);
  const head = `${source}: on ${countText(pages, 'kept page')} it reads ${counts.join('; ')}`;
  if (examples.length === 0) return head;
  const rows = table(terminal, examples, [
    ['RECORD', ({ type, key }) => `${type} ${plainText(key)}`, { cutTo: 16 }],
    ['FIELD', ({ field = '–' }) => plainText(field)],
    ['CHANGE', (example) => changeText(terminal, example), { cutTo: 16 }],
    ['PAGE', ({ page }) => page, { spare: true }],
  ]);
  return `${head}\n${rows}`;
}

function partsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .flatMap(([what, count]) => (count > 0 ? `${what} in ${count}` : []))
    .join(', ');
}

function changeText(terminal: Terminal, { kind, old = null, new: value = null }: ReplayExample): string {
  return kind === 'changed' ? showChange(terminal, { old, new: value }) : kind;
}
