import type { Tally } from '../../schedule/waste.ts';
import type { Environment } from '../lmdb/environment.ts';
import { packedTable, table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/** A tally as numbers; then, where there are any, what few have. */
type PackedTally = readonly [
  scrapes: number,
  unchanged: number,
  requests: number,
  notModified: number,
  validated: number,
  bytes: number,
  unchangedBytes: number,
  cpuMicros: number,
  more?: string,
];

/**
 * Costs by day and target, or by day and source for pulses that asked for many targets at once. Days are counted from
 * 1970 in UTC.
 */
export function wasteTable(environment: Environment) {
  const packed = table<[number, number | string], PackedTally>(environment, 'waste', 'msgpack');
  const rows = namingSources(environment, packedTable(packed, { pack, unpack }), { key: 1 });

  return {
    get: (day: number, of: number | string) => rows.get([day, of]),
    put: (day: number, of: number | string, tally: Tally) => rows.put([day, of], tally),
    count: rows.count,
    /** Whether there are rows of days before the day `before`, or more rows than `keep`, which `trim` would remove. */
    exceeds(before: number, keep: number): boolean {
      for (const _ of rows.keys({ before: [before, 0], limit: 1 })) return true;
      return rows.count() > keep;
    },
    /**
     * Removes up to `limit` rows of the oldest days: those before the day `before`, and those beyond the newest `keep`
     * rows. Returns the number of removed rows.
     */
    trim(before: number, keep: number, limit: number): number {
      const surplus = Math.min(limit, rows.count() - keep);
      const old = [...rows.keys({ before: [before, 0], limit })];
      const oldest = old.length >= surplus ? old : [...rows.keys({ limit: surplus })];
      for (const key of oldest) rows.remove(key);
      return oldest.length;
    },
  };
}

function pack({ scrapes, unchanged, requests, notModified, validated, bytes, ...others }: Tally): PackedTally {
  const { unchangedBytes, cpuMs, ...more } = others;
  const cpuMicros = Math.round(cpuMs * 1_000);
  const packed = [scrapes, unchanged, requests, notModified, validated, bytes, unchangedBytes, cpuMicros] as const;
  return Object.keys(more).length > 0 ? [...packed, JSON.stringify(more)] : packed;
}

function unpack(packed: PackedTally): Tally {
  const [scrapes, unchanged, requests, notModified, validated, bytes, unchangedBytes, cpuMicros, text] = packed;
  const more = text === undefined ? {} : (JSON.parse(text) as Pick<Tally, 'pulses' | 'unanswered'>);
  const cpuMs = cpuMicros / 1_000;
  return { scrapes, unchanged, requests, notModified, validated, bytes, unchangedBytes, cpuMs, ...more };
}
