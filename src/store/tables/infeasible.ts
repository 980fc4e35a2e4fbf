import type { Infeasible } from '../../view/infeasible.ts';
import type { KnownPace } from '../../schedule/host-pace.ts';
import type { Environment } from '../lmdb/environment.ts';
import type { FreshRow } from '../../schedule/fresh-row.ts';
import { table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';

/** An objective on one host: its source, its age, and the hours in which it counts. */
export type ObjectiveKey = Pick<FreshRow, 'key' | 'source' | 'objectiveMs' | 'hours'>;

/** Politeness key and source, or the other way round; `hours` are `closedMs` and `openPart`, or empty for targets without opening hours. */
type RowKey = [string, string, objectiveMs: number, ...hours: number[]];

/** An objective that its host did not allow when it was told, as it was found last. */
export interface InfeasibleRow extends Infeasible {
  /** The host's pace by then; missing if the definition alone showed that the objective cannot be kept. */
  readonly known?: KnownPace;
  /** The instant since which the host's pace has allowed the objective; missing while it does not. */
  readonly allowedAt?: number;
}

/** A text after all others. */
const last = '\uffff';

/** Objectives that their hosts do not allow, as they were found last, and those that their hosts have come to allow. */
export function infeasibleTable(environment: Environment) {
  const rows = namingSources(environment, table<RowKey, InfeasibleRow>(environment, 'infeasible'), {
    key: 1,
    row: ownSource,
  });
  /** Only the objectives that are not allowed. */
  const bySource = namingSources(environment, table<RowKey, 1>(environment, 'infeasible.by_source'), { key: 0 });

  return {
    /** Whether the host of an objective does not allow it. */
    has(objective: ObjectiveKey): boolean {
      const row = rows.get(rowKey(objective));
      return row !== undefined && row.allowedAt === undefined;
    },
    /** The objectives on one politeness key, with those that its host has come to allow. */
    ofKey: (key: string): readonly InfeasibleRow[] => [...rows.rows({ from: [key, '', 0], before: [key, last, 0] })],
    /** Up to `limit` objectives of a source that their hosts do not allow. */
    ofSource(source: string, limit: number): readonly Infeasible[] {
      const keys = [...bySource.keys({ from: [source, '', 0], before: [source, last, 0], limit })];
      return keys.flatMap(([, key, ...rest]) => {
        const row = rows.get([key, source, ...rest]);
        if (row === undefined) return [];
        const { known: _, ...found } = row;
        return found;
      });
    },
    put(row: InfeasibleRow): void {
      rows.put(rowKey(row), row);
      if (row.allowedAt === undefined) bySource.put(sourceKey(row), 1);
      else bySource.remove(sourceKey(row));
    },
    remove(objective: ObjectiveKey): void {
      rows.remove(rowKey(objective));
      bySource.remove(sourceKey(objective));
    },
  };
}

function rowKey({ key, source, ...rest }: ObjectiveKey): RowKey {
  return [key, source, ...limitsOf(rest)];
}

function sourceKey({ key, source, ...rest }: ObjectiveKey): RowKey {
  return [source, key, ...limitsOf(rest)];
}

function limitsOf({
  objectiveMs,
  hours,
}: Omit<ObjectiveKey, 'key' | 'source'>): [objectiveMs: number, ...hours: number[]] {
  return hours === undefined ? [objectiveMs] : [objectiveMs, hours.closedMs, hours.openPart];
}
