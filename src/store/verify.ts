import { noChanges } from './observe.ts';
import type { ChangeCounts, FieldCell, RecordRow, TargetRow } from './rows.ts';
import type { Store } from './store.ts';

/** Verifies what was last read from a target's copy, as a scrape was told that it is still the same. Runs within a transaction. */
export function verify(store: Store, { target, copy }: TargetRow, scrape: number, at: number): ChangeCounts {
  if (copy === undefined) return noChanges;
  const verified = Array.from(store.records.ofTarget(target)).flatMap(
    (row) => verifiedRow(row, copy.observedAt, { scrape, at }) ?? [],
  );
  for (const row of verified) store.records.put(row, { target, scrape });
  return { ...noChanges, confirmed: verified.length };
}

/** Nothing when no field was seen on the copy. */
function verifiedRow(
  row: RecordRow,
  seenAt: number,
  { scrape, at }: { readonly scrape: number; readonly at: number },
): RecordRow | undefined {
  const seen = Object.entries(row.fields).filter(([, { verifiedAt }]) => verifiedAt === seenAt);
  if (seen.length === 0) return undefined;
  const verified = seen.map(([name, cell]): [string, FieldCell] => [name, { ...cell, verifiedAt: at }]);
  return {
    ...row,
    updatedAt: at,
    lastScrape: Math.max(row.lastScrape, scrape),
    fields: { ...row.fields, ...Object.fromEntries(verified) },
  };
}
