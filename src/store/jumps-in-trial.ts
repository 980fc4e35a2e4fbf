import type { RecordDraft } from '../extract/draft.ts';
import { type Guards, isJump } from '../health/guard.ts';
import { sameValue } from './same-value.ts';
import type { Store } from './store.ts';

/** Returns sentences on the values of drafts that a scrape would hold or has held, beside the records that are known. */
export function jumpsInTrial(
  { records }: Pick<Store, 'records'>,
  source: string,
  drafts: readonly RecordDraft[],
  { fields: guarded }: Guards,
): string[] {
  return drafts.flatMap(({ type, key, fields }) => {
    const known = records.get(source, type, key);
    return Object.entries(fields).flatMap(([field, value]) => {
      const old = known !== undefined && Object.hasOwn(known.fields, field) ? known.fields[field] : undefined;
      if (old === undefined || sameValue(old.value, value)) return [];
      const held = known?.held?.[field];
      const jump = guarded[type]?.[field]?.jump;
      const isHeld = held !== undefined && sameValue(held.value, value);
      if (!isHeld && (jump === undefined || !isJump(jump, old.value, value))) return [];
      const state = !isHeld ? 'a scrape would hold it' : held.isRejected === true ? 'it was rejected' : 'it is held';
      return [`${type} ${key}: ${field} is not believed, ${state}; what is known is ${JSON.stringify(old.value)}`];
    });
  });
}
