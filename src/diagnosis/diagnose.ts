import type { Symptom } from '../view/symptom.ts';
import type { Cause } from '../view/ticket.ts';
import { encodingOf } from './encoding.ts';
import { likeness, lookAt, type PageLook, type PageRead } from './page.ts';
import { type LostField, ruleCause, stillThere } from './rules.ts';
import { shareKept } from './shown-text.ts';
import { otherPage, placeholderOf, recordPairs, unreadCurrency, valueCause } from './values.ts';
import { redirectOf, wallOf } from './walls.ts';

/** What is known of a trouble with one page. */
export interface Case {
  readonly symptoms: readonly Symptom[];
  /** The address that was asked for. */
  readonly asked: string;
  /** The last page of that address from which all could be read; missing where none is kept. */
  readonly good?: PageRead | undefined;
  readonly bad: PageRead;
}

/**
 * Finds why a page gives other than it did, by what it shows beside the last good one. What speaks for nothing is `unknown`. Asks nobody. It takes
 * some milliseconds for a usual page, and more for a large one.
 */
export function diagnose({ symptoms, asked, good: goodRead, bad: badRead }: Case): Cause {
  const bad = lookAt(badRead);
  const good = goodRead && lookAt(goodRead);
  const wall = wallOf(bad, good) ?? redirectOf(bad, good, asked);
  // A page that nothing is read from may always have been one that looks like a wall.
  if (wall !== undefined && (good === undefined || wallOf(good, undefined)?.kind !== wall.kind)) return wall;
  const encoding = encodingOf(good, bad);
  if (encoding !== undefined) return encoding;
  if (good === undefined) return { kind: 'unknown', says: ['no good page of this address is kept to compare with'] };
  const fields = fieldsOf(symptoms, good.drafts);
  const names = [...new Set(fields.map(({ field }) => field))];
  const pairs = recordPairs(good.drafts, bad.drafts);
  const isSingle = good.drafts.length === 1;
  return (
    otherPage(pairs, isSingle) ??
    valueCause(pairs, names, (values) => shareKept(values, good.shown, bad.shown) >= stillThere) ??
    unreadCurrency(good.drafts, bad, names) ??
    placeholderOf(bad, names) ??
    ruleCause(good, bad, fields) ??
    linksCause(good, bad) ??
    layoutCause(good, bad) ?? { kind: 'unknown', says: ['nothing on the page says why'] }
  );
}

/** The fields that symptoms name; where they name none, all fields of the records that they are about. */
function fieldsOf(
  symptoms: readonly Symptom[],
  drafts: readonly { readonly type: string; readonly fields: object }[],
): LostField[] {
  const named = symptoms.flatMap(({ record, field }) =>
    record === undefined || field === undefined ? [] : [{ record, field }],
  );
  if (named.length > 0) return named;
  const types = new Set(symptoms.flatMap(({ record }) => record ?? []));
  const all = new Map<string, LostField>();
  for (const { type, fields } of drafts)
    if (types.size === 0 || types.has(type))
      for (const field of Object.keys(fields)) all.set(`${type} ${field}`, { record: type, field });
  return [...all.values()];
}

/** Recognises a page without records that leads to less than half of what it led to. */
function linksCause(good: PageLook, bad: PageLook): Cause | undefined {
  if (good.drafts.length > 0 || bad.drafts.length > 0 || 2 * bad.links >= good.links) return undefined;
  return { kind: 'items_cut', says: [`the page has ${bad.links} links, where there were ${good.links}`] };
}

/** Recognises a page of which nothing can be read that is made of other elements than the last good one. */
function layoutCause(good: PageLook, bad: PageLook): Cause | undefined {
  const share = likeness(good.names, bad.names);
  if (bad.drafts.length > 0 || share > 0.3) return undefined;
  return {
    kind: 'layout_moved',
    says: [`${Math.round(share * 100)} % of the names of its elements are those of the last good page`],
  };
}
