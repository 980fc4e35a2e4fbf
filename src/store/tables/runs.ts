import type { Baseline, Run, Series } from '../../health/baseline.ts';
import type { Measure } from '../../health/last-reading.ts';
import type { RunTally } from '../../health/tally.ts';
import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import { table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/** A target by its number, or 0 for the round of a source: the scrapes of its targets with few records together. */
type MemberKey = [source: string, member: number];

/** What healthy runs of a target gave. */
export interface BaselineRow {
  readonly baseline: Baseline;
  /** When the last healthy run began: what records had since then is what the next run is compared with. */
  readonly since: number;
}

/** An unusual run, kept until its ticket is resolved, as a person may take it for usual. */
export interface UnusualRow {
  readonly ticket: number;
  readonly run: Run;
  readonly since: number;
  /** The identities of its symptoms. */
  readonly symptoms: readonly string[];
}

/** A round under way. */
export interface RoundRow {
  readonly startedAt: number;
  readonly tally: RunTally;
}

/** A baseline as it is stored: its maps as lists. */
interface StoredBaseline extends Omit<BaselineRow, 'baseline'> {
  readonly baseline: Omit<Baseline, 'series' | 'suspects'> & {
    readonly series: readonly (readonly [string, Series])[];
    readonly suspects: readonly (readonly [string, number])[];
  };
}

/** What the runs of targets and sources gave, and what those under way have given so far. */
export function runTables(environment: Environment) {
  const baselines = namingSources(environment, table<MemberKey, StoredBaseline>(environment, 'runs.baselines'), {
    key: 0,
  });

  return {
    baselines: {
      get(key: MemberKey): BaselineRow | undefined {
        const row = baselines.get(key);
        if (row === undefined) return undefined;
        const { series, suspects, ...rest } = row.baseline;
        const read = new Map(series.map(([id, each]) => [id, withNaN(each)] as const));
        return { ...row, baseline: { ...rest, series: read, suspects: new Map(suspects) } };
      },
      put(key: MemberKey, { baseline: { series, suspects, ...rest }, since }: BaselineRow): void {
        baselines.put(key, { baseline: { ...rest, series: [...series], suspects: [...suspects] }, since });
      },
      remove: baselines.remove,
      keys: baselines.keys,
    },
    unusual: namingSources(environment, table<MemberKey, UnusualRow>(environment, 'runs.unusual'), { key: 0 }),
    rounds: namingSources(environment, heldTable<string, RoundRow>(environment, 'runs.rounds'), { key: 'whole' }),
    /** The runs of targets under way, by target. */
    tallies: heldTable<number, RunTally>(environment, 'runs.tallies'),
    /** What the last reading of each target gave that was trusted. */
    readings: table<number, Measure>(environment, 'runs.readings'),
  };
}

/** A series as it was before it was stored: JSON has null for what is not a number. */
function withNaN({ lows, highs, ...series }: Series): Series {
  const read = (values: readonly (number | null)[]): readonly number[] => values.map((value) => value ?? Number.NaN);
  return {
    ...series,
    ...(lows !== undefined && { lows: read(lows) }),
    ...(highs !== undefined && { highs: read(highs) }),
  };
}
