import type { Clock } from '../../src/clock.ts';
import type { Dues } from '../../src/daemon/due-inputs.ts';
import type { Catalogue } from '../../src/definition/catalogue.ts';
import { politenessKey, type Source } from '../../src/definition/source.ts';
import type { Leave } from '../../src/fetch/circuit.ts';
import { nextDue, recheckDeadline } from '../../src/schedule/next-due.ts';
import { commitStep } from '../../src/store/commit.ts';
import { noChanges } from '../../src/store/observe.ts';
import type { TargetRow } from '../../src/store/rows.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import type { Store } from '../../src/store/store.ts';
import type { Names } from '../../supervisors/names.ts';
import type { ProjectDeps, ScrapeProgress } from '../../workers/project.ts';
import { takeTurn } from '../../workers/take-turn.ts';
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
  readonly catalogue: Catalogue;
  readonly names: Names;
  readonly dues: Dues;
  readonly around: Surroundings;
}

/** Makes what scrapes a target for its project. */
export function createScrape({
  clock,
  stage,
  store,
  catalogue,
  names,
  dues,
  around,
}: ScrapeParts): ProjectDeps['scrape'] {
  const ledgers = names.hosts.via('hosts');

  /** A scrape of one step, by the same hands as in `src/daemon/scraping.ts` and `src/daemon/turns.ts`. */
  return async function scrape(
    target: TargetRow,
    signal: AbortSignal,
    progress: ScrapeProgress,
  ): Promise<{ readonly notBefore?: number }> {
    const circuit = { source: target.source, target: target.target };
    const leave = await askLeave(circuit);
    if (!leave.mayAsk) return { notBefore: leave.nextAt };
    let came: 'good' | 'bad' | 'unused' = 'unused';
    try {
      came = await scrapeWithLeave(target, signal, progress);
    } finally {
      ledgers.send({ type: 'target-done', ...circuit, came });
    }
    return {};
  };

  function askLeave(circuit: { readonly source: string; readonly target: number }): Promise<Leave> {
    return ledgers.ask<Leave>((reply) => ({ type: 'ask-leave', ...circuit, reply }));
  }

  async function scrapeWithLeave(target: TargetRow, signal: AbortSignal, progress: ScrapeProgress) {
    const source = catalogue.sources.get(target.source)?.source;
    const inputs = dues.dueInputsOf(target);
    if (source === undefined || inputs === undefined) throw new Error(`${target.url} is not scheduled`);
    const asks = nextDue(inputs).because.filter(({ effect }) => effect === 'asks');
    const began = await beginScrape(store, target.target, '1');
    if (!began.ok) throw new Error(`${target.url} is ${began.why}`);
    const { fence } = began;
    progress.begun(fence.scrape);
    around.began(target.target);
    const dueAt = Math.min(clock.now(), ...asks.map(({ at }) => at));
    const wish = { ...wishOf(source, target), dueAt, deadlineAt: recheckDeadline(inputs) };
    let turn = await takeTurn(ledgers, wish, signal);
    for (let leave = await askLeave(wish); !leave.mayAsk; leave = await askLeave(wish)) {
      turn.done({ kind: 'unused' });
      await stage.pause(Math.max(1, leave.nextAt - clock.now()));
      turn = await takeTurn(ledgers, wish, signal);
    }
    const answer = around.ask(target);
    turn.sent();
    await stage.pause(answer.latencyMs);
    around.answered(target);
    const { isOk, latencyMs, found } = answer;
    const status = isOk ? 200 : 503;
    turn.done({ kind: isOk ? 'answered' : 'failed', status, latencyMs });
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

function wishOf(source: Source, { target, url }: TargetRow) {
  const { concurrency, delay, minDelay } = source.politeness;
  const policy = { concurrency, delayMs: delay, minDelayMs: minDelay };
  return { key: politenessKey(source, url), policy, source: source.id, target };
}
