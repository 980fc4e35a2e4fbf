import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import type { TargetRow } from './rows.ts';
import { numberedTable, type NumberRange, table } from '../lmdb/table.ts';

/** All targets, by number; none is ever removed. */
export function targetTable(environment: Environment) {
  const rows = numberedTable<TargetRow>(environment, 'targets', heldTable);
  const bySource = table<[string, number], 1>(environment, 'targets.by_source');

  return {
    get: rows.get,
    last: rows.last,
    rows: rows.rows,
    count: rows.count,
    /** Stores a new target under the next number. */
    add(make: (target: number) => TargetRow): TargetRow {
      const row = rows.add(make);
      bySource.put([row.source, row.target], 1);
      return row;
    },
    /** Stores a known target, whose source must not change. */
    put: (row: TargetRow) => rows.put(row.target, row),
    /** The numbers of a source's targets after the number `after`. */
    *numbersOfSource(source: string, { after = 0, limit }: Omit<NumberRange, 'before'> = {}): Iterable<number> {
      for (const [, target] of bySource.keys({ after: [source, after], before: [source, Infinity], limit }))
        yield target;
    },
  };
}
