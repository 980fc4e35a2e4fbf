import type { Infeasible } from '../../definition/feasible.ts';
import type { KnownPace } from '../../schedule/host-pace.ts';
import type { Environment } from '../environment.ts';
import type { FreshRow } from '../schedule-row.ts';
import { table } from './table.ts';

/** What is promised on one host: who promises it, how fresh, and within which part of the time. */
export type PromiseKey = Pick<FreshRow, 'key' | 'source' | 'objectiveMs' | 'hours'>;

/** Politeness key and source, or the other way round; `hours` are `closedMs` and `openPart`, or nothing where targets may be asked at any time. */
type RowKey = [string, string, objectiveMs: number, ...hours: number[]];

/** An objective that its host did not allow when it was told, as it was found last. */
export interface InfeasibleRow extends Infeasible {
  /** What the host had shown by then; missing where it was found by the definition alone. */
  readonly known?: KnownPace;
  /** Since when the host's pace has allowed it; missing while it does not. */
  readonly allowedAt?: number;
}

/** Objectives that their hosts do not allow, as they were found last, and those that their hosts have come to allow. */
export interface InfeasibleTable {
  /** Whether its host does not allow it. */
  has(promise: PromiseKey): boolean;
  /** Of one politeness key, those too that it has come to allow. */
  ofKey(key: string): readonly InfeasibleRow[];
  /** The first so many of one source that their hosts do not allow. */
  ofSource(source: string, limit: number): readonly Infeasible[];
  put(row: InfeasibleRow): void;
  remove(promise: PromiseKey): void;
}

/** Beyond all texts. */
const last = '\uffff';

export function infeasibleTable(environment: Environment): InfeasibleTable {
  const rows = table<RowKey, InfeasibleRow>(environment, 'infeasible');
  /** Those alone that are not allowed. */
  const bySource = table<RowKey, 1>(environment, 'infeasible.by_source');

  return {
    has(promise) {
      const row = rows.get(rowKey(promise));
      return row !== undefined && row.allowedAt === undefined;
    },
    ofKey: (key) => [...rows.rows({ from: [key, '', 0], before: [key, last, 0] })],
    ofSource(source, limit) {
      const keys = [...bySource.keys({ from: [source, '', 0], before: [source, last, 0], limit })];
      return keys.flatMap(([, key, ...rest]) => {
        const row = rows.get([key, source, ...rest]);
        if (row === undefined) return [];
        const { known: _, ...found } = row;
        return found;
      });
    },
    put(row) {
      rows.put(rowKey(row), row);
      if (row.allowedAt === undefined) bySource.put(sourceKey(row), 1);
      else bySource.remove(sourceKey(row));
    },
    remove(promise) {
      rows.remove(rowKey(promise));
      bySource.remove(sourceKey(promise));
    },
  };
}

function rowKey({ key, source, ...rest }: PromiseKey): RowKey {
  return [key, source, ...limitsOf(rest)];
}

function sourceKey({ key, source, ...rest }: PromiseKey): RowKey {
  return [source, key, ...limitsOf(rest)];
}

function limitsOf({
  objectiveMs,
  hours,
}: Omit<PromiseKey, 'key' | 'source'>): [objectiveMs: number, ...hours: number[]] {
  return hours === undefined ? [objectiveMs] : [objectiveMs, hours.closedMs, hours.openPart];
}
