import { CallError, ExitError } from '../src/actor/errors.ts';
import type { Registry } from '../src/actor/registry.ts';
import { type Behaviour, type ExitReason, ignore, type Reply, type Self, type Start } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import { type AgendaEntry, inTurn } from '../src/scrape/agenda.ts';
import type { TargetRow } from '../src/store/rows.ts';

export type ProjectMessage =
  /** Its rows changed in the store, or the time has come. */
  | { readonly type: 'look' }
  | { readonly type: 'ended'; readonly target: number; readonly notBefore?: number | undefined }
  | { readonly type: 'status'; readonly reply: Reply<ProjectStatus> };

export interface ProjectStatus {
  /** Numbers of the targets being scraped. */
  readonly scraping: readonly number[];
  /** When it looks again by itself, wall time. */
  readonly wakesAt?: number;
}

export interface ProjectDeps {
  readonly clock: Clock;
  readonly registry: Registry<string, ProjectMessage>;
  /** The project's targets that are active or parked; empty when it is archived or finished. */
  agenda(project: string): readonly AgendaEntry[];
  /**
   * Runs one scrape to its end, telling of it as it goes; one that may not begin now says when it may, wall time. Rejects
   * for errors of ours.
   */
  scrape(target: TargetRow, signal: AbortSignal, progress: ScrapeProgress): Promise<{ readonly notBefore?: number }>;
  /** Writes down that a scrape of the target crashed; whether that parked it. */
  crashed(target: number, error: unknown): Promise<boolean>;
  /** Gives a parked target another chance. */
  release(target: number): Promise<void>;
}

/** What a scrape under way tells its project. */
export interface ScrapeProgress {
  /** It has begun, and this is its number. */
  begun(scrape: number): void;
  /** It begins to wait for leave to ask its site, or has it. */
  waits(isWaiting: boolean): void;
}

interface RunningScrape {
  readonly controller: AbortController;
  /** Its source and origin: those who wait there wait for the same host. */
  readonly site: string;
  /** Whether it re-checks something for the sake of a promise. */
  readonly isRecheck: boolean;
  /** Its number, once it has begun. */
  scrape?: number;
  /** Whether it waits for leave to ask its site. */
  isWaiting?: boolean;
  /** Set when it crashed and that was written down. */
  crash?: 'recorded';
}

/**
 * A project begins no scrape beside so many that do not wait for their sites, nor beside so many of the same site. What
 * waits may go on at any time and then more may run, since nothing waits after its turn.
 */
const maxScrapes = 2;

/** Nor beside so many that wait. */
const maxUnderWay = 64;

/** A wait of less is no reason to begin another scrape. */
const noticedWaitMs = 1_000;

/** Scrapes under way, by target. */
type Scrapes = ReadonlyMap<number, RunningScrape>;

/** Shared by all who scrape nothing, which most do most of the time. */
const none: Scrapes = new Map();

/** When targets may begin whose source is left alone, by target. */
type Pauses = ReadonlyMap<number, number>;

const noPauses: Pauses = new Map();

/** A source that is left alone is asked about again this soon: a probe may have worked long before it would be given up. */
const longestPauseMs = 60_000;

/**
 * Watches one project: scrapes each of its targets when it is due, and ends when nothing is left to scrape. What it knows
 * is in the store; between scrapes it holds its id and one timer. Every function within it costs each project 64 bytes.
 */
export function project(self: Self<ProjectMessage>, id: string, deps: ProjectDeps): Start<ProjectMessage> {
  const agenda = deps.agenda(id);
  if (agenda.length === 0) return ignore;
  self.register(deps.registry, id);
  let scrapes = none;
  let pauses = noPauses;
  let timer: number | undefined;
  let wakesAt: number | undefined;
  /** Whether something is due that could begin if one that runs were to wait. */
  let isHeldBack = false;

  arm(agenda);

  return {
    receive(message) {
      switch (message.type) {
        case 'look':
          return look();
        case 'ended':
          scrapes = without(scrapes, message.target, none);
          pauses = paused(pauses, message.target, message.notBefore, deps.clock.now());
          return look();
        case 'status':
          return message.reply({ scraping: [...scrapes.keys()], ...(wakesAt !== undefined && { wakesAt }) });
        default:
          message satisfies never;
      }
    },
    stop: (reason) => blame(scrapes, reason, deps),
  } satisfies Behaviour<ProjectMessage>;

  function look(): void {
    const entries = deps.agenda(id);
    for (const [target, running] of scrapes) {
      const row = entries.find((entry) => entry.target.target === target)?.target;
      if (row === undefined || (running.scrape !== undefined && row.running !== running.scrape))
        running.controller.abort();
    }
    if (entries.length === 0 && scrapes.size === 0) self.stop();
    else arm(entries);
  }

  /** Begins what is due, and sets the one timer for what is due next. */
  function arm(entries: readonly AgendaEntry[]): void {
    if (timer !== undefined) self.cancel(timer);
    timer = undefined;
    wakesAt = undefined;
    isHeldBack = false;
    const now = deps.clock.now();
    for (const { target, dueAt, deadlineAt } of waiting(entries, scrapes, pauses, now)) {
      const hold = dueAt > now ? 'not-due' : holdOf(target, scrapes);
      if (hold === undefined) begin(target, deadlineAt !== undefined);
      else wakesAt = Math.min(wakesAt ?? Infinity, dueAt);
      isHeldBack ||= hold === 'others';
    }
    // What is due already waits for the end of a scrape, which looks again, or for one to wait.
    if (wakesAt !== undefined && wakesAt > now) timer = self.after(wakesAt - now, { type: 'look' });
  }

  function begin(target: TargetRow, isRecheck: boolean): void {
    const running: RunningScrape = { controller: new AbortController(), site: siteOf(target), isRecheck };
    scrapes = new Map([...scrapes, [target.target, running]]);
    const waits = (isWaiting: boolean): void => {
      running.isWaiting = isWaiting;
      if (!isWaiting || !isHeldBack) return;
      isHeldBack = false;
      self.after(noticedWaitMs, { type: 'look' });
    };
    self.task(
      (signal) => attempt(target, AbortSignal.any([signal, running.controller.signal]), { running, waits }, deps),
      (notBefore) => ({ type: 'ended', target: target.target, notBefore }),
    );
  }
}

