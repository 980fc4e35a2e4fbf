import type { Draft } from './draft.ts';
import type { DraftField } from './record.ts';

/** Says what a draft notices of a page and what not, as what follows "it notices"; undefined where it reads a price or a list, so that its fields say enough. */
export function noticesOf({ provider, record }: Draft): string | undefined {
  if (provider !== 'html' || record === undefined || !record.isWhole) return undefined;
  const read = Object.entries(record.fields).filter(([name]) => name !== record.key);
  if (read.some(([name, { type }]) => type === 'money' || /price|amount|cost/i.test(name))) return undefined;
  const told = new Intl.ListFormat('en-GB').format(read.map(([name, field]) => nameOf(name, field)));
  return `a change of ${told} alone, and of no other text or price there: \`--text\` watches all of the text, docs/guide/definitions-tutorial.md shows how to read a price`;
}

/** What people call a field of a plain page; the name of any other. */
function nameOf(name: string, { css }: DraftField): string {
  if (css === 'h1') return 'the heading';
  return css === 'title' ? 'the title' : name;
}
