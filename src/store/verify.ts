import { noChanges } from './observe.ts';
import type { ChangeCounts, FieldCell, PageCopy, RecordRow, TargetRow } from './rows.ts';
import type { Store } from './store.ts';

/** Verifications that were cut, of which the copy remembers the newest. */
const keptPartly = 8;

/** Some of a target's records, by the last one of those before. */
export interface Part {
  readonly after?: RecordRow;
  readonly limit?: number;
}

/** What a part came to; `last` is missing when it was the last one. */
export interface VerifiedPart {
  readonly counts: ChangeCounts;
  /** Names of those that were seen on the copy. */
  readonly fields: ReadonlySet<string>;
  readonly last?: RecordRow;
}

/** Verifies what was last read from a target's copy, as a scrape was told that it is still the same. Runs within a transaction. */
export function verify(
  store: Store,
  { target, copy }: TargetRow,
  { scrape, at }: { readonly scrape: number; readonly at: number },
  { after, limit }: Part = {},
): VerifiedPart {
  if (copy === undefined) return { counts: noChanges, fields: new Set() };
  const range = { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) };
  const rows = [...store.records.ofTarget(target, range)];
  const seenAt = new Set([copy.observedAt, ...(copy.partlyAt ?? [])]);
  const fields = new Set<string>();
  let confirmed = 0;
  for (const row of rows) {
    const seen = Object.entries(row.fields).filter(([, { verifiedAt }]) => seenAt.has(verifiedAt));
    if (seen.length === 0) continue;
    store.records.put(verifiedRow(row, seen, { scrape, at }), { target, scrape });
    confirmed += 1;
    for (const [name] of seen) fields.add(name);
  }
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { counts: { ...noChanges, confirmed }, fields, ...(last !== undefined && { last }) };
}

/** A copy whose records are about to be verified in parts: those of the first parts are known by the instant when the scrape is cut. */
export function partlyVerified(copy: PageCopy, at: number): PageCopy {
  const others = (copy.partlyAt ?? []).filter((each) => each !== at);
  return { ...copy, partlyAt: [...others, at].slice(-keptPartly) };
}

/** The record with the fields that were seen on the copy verified. */
function verifiedRow(
  row: RecordRow,
  seen: readonly (readonly [string, FieldCell])[],
  { scrape, at }: { readonly scrape: number; readonly at: number },
): RecordRow {
  const verified = seen.map(([name, cell]): [string, FieldCell] => [name, { ...cell, verifiedAt: at }]);
  return {
    ...row,
    updatedAt: at,
    lastScrape: Math.max(row.lastScrape, scrape),
    fields: { ...row.fields, ...Object.fromEntries(verified) },
  };
}
