import { politenessKey, type Source } from '../definition/source.ts';
import type { Step, StepOutcome } from '../engine/step.ts';
import { turnOutcome } from '../fetch/politeness.ts';
import { type AgendaEntry, agendaEntry } from '../scrape/agenda.ts';
import { type Boot, overdueThatCount } from '../schedule/grid.ts';
import { exchange, runScrape, type Turn } from '../scrape/run.ts';
import { type PulseRound, runPulse } from '../scrape/pulse.ts';
import { openProvider } from '../provider/all.ts';
import { commitStep } from '../store/commit.ts';
import { commitPulse } from '../store/pulse.ts';
import { beginScrape, scrapable } from '../store/scrapes.ts';
import type { CommitResult, Fence, StepOps, TargetRow } from '../store/rows.ts';
import type { Names } from '../../supervisors/names.ts';
import { takeTurn } from '../../workers/hosts.ts';
import type { DaemonState } from './state.ts';

export interface ScrapingDeps {
  readonly state: DaemonState;
  readonly names: Names;
  /** When this daemon started, wall time. */
  readonly bootAt: number;
  /** Runs a step on the engine. */
  runStep(step: Step, signal: AbortSignal, onSent: () => void): Promise<StepOutcome>;
}

/** What the actors of projects and sources do between their messages. */
export interface Scraping {
  agenda(project: string): readonly AgendaEntry[];
  scrape(target: TargetRow, signal: AbortSignal, begun: (scrape: number) => void): Promise<void>;
  pulse(source: string, signal: AbortSignal): Promise<PulseRound>;
  /** The time was set: what is overdue by the new one is spread as after a start of the daemon. */
  restarted(): void;
  /** Asks for one page in its turn, and stores nothing. */
  tryPage(source: Source, url: string, signal: AbortSignal): Promise<StepOutcome>;
}

export function createScraping({ state, names, bootAt, runStep }: ScrapingDeps): Scraping {
  const { clock, store, catalogue, settings } = state;
  let boot: Boot | undefined;
  let startedAt = bootAt;
  const exchanges = { clock, takeTurn: turn, runStep };

  return {
    agenda(project) {
      const row = store().projects.get(project);
      if (row === undefined || row.status === 'archived') return [];
      const isPaused = state.paused() !== undefined;
      return row.targets.flatMap((number) => {
        const target = store().targets.get(number);
        if (target === undefined || (target.status !== 'active' && target.status !== 'parked')) return [];
        return [
          agendaEntry(target, store().schedule.get(number), {
            boot: bootOf(),
            initialDelayMs: settings().initialDelayMs,
            isReadable: !isPaused && catalogue().sources.has(target.source),
          }),
        ];
      });
    },

    async scrape(target, signal, begun) {
      const loaded = catalogue().sources.get(target.source);
      if (loaded === undefined) return;
      const { source, version } = loaded;
      const began = await state.unlessFull(() => beginScrape(store(), target.target, version));
      if (!began?.ok) return;
      begun(began.fence.scrape);
      const scrape = { ...began.fence, url: target.url, dueAt: clock.now() };
      const deps = { ...exchanges, timeLimitMs: settings().timeLimitMs, commit: commitStepOf };
      await state.unlessFull(() => runScrape(scrape, source, deps, signal));
    },

    async pulse(id, signal) {
      const source = catalogue().sources.get(id)?.source;
      if (source?.pulse === undefined) return { asked: 0, failed: 0 };
      const commit = (target: TargetRow, observedAt: number, drafts: Parameters<typeof commitPulse>[1]['drafts']) =>
        state
          .unlessFull(() => commitPulse(store(), { source: id, target: target.target, observedAt, drafts }))
          .then(() => undefined);
      // Numbers, since a round may last for hours: a range that is read half keeps its snapshot, and rows grow old.
      const targets = [...store().targets.numbersOfSource(id)];
      return runPulse(targets, source, { ...exchanges, active: activeTarget, commit }, signal);
    },

    restarted() {
      startedAt = clock.now();
      boot = undefined;
    },

    tryPage(source, url, signal) {
      const provider = openProvider(source);
      return exchange(
        { request: provider.request(url), reading: provider.page },
        source,
        clock.now(),
        exchanges,
        signal,
      );
    },
  };

  /** Counted once, when the first project asks: the schedule is as the daemon found it then. */
  function bootOf(): Boot {
    boot ??= {
      at: startedAt,
      overdue: [...store().schedule.byDue({ before: startedAt, limit: overdueThatCount })].length,
    };
    return boot;
  }

  function activeTarget(number: number): TargetRow | undefined {
    const found = scrapable(store(), number);
    return found.ok ? found.target : undefined;
  }

  function commitStepOf(fence: Fence, ops: StepOps): Promise<CommitResult> {
    return commitStep(store(), fence, ops);
  }

  async function turn(url: string, source: Source, dueAt: number, signal: AbortSignal): Promise<Turn> {
    const { concurrency, delay, minDelay } = source.politeness;
    const policy = { concurrency, delayMs: delay, minDelayMs: minDelay };
    const given = await takeTurn(names.hosts.via('hosts'), { key: politenessKey(source, url), policy, dueAt }, signal);
    return {
      sent: () => given.sent(),
      done: (outcome) => given.done(outcome === undefined ? { kind: 'unused' } : turnOutcome(troubleOf(outcome))),
    };
  }
}

function troubleOf(outcome: StepOutcome): Parameters<typeof turnOutcome>[0] {
  return outcome.kind === 'failed' ? { ...outcome.failure, status: outcome.status } : undefined;
}
