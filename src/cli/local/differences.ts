import { isDeepStrictEqual } from 'node:util';
import type { TryView } from '../../control/methods/source.ts';

type Drafts = TryView['drafts'];

/** What one reading of a page gave and another did not; a side that is missing gave nothing there. */
export interface Difference {
  readonly record: string;
  readonly key: string;
  /** Missing where the whole record is on one side alone. */
  readonly field?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** How records differ from those of another reading, record by record and field by field. */
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
      const sides = { ...(one !== undefined && { before: one }), ...(two !== undefined && { after: two }) };
      return [{ record: type, key, field, ...sides }];
    });
  });
}
