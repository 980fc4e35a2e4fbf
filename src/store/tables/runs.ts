import type { Baseline, Run } from '../../health/baseline.ts';
import { packBaseline, unpackBaseline } from '../../health/packed-baseline.ts';
import type { LastReading } from '../../health/last-reading.ts';
import type { RunTally } from '../../health/tally.ts';
import type { RecordDraft } from '../../extract/draft.ts';
import type { Environment } from '../lmdb/environment.ts';
import { heldTable } from '../lmdb/held-table.ts';
import { table } from '../lmdb/table.ts';
import { namingSources } from './source-names.ts';

/** A target by its number, or 0 for the round of a source: the scrapes of its targets with few records together. */
type MemberKey = [source: string, member: number];

/** The scrapes of a round whose pages are behind a measure. */
export interface OddPages {
  /** The first of them. */
  readonly scrape: number;
  /** Addresses of their targets, the first few. */
  readonly samples: readonly string[];
  /** The projects that watch these targets. */
  readonly projects: readonly string[];
}

/** The odd pages of a round, by the identity of the measure. */
export type RoundEvidence = Readonly<Record<string, OddPages>>;

/** What healthy runs of a target gave. */
export interface BaselineRow {
  readonly baseline: Baseline;
  /** When the last healthy run began: what records had since then is what the next run is compared with. `Infinity` where each run was unusual. */
  readonly since: number;
}

/** An unusual run, kept until its target has a healthy one or its ticket is resolved, as a person may take it for usual. */
export interface UnusualRow {
  readonly ticket: number;
  readonly run: Run;
  readonly since: number;
  /** The identities of its symptoms. */
  readonly symptoms: readonly string[];
}

/** What the steps of a run under way gave together. */
export interface RunSoFar {
  readonly tally: RunTally;
  /** Set where some of its pages had not changed, so that their records are in no tally. */
  readonly isPart?: true;
}

/** A round under way. */
export interface RoundRow {
  readonly startedAt: number;
  /** The targets that it has, each once; of a source with few targets each scrape is of it. */
  readonly targets?: readonly number[];
  readonly tally: RunTally;
  /** The projects that watch its targets, the first 100. */
  readonly projects?: readonly string[];
  /** The scrapes whose pages are odd; missing where none is. */
  readonly odd?: RoundEvidence;
}

/** A target, and the digest of the address of a page of its crawl; empty for a target that is one page. */
export type OtherKey = [target: number, digest: string];

/** A record that stood in the place of the one that its page had shown, and that waits for another look. */
export interface OtherRow {
  /** The scrape that saw it last. */
  readonly scrape: number;
  /** Set once another look has shown that it is to be believed. */
  readonly isOver?: true;
  readonly url: string;
  readonly observedAt: number;
  /** The digest of its page, where that was kept. */
  readonly digest?: string;
  readonly draft: RecordDraft;
}

/** A baseline as it is stored. */
interface StoredBaseline extends Omit<BaselineRow, 'baseline'> {
  readonly packed: Uint8Array;
}

/** What the runs of targets and sources gave, and what those under way have given so far. */
export function runTables(environment: Environment) {
  const baselines = namingSources(
    environment,
    table<MemberKey, StoredBaseline>(environment, 'runs.baselines', 'msgpack'),
    {
      key: 0,
    },
  );

  return {
    baselines: {
      get(key: MemberKey): BaselineRow | undefined {
        const row = baselines.get(key);
        return row && { baseline: unpackBaseline(row.packed), since: row.since };
      },
      put: (key: MemberKey, { baseline, since }: BaselineRow): void =>
        baselines.put(key, { packed: packBaseline(baseline), since }),
      /** When the last healthy run of a member began; 0 where none was judged, `Infinity` where each was unusual. */
      since: (key: MemberKey): number => baselines.get(key)?.since ?? 0,
      has: baselines.has,
      remove: baselines.remove,
      keys: baselines.keys,
    },
    unusual: namingSources(environment, table<MemberKey, UnusualRow>(environment, 'runs.unusual'), { key: 0 }),
    rounds: namingSources(environment, heldTable<string, RoundRow>(environment, 'runs.rounds'), { key: 'whole' }),
    /** The runs of targets under way, by target. */
    tallies: heldTable<number, RunSoFar>(environment, 'runs.tallies'),
    /** Records that wait for another look. */
    others: table<OtherKey, OtherRow>(environment, 'runs.others'),
    /** What the last reading of each target gave that was trusted. */
    readings: heldTable<number, LastReading>(environment, 'runs.readings'),
  };
}