/** What keeps a target that is due from beginning, if anything does: those that run, or those that wait for the same site. */
function holdOf(target: TargetRow, scrapes: Scrapes): 'others' | 'site' | undefined {
  const underWay = [...scrapes.values()];
  const site = siteOf(target);
  if (underWay.length >= maxUnderWay || underWay.filter((each) => each.site === site).length >= maxScrapes)
    return 'site';
  return underWay.filter(({ isWaiting }) => isWaiting !== true).length >= maxScrapes ? 'others' : undefined;
}

function siteOf({ source, url }: TargetRow): string {
  return `${source} ${URL.parse(url)?.origin ?? url}`;
}

function without<V>(
  all: ReadonlyMap<number, V>,
  target: number,
  empty: ReadonlyMap<number, V>,
): ReadonlyMap<number, V> {
  const others = [...all].filter(([other]) => other !== target);
  return others.length === 0 ? empty : new Map(others);
}

function paused(pauses: Pauses, target: number, notBefore: number | undefined, now: number): Pauses {
  if (notBefore !== undefined) return new Map([...pauses, [target, Math.min(notBefore, now + longestPauseMs)]]);
  return pauses.has(target) ? without(pauses, target, noPauses) : pauses;
}

interface Waiting extends AgendaEntry {
  readonly dueAt: number;
}

/** What is not under way and is to be scraped some day, the first due first, but that those of one site come in turn. */
function waiting(entries: readonly AgendaEntry[], scrapes: Scrapes, pauses: Pauses, now: number): readonly Waiting[] {
  const all = entries
    .flatMap((entry): Waiting[] => {
      const { target: row, dueAt } = entry;
      if (dueAt === undefined || scrapes.has(row.target)) return [];
      return [{ ...entry, dueAt: Math.max(dueAt, pauses.get(row.target) ?? 0) }];
    })
    .sort((a, b) => a.dueAt - b.dueAt);
  const due = all.filter(({ dueAt }) => dueAt <= now);
  if (due.every(({ deadlineAt }) => deadlineAt === undefined)) return all;
  const lines = new Map<string, Iterator<Waiting>>();
  for (const [site, ofSite] of Map.groupBy(due, ({ target }) => siteOf(target))) {
    const isTheirTurn = Array.from(scrapes.values()).every((each) => each.site !== site || !each.isRecheck);
    lines.set(site, inTurn(ofSite, isTheirTurn ? 'rechecks' : 'others').values());
  }
  return all.map((entry) => (entry.dueAt > now ? entry : (lines.get(siteOf(entry.target))?.next().value ?? entry)));
}

/** A crash ends this life, so that its supervisor counts it, unless it parked the target: then the cause is out of the way. */
async function attempt(
  target: TargetRow,
  signal: AbortSignal,
  { running, waits }: { readonly running: RunningScrape; waits(isWaiting: boolean): void },
  deps: ProjectDeps,
): Promise<number | undefined> {
  try {
    if (target.status !== 'parked') {
      const begun = (scrape: number): void => void (running.scrape = scrape);
      return (await deps.scrape(target, signal, { begun, waits })).notBefore;
    }
    await deps.release(target.target);
    return undefined;
  } catch (error) {
    if (signal.aborted) return undefined;
    // What this tree stands on has ended, which is no fault of the target's; this life is about to be ended with it.
    if (error instanceof CallError && (error.code === 'ended' || error.code === 'noproc'))
      throw new ExitError('shutdown');
    if (await deps.crashed(target.target, error)) return undefined;
    running.crash = 'recorded';
    throw error;
  }
}

/** What ends this life from outside of a scrape's own code, such as a rejection that nobody awaited, is laid at the door of what ran. */
async function blame(scrapes: Scrapes, reason: ExitReason, deps: ProjectDeps): Promise<void> {
  if (typeof reason === 'string' || reason[0] !== 'error') return;
  if ([...scrapes.values()].some(({ crash }) => crash === 'recorded')) return;
  for (const target of scrapes.keys()) await deps.crashed(target, reason[1]);
}
