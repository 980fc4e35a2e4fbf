import type { Leave } from '../fetch/circuit.ts';
import type { LoadedSource } from '../definition/catalogue.ts';
import type { RecordDraft } from '../extract/draft.ts';
import { isAvailable, nextAvailable } from '../schedule/available.ts';
import { type Boot, overdueThatCount } from '../schedule/grid.ts';
import type { PulseTally } from '../schedule/waste.ts';
import type { Ask, Asked, Wish } from '../scrape/ask.ts';
import { type AgendaEntry, agendaEntry } from '../scrape/agenda.ts';
import { runCollector } from '../scrape/collector.ts';
import { runScrape, type Verdict } from '../scrape/run.ts';
import { type TrialWish, type TriedStep, tryPage } from '../scrape/try.ts';
import { type PulseRound, runPulse } from '../scrape/pulse.ts';
import { closeScrape, commitStep } from '../store/commit.ts';
import { commitPulse, type PulseOps } from '../store/pulse.ts';
import { sweepCrawls } from '../store/crawl-clearing.ts';
import { beginScrape, scrapable } from '../store/scrapes.ts';
import type { Close, Fence, StepOps } from '../store/ops.ts';
import type { TargetRow } from '../store/rows.ts';
import type { Names } from '../../supervisors/names.ts';
import type { ScrapeProgress } from '../../workers/project.ts';
import { openCollector } from './collecting.ts';
import { SentCredentials } from './credentials.ts';
import { createDues, type Dues } from './due-inputs.ts';
import { withinHours } from './hours.ts';
import { isPlugged, type Plugins } from './plugins.ts';
import type { DaemonState } from './state.ts';
import { type Log, ScrapeTeller } from './teller.ts';
import { RoundCosts } from './pulse-costs.ts';
import { openWalk } from './walking.ts';
import { watchedAsk } from './watched-ask.ts';

export interface ScrapingDeps {
  readonly state: DaemonState;
  readonly names: Names;
  /** When this daemon started, wall time. */
  readonly bootAt: number;
  /** A number in `[0, 1)`. */
  random(): number;
  readonly ask: Ask;
  readonly plugins: Plugins;
  readonly log: Log;
}

/** A scrape that could not begin says when to try again, wall time. */
export interface ScrapeEnd {
  readonly notBefore?: number;
}

/** What the actors of projects and sources do between their messages. */
export interface Scraping {
  agenda(project: string): readonly AgendaEntry[];
  /** Why targets are due when they are. */
  readonly dues: Dues;
  scrape(target: TargetRow, signal: AbortSignal, progress: ScrapeProgress): Promise<ScrapeEnd>;
  pulse(source: string, signal: AbortSignal): Promise<PulseRound>;
  /** The time was set: what is overdue by the new one is spread as after a start of the daemon. */
  restarted(): void;
  /** Asks for one page in its turn, and stores nothing. */
  tryPage(trial: TrialWish, url: string, signal: AbortSignal): Promise<readonly TriedStep[]>;
}

