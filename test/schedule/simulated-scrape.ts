import type { Clock } from '../../src/clock.ts';
import { commitStep } from '../../src/store/commit.ts';
import { noChanges } from '../../src/store/observe.ts';
import type { TargetRow } from '../../src/store/tables/rows.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import type { Names } from '../../supervisors/names.ts';
import type { ScrapeProgress } from '../../src/scrape/scrape-target.ts';
import type { ProjectDeps } from '../../workers/project.ts';
import type { hostPorts } from '../../workers/gate.ts';
import type { FirstTurn } from '../../src/request/gate.ts';
import type { Stage } from './stage.ts';

/** What a host says to one request. */
export interface Answer {
  readonly isOk: boolean;
  readonly latencyMs: number;
  /** Records that were not known. */
  readonly found: number;
}

/** The hosts, and those who watch. Instants are those of the daemon's clock. */
export interface Surroundings {
  /** A scrape begins, and waits for its host. */
  began(target: number): void;
  /** A request is sent. */
  ask(target: TargetRow): Answer;
  answered(target: TargetRow): void;
  /** A scrape is over, and committed. */
  ended(target: number, isOk: boolean): void;
  /** Days that have begun have been planned. */
  planned(): void;
  told(type: string, target: number): void;
}

export interface ScrapeParts {
  readonly clock: Clock;
  readonly stage: Stage;
  readonly store: Store;
  readonly names: Names;
  readonly hosts: ReturnType<typeof hostPorts>;
  readonly around: Surroundings;
}

/** Makes what scrapes a target for its project. */
export function createScrape({
  clock,
  stage,
  store,
  names,
  hosts: { gate, circuits },
  around,
}: ScrapeParts): ProjectDeps['scrape'] {
  /** A scrape of one step, by the same hands as in `src/scrape/scrape-target.ts` and `src/request/turn.ts`. */
  return async function scrape(
    target: TargetRow,
    turn: FirstTurn,
    _: AbortSignal,
    progress: ScrapeProgress,
  ): Promise<void> {
    let outcome: 'good' | 'bad' | 'unused' = 'unused';
    try {
      outcome = await scrapeInTurn(target, turn, progress);
    } finally {
      turn.giveBack();
      circuits.ended(target.source, { target: target.target, verdict: outcome });
    }
  };

  async function scrapeInTurn(target: TargetRow, turn: FirstTurn, progress: ScrapeProgress) {
    const began = await beginScrape(store, target.target, '1');
    if (!began.ok) throw new Error(`${target.url} is ${began.why}`);
    const { fence } = began;
    progress.begun(fence.scrape);
    around.began(target.target);
    const grant = turn.take();
    if (grant === undefined) throw new Error(`${target.url} has no turn`);
    const answer = around.ask(target);
    grant.sent();
    await stage.pause(answer.latencyMs);
    around.answered(target);
    const { isOk, latencyMs, found } = answer;
    const status = isOk ? 200 : 503;
    gate.done(grant, { kind: isOk ? 'answered' : 'failed', status, latencyMs });
    const observedAt = clock.now();
    const failure = { code: 'status', message: 'the host is down' };
    const log = {
      url: target.url,
      at: observedAt,
      elapsedMs: latencyMs,
      bytes: 1_000,
      status,
      absent: [],
      unparsed: [],
    };
    const close = isOk
      ? ({ status: 'complete', finished: false } as const)
      : ({ status: 'failed', finished: false, failure } as const);
    // What a step with drafts would have counted, without the records themselves.
    const running = store.scrapes.get(fence.scrape);
    if (running !== undefined && found > 0)
      await store.write(() => store.scrapes.put({ ...running, counts: { ...noChanges, added: found } }));
    const ops = { observedAt, drafts: [], log: isOk ? log : { ...log, failure }, close };
    const { outcome } = await commitStep(store, { ...fence, step: 1 }, ops);
    if (outcome !== 'committed') throw new Error(`${target.url}: its scrape was ${outcome}`);
    around.ended(target.target, isOk);
    if (store.schedule.get(target.target)?.fresh) names.planner.whereis('planner')?.send({ type: 'look' });
    return isOk ? ('good' as const) : ('bad' as const);
  }
}
