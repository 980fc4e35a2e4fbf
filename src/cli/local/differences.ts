import { isDeepStrictEqual } from 'node:util';
import type { TryView } from '../../control/methods/source.ts';
import { defined } from '../../defined.ts';
import type { Terminal } from '../terminal.ts';
import { cutText, plainText, valueText } from '../../view/text.ts';

type Drafts = TryView['drafts'];

/** A record or field that two readings of a page gave differently; a reading that did not give it has no value here. */
export interface Difference {
  readonly record: string;
  readonly key: string;
  /** Missing where only one reading gave the record. */
  readonly field?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Compares the records of two readings of a page, field by field. */
export function differencesOf(before: Drafts, after: Drafts): Difference[] {
  const nameOf = ({ type, key }: Drafts[number]): string => JSON.stringify([type, key]);
  const earlier = new Map(before.map((draft) => [nameOf(draft), draft]));
  const later = new Map(after.map((draft) => [nameOf(draft), draft]));
  return [...new Set([...earlier.keys(), ...later.keys()])].flatMap((name): Difference[] => {
    const [a, b] = [earlier.get(name), later.get(name)];
    const { type, key } = a ?? b ?? { type: '', key: '' };
    if (a === undefined || b === undefined) {
      const side = a === undefined ? { after: b?.fields } : { before: a.fields };
      return [{ record: type, key, ...side }];
    }
    return [...new Set([...Object.keys(a.fields), ...Object.keys(b.fields)])].flatMap((field) => {
      const [one, two] = [a.fields[field], b.fields[field]];
      if (isDeepStrictEqual(one, two)) return [];
      const sides = defined({ before: one, after: two });
      return [{ record: type, key, field, ...sides }];
    });
  });
}

/** The longest value that is shown, in characters. */
const valueLength = 300;

/** Formats a difference on one line, such as `~ product S1 price: 12 EUR → 13 EUR`. */
export function differenceLine(terminal: Terminal, difference: Difference): string {
  const { record, key, field, before, after } = difference;
  const name = `${record} ${plainText(key)}`;
  if (field === undefined)
    return before === undefined
      ? terminal.paint('green', `+ ${name}: ${shown(after)}`)
      : terminal.paint('red', `- ${name}: ${shown(before)}`);
  return terminal.paint('yellow', `~ ${name} ${field}: ${sideText(before)} → ${sideText(after)}`);
}

function sideText(value: unknown): string {
  return value === undefined ? 'nothing' : shown(value);
}

function shown(value: unknown): string {
  return cutText(value === '' ? '""' : valueText(value), valueLength);
}