export function createScraping({ state, names, bootAt, random, ask, plugins, log }: ScrapingDeps): Scraping {
  const { clock, store, catalogue, settings } = state;
  let boot: Boot | undefined;
  let startedAt = bootAt;
  const dues = createDues({ catalogue, settings, paces: state.paces, now: () => clock.now(), store, boot: bootOf });
  const hosts = names.hosts.via('hosts');

  return {
    dues,
    agenda(project) {
      const row = store().projects.get(project);
      if (row === undefined || row.status === 'archived') return [];
      const isPaused = state.paused() !== undefined;
      return row.targets.flatMap((number) => {
        const target = store().targets.get(number);
        if (target === undefined || (target.status !== 'active' && target.status !== 'parked')) return [];
        const isReadable = !isPaused && catalogue().sources.has(target.source);
        return [agendaEntry(target, isReadable ? dues.dueInputsOf(target) : undefined)];
      });
    },

    async scrape(target, signal, progress) {
      const loaded = catalogue().sources.get(target.source);
      if (loaded === undefined) return {};
      const { hours } = dues.said(target);
      // What has waited for its turn may come when the hours of its source are over.
      if (!isAvailable(hours, clock.now())) return { notBefore: nextAvailable(hours, clock.now()) ?? Infinity };
      const circuit = { source: target.source, target: target.target };
      const leave = await hosts.ask<Leave>((reply) => ({ type: 'ask-leave', ...circuit, reply }));
      if (!leave.mayAsk) return { notBefore: leave.nextAt };
      let came: Verdict = 'unused';
      try {
        came = (await scrapeWithLeave(target, loaded, signal, progress)) ?? 'unused';
      } finally {
        hosts.send({ type: 'target-done', ...circuit, came });
      }
      return {};
    },

    async pulse(id, signal) {
      const source = catalogue().sources.get(id)?.source;
      if (source?.pulse === undefined) return { asked: 0, failed: 0 };
      const commit = (target: TargetRow, read: Pick<PulseOps, 'url' | 'observedAt' | 'drafts'>) =>
        state
          .unlessFull(() => commitPulse(store(), { source: id, target: target.target, ...read }))
          .then(() => undefined);
      // Numbers, since a round may last for hours: a range that is read half keeps its snapshot, and rows grow old.
      const targets = [...store().targets.numbersOfSource(id)];
      const ownerOf = ({ type, key }: Pick<RecordDraft, 'type' | 'key'>) => store().records.get(id, type, key)?.target;
      const costs = new RoundCosts(id, state);
      const spend = (cost: PulseTally, target?: number) => costs.add(cost, target);
      const deps = { clock, ask: askOnce, active: askableTarget, ownerOf, commit, spend };
      try {
        return await runPulse(targets, source, deps, signal);
      } finally {
        await costs.write();
      }
    },

    restarted() {
      startedAt = clock.now();
      boot = undefined;
    },

    async tryPage(trial, url, signal) {
      const sent = new SentCredentials();
      const loaded = catalogue().sources.get(trial.source.id);
      const isOwn = loaded !== undefined && isPlugged(loaded) && loaded.source === trial.source;
      const opened = isOwn ? await plugins.open(loaded, signal) : undefined;
      const steps = await tryPage(
        url,
        { ...trial, ...(opened && { provider: opened.provider }) },
        { clock, random, ask: watchedAsk(ask, sent) },
        signal,
      );
      return steps.map((step) => sent.tried(step));
    },
  };

  async function scrapeWithLeave(
    target: TargetRow,
    loaded: LoadedSource,
    signal: AbortSignal,
    progress: ScrapeProgress,
  ): Promise<Verdict | undefined> {
    const { source, version } = loaded;
    const now = clock.now();
    const asked = dues.whyDue(target).because.filter(({ effect }) => effect === 'asks');
    // A crawl looks for what is not known yet, and is no re-check.
    const deadlineAt = source.crawl === undefined ? dues.deadlineOf(target) : undefined;
    const nextDueAt = dues.afterwards(target);
    const began = await state.unlessFull(() => beginScrape(store(), target.target, version));
    if (!began?.ok) return undefined;
    progress.begun(began.fence.scrape);
    // Its requests come in the order of when they were due.
    const scrape = { ...began.fence, version, dueAt: Math.min(now, ...asked.map(({ at }) => at)), nextDueAt };
    const sent = new SentCredentials();
    const of = { source: source.id, project: target.project, scrape: scrape.scrape };
    const teller = new ScrapeTeller(log, of);
    const deps = {
      clock,
      random,
      ask: byDeadline(deadlineAt, withinHours(dues.said(target).hours, clock, watchedAsk(ask, sent, progress))),
      timeLimitMs: settings().timeLimitMs,
      commit: async (fence: Fence, ops: StepOps) =>
        teller.wrote(ops, await commitStep(store(), fence, teller.ops(sent.ops(ops)))),
      async close(fence: Omit<Fence, 'step'>, close: Close) {
        teller.closing(close);
        return closeScrape(store(), fence, sent.close(close));
      },
    };
    const { wish, fence } = began;
    teller.started(wish.args);
    try {
      return await state.unlessFull(run);
    } finally {
      teller.stopped();
      // Its ages may tell something sooner than they would have.
      if (store().schedule.get(target.target)?.fresh) names.planner.whereis('planner')?.send({ type: 'look' });
      if (source.crawl !== undefined) await sweepCrawls(store(), target.target);
    }

    async function run(): Promise<Verdict | undefined> {
      const opened = isPlugged(loaded) ? await plugins.open(loaded, signal) : undefined;
      if (opened?.isCollector === true && isPlugged(loaded)) {
        const parts = {
          loaded,
          target,
          scrape: scrape.scrape,
          args: wish.args ?? [],
          sent,
          provider: opened.provider,
          plugins,
        };
        return runCollector(scrape, source, openCollector(parts), deps, signal);
      }
      const begun = { target, loaded, wish, fence, provider: opened?.provider };
      const walk = await openWalk(store(), begun, () => clock.now());
      return walk && runScrape(scrape, source, walk, deps, signal);
    }
  }

  /** Counted once, when the first project asks: the schedule is as the daemon found it then. */
  function bootOf(): Boot {
    boot ??= {
      at: startedAt,
      overdue: [...store().schedule.byDue({ before: startedAt, limit: overdueThatCount })].length,
    };
    return boot;
  }

  /** The target as it is, while a pulse may ask for it. */
  function askableTarget(number: number): TargetRow | undefined {
    const found = scrapable(store(), number);
    return found.ok && isAvailable(dues.said(found.target).hours, clock.now()) ? found.target : undefined;
  }

  /** Asks for a pulse, which follows no redirect and so only tells of it. */
  async function askOnce(wish: Wish, signal: AbortSignal): Promise<Asked> {
    const sent = new SentCredentials();
    const asked = await watchedAsk(ask, sent)(wish, signal);
    return { ...asked, outcome: sent.outcome(asked.outcome) };
  }
}

/** What is asked for the sake of a promise says until when it has to be kept. */
function byDeadline(deadlineAt: number | undefined, ask: Ask): Ask {
  return deadlineAt === undefined ? ask : (wish, signal) => ask({ ...wish, deadlineAt }, signal);
}
