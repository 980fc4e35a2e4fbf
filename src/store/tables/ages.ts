import type { Environment } from '../lmdb/environment.ts';
import { table } from '../lmdb/table.ts';

/** A record by when it, or one of its fields, was last verified. */
export interface AgedRecord {
  readonly verifiedAt: number;
  readonly record: number;
}

/** A part of the aged records of a target and a field, the oldest first. */
export interface AgeRange {
  /** The last record of the slice before. */
  readonly after?: AgedRecord | undefined;
  /** Only records that were last verified before this instant. */
  readonly before?: number;
  readonly limit?: number;
}

/** A record that its last re-checks did not find. */
export interface MissedRecord {
  /** Re-checks in a row that did not find it, and when the last one was. */
  readonly times: number;
  readonly at: number;
  /** When it is re-checked again. */
  readonly retryAt: number;
  readonly code: string;
  readonly message: string;
  /** The page that was asked for: that of the list, or the record's own. */
  readonly page: 'list' | 'own';
}

/** When the records of targets with objectives on their records were last verified, and those that re-checks missed. */
export function ageTable(environment: Environment) {
  const ages = table<[target: number, field: string, verifiedAt: number, record: number], 1>(
    environment,
    'records.ages',
  );
  const missed = table<[target: number, record: number], MissedRecord>(environment, 'records.missed');

  return {
    /** Replaces the instant at which a field, or the whole record under an empty name, was last verified. `undefined` stands for no instant. */
    move(
      target: number,
      field: string,
      record: number,
      { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
    ): void {
      if (from !== undefined && from !== to) ages.remove([target, field, from, record]);
      if (to !== undefined) ages.put([target, field, to, record], 1);
    },
    has: (target: number, field: string, { verifiedAt, record }: AgedRecord) =>
      ages.has([target, field, verifiedAt, record]),
    /** When the oldest record of a target was last verified; `undefined` where there is none. */
    oldest(target: number, field: string): number | undefined {
      for (const { verifiedAt } of inOrder(target, field, { limit: 1 })) return verifiedAt;
      return undefined;
    },
    inOrder,
    /** Removes up to `limit` instants of a target. Returns the number of removed rows. */
    clear: (target: number, limit: number) =>
      ages.removeRange({ from: [target, '', 0, 0], before: [target + 1, '', 0, 0], limit }),
    /** Forgets up to `limit` records that re-checks of a target missed. Returns their number. */
    clearMissed: (target: number, limit: number) =>
      missed.removeRange({ from: [target, 0], before: [target + 1, 0], limit }),
    missedOf: (target: number, record: number) => missed.get([target, record]),
    miss: (target: number, record: number, row: MissedRecord) => missed.put([target, record], row),
    /** Forgets that re-checks missed a record. */
    find: (target: number, record: number) => missed.remove([target, record]),
    /** The records of a target that re-checks missed, by number. */
    *missed(target: number, limit?: number): Iterable<readonly [record: number, row: MissedRecord]> {
      for (const { key, row } of missed.entries({ from: [target, 0], before: [target + 1, 0], limit }))
        yield [key[1], row];
    },
  };

  /** The records of a target by when a field of theirs was last verified. */
  function* inOrder(
    target: number,
    field: string,
    { after, before = Infinity, limit }: AgeRange,
  ): Iterable<AgedRecord> {
    const from = after === undefined ? undefined : [target, field, after.verifiedAt, after.record];
    for (const [, , verifiedAt, record] of ages.keys({
      ...(from === undefined ? { from: [target, field, 0, 0] } : { after: from as [number, string, number, number] }),
      before: [target, field, before, 0],
      limit,
    }))
      yield { verifiedAt, record };
  }
}
