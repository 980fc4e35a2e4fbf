import type { Source } from '../definition/source.ts';
import type { Leave } from '../fetch/circuit.ts';
import type { LoadedSource } from '../definition/catalogue.ts';
import { type Boot, nextOnGrid, overdueThatCount } from '../schedule/grid.ts';
import type { Ask } from '../scrape/ask.ts';
import { type AgendaEntry, agendaEntry } from '../scrape/agenda.ts';
import { runScrape, type Verdict } from '../scrape/run.ts';
import { type TriedStep, tryPage } from '../scrape/try.ts';
import { type PulseRound, runPulse } from '../scrape/pulse.ts';
import { commitStep } from '../store/commit.ts';
import { commitPulse } from '../store/pulse.ts';
import { beginScrape, scrapable } from '../store/scrapes.ts';
import type { CommitResult, Fence, StepOps, TargetRow } from '../store/rows.ts';
import type { Names } from '../../supervisors/names.ts';
import type { DaemonState } from './state.ts';

export interface ScrapingDeps {
  readonly state: DaemonState;
  readonly names: Names;
  /** When this daemon started, wall time. */
  readonly bootAt: number;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly ask: Ask;
}

/** A scrape that could not begin says when to try again, wall time. */
export interface ScrapeEnd {
  readonly notBefore?: number;
}

/** What the actors of projects and sources do between their messages. */
export interface Scraping {
  agenda(project: string): readonly AgendaEntry[];
  scrape(target: TargetRow, signal: AbortSignal, begun: (scrape: number) => void): Promise<ScrapeEnd>;
  pulse(source: string, signal: AbortSignal): Promise<PulseRound>;
  /** The time was set: what is overdue by the new one is spread as after a start of the daemon. */
  restarted(): void;
  /** Asks for one page in its turn, and stores nothing. */
  tryPage(source: Source, url: string, signal: AbortSignal): Promise<readonly TriedStep[]>;
}

export function createScraping({ state, names, bootAt, random, ask }: ScrapingDeps): Scraping {
  const { clock, store, catalogue, settings } = state;
  let boot: Boot | undefined;
  let startedAt = bootAt;
  const hosts = names.hosts.via('hosts');

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
      if (loaded === undefined) return {};
      const circuit = { source: target.source, target: target.target };
      const leave = await hosts.ask<Leave>((reply) => ({ type: 'ask-leave', ...circuit, reply }));
      if (!leave.mayAsk) return { notBefore: leave.nextAt };
      let came: Verdict = 'unused';
      try {
        came = (await scrapeWithLeave(target, loaded, signal, begun)) ?? 'unused';
      } finally {
        hosts.send({ type: 'target-done', ...circuit, came });
      }
      return {};
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
      return runPulse(targets, source, { clock, ask, active: activeTarget, commit }, signal);
    },

    restarted() {
      startedAt = clock.now();
      boot = undefined;
    },

    tryPage: (source, url, signal) => tryPage(url, source, { clock, random, ask }, signal),
  };

  async function scrapeWithLeave(
    target: TargetRow,
    { source, version }: LoadedSource,
    signal: AbortSignal,
    begun: (scrape: number) => void,
  ): Promise<Verdict | undefined> {
    const schedule = store().schedule.get(target.target);
    const began = await state.unlessFull(() => beginScrape(store(), target.target, version));
    if (!began?.ok) return undefined;
    begun(began.fence.scrape);
    const now = clock.now();
    const scrape = {
      ...began.fence,
      url: target.url,
      version,
      dueAt: now,
      nextDueAt: schedule === undefined ? Infinity : nextOnGrid(schedule.grid, now),
      ...(target.copy !== undefined && { copy: target.copy }),
    };
    const deps = { clock, random, ask, timeLimitMs: settings().timeLimitMs, commit: commitStepOf };
    return state.unlessFull(() => runScrape(scrape, source, deps, signal));
  }

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
}
