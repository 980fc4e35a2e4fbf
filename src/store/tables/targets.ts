import type { Environment } from '../environment.ts';
import type { TargetRow } from '../rows.ts';
import { type NumberedTable, numberedTable } from './numbered.ts';
import { type Range, table } from './table.ts';

/** Every target that ever was, by number. */
export interface TargetTable extends Pick<NumberedTable<TargetRow>, 'get' | 'last' | 'rows' | 'count'> {
  /** Stores a new target under the next number. */
  add(make: (target: number) => TargetRow): TargetRow;
  /** Stores a target that is known already; its source stays what it was. */
  put(row: TargetRow): void;
  numbersOfSource(
    source: string,
    range?: { readonly after?: number | undefined; readonly limit?: number },
  ): Iterable<number>;
}

export function targetTable(environment: Environment): TargetTable {
  const rows = numberedTable<TargetRow>(environment, 'targets');
  const bySource = table<[string, number], 1>(environment, 'targets.by_source');

  return {
    get: rows.get,
    last: rows.last,
    rows: rows.rows,
    count: rows.count,
    add(make) {
      const row = rows.add(make);
      bySource.put([row.source, row.target], 1);
      return row;
    },
    put: (row) => rows.put(row.target, row),
    *numbersOfSource(source, { after = 0, limit } = {}) {
      const range = { after: [source, after], before: [source, Infinity] } satisfies Range<[string, number]>;
      for (const [, target] of bySource.keys({ ...range, ...(limit !== undefined && { limit }) })) yield target;
    },
  };
}
