import { CallError, ExitError } from '../src/actor/errors.ts';
import type { Registry } from '../src/actor/registry.ts';
import { type Behaviour, type ExitReason, ignore, type Reply, type Self, type Start } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import { type AgendaEntry, inTurn } from '../src/scrape/agenda.ts';
import type { ScrapeAttempt, ScrapeProgress } from '../src/scrape/scrape-target.ts';
import type { TargetRow } from '../src/store/tables/rows.ts';
import { defined } from '../src/defined.ts';

/** The messages of a project. */
export type ProjectMessage =
  /** The project's rows changed in the store, or a target is due. */
  | { readonly type: 'look' }
  | { readonly type: 'ended'; readonly target: number; readonly notBefore?: number | undefined }
  | { readonly type: 'status'; readonly reply: Reply<ProjectStatus> };

/** What a project is doing. */
export interface ProjectStatus {
  /** Numbers of the targets being scraped. */
  readonly scraping: readonly number[];
  /** When the project looks at its targets again without a message, wall time. */
  readonly wakesAt?: number;
}

/** What a project is scraped by. */
export interface ProjectDeps {
  readonly clock: Clock;
  readonly registry: Registry<string, ProjectMessage>;
  /** The project's targets that are active or parked; empty when it is archived or finished. */
  agenda(project: string): readonly AgendaEntry[];
  /** Runs one scrape to its end. Resolves with `notBefore` where it may not begin now. Rejects for errors of ours. */
  scrape(target: TargetRow, signal: AbortSignal, progress: ScrapeProgress): Promise<ScrapeAttempt>;
  /** Stores that a scrape of the target crashed. Resolves with whether the target is parked for it. */
  crashed(target: number, error: unknown): Promise<boolean>;
  /** Makes a parked target active again; does nothing while the store is full. */
  release(target: number): Promise<void>;
}

interface RunningScrape {
  readonly controller: AbortController;
  /** The source and the origin of the target: scrapes of one site wait for one host. */
  readonly site: string;
  /** Whether the scrape is a re-check for an objective. */
  readonly isRecheck: boolean;
  /** The number of the scrape, once it has begun. */
  scrape?: number;
  /** Whether the scrape waits for a turn of its host. */
  isWaiting?: boolean;
  /** Set when the scrape crashed and the crash is stored. */
  crash?: 'recorded';
}

/**
 * The largest number of scrapes of a project at once that do not wait for turns, and the largest number for one site, waiting or not.
 * A scrape that waits holds up no target of another site; when it goes on, more than two may run, since nothing waits after its turn.
 */
const maxScrapes = 2;

/** The largest number of scrapes of a project at once, those that wait for turns included. */
const maxUnderWay = 64;

/** The shortest wait for a turn that lets another scrape begin, in milliseconds. */
const noticedWaitMs = 1_000;

/** Scrapes under way, by target. */
type Scrapes = ReadonlyMap<number, RunningScrape>;

/** Shared by all projects that scrape nothing, as most do most of the time, to save memory. */
const none: Scrapes = new Map();

/** When targets may begin that could not when they were due, as their circuit is open or their hours are over; wall time, by target. */
type HeldUntil = ReadonlyMap<number, number>;

const noneHeld: HeldUntil = new Map();

/** The longest time after which the circuit of a source is looked at again, in milliseconds: a probe may have closed it meanwhile. */
const longestHoldMs = 60_000;

/**
 * Watches one project: scrapes each of its targets when it is due, and ends when nothing is left to scrape. What it knows
 * is in the store; between scrapes it holds its id and one timer. Every function within it costs each project 64 bytes.
 */
export function project(self: Self<ProjectMessage>, id: string, deps: ProjectDeps): Start<ProjectMessage> {
  const agenda = deps.agenda(id);
  if (agenda.length === 0) return ignore;
  self.register(deps.registry, id);
  let scrapes = none;
  let heldUntil = noneHeld;
  let timer: number | undefined;
  let wakesAt: number | undefined;
  /** Whether a due target could begin if a scrape under way began to wait. */
  let isHeldBack = false;

  arm(agenda);

  return {
    receive(message) {
      switch (message.type) {
        case 'look':
          return look();
        case 'ended':
          scrapes = without(scrapes, message.target, none);
          heldUntil = withHold(heldUntil, message.target, message.notBefore, deps.clock.now());
          return look();
        case 'status':
          return message.reply({ scraping: [...scrapes.keys()], ...defined({ wakesAt }) });
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

  /** Begins the scrapes that are due, and sets the timer for the next due time. */
  function arm(entries: readonly AgendaEntry[]): void {
    if (timer !== undefined) self.cancel(timer);
    timer = undefined;
    wakesAt = undefined;
    isHeldBack = false;
    const now = deps.clock.now();
    for (const { target, dueAt, deadlineAt } of waiting(entries, scrapes, heldUntil, now)) {
      const hold = dueAt > now ? 'not-due' : holdOf(target, scrapes);
      if (hold === undefined) begin(target, deadlineAt !== undefined);
      else wakesAt = Math.min(wakesAt ?? Infinity, dueAt);
      isHeldBack ||= hold === 'others';
    }
    // A target that is due already begins when a scrape ends or begins to wait, and needs no timer.
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

/** Why a due target may not begin: other scrapes that run, or scrapes that wait for the same site; `undefined` when it may. */
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

function withHold(heldUntil: HeldUntil, target: number, notBefore: number | undefined, now: number): HeldUntil {
  if (notBefore !== undefined) return new Map([...heldUntil, [target, Math.min(notBefore, now + longestHoldMs)]]);
  return heldUntil.has(target) ? without(heldUntil, target, noneHeld) : heldUntil;
}

interface Waiting extends AgendaEntry {
  readonly dueAt: number;
}

/** The planned targets that no scrape is under way for, in the order of their due times; re-checks and others of one site alternate. */
function waiting(
  entries: readonly AgendaEntry[],
  scrapes: Scrapes,
  heldUntil: HeldUntil,
  now: number,
): readonly Waiting[] {
  const all = entries
    .flatMap((entry): Waiting[] => {
      const { target: row, dueAt } = entry;
      if (dueAt === undefined || scrapes.has(row.target)) return [];
      return [{ ...entry, dueAt: Math.max(dueAt, heldUntil.get(row.target) ?? 0) }];
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

/** Ends this life for a crash, so that its supervisor counts it, unless the crash parked the target: then the cause is removed. */
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
    // An actor above in the tree has ended, which is no fault of the target. This life ends with it.
    if (error instanceof CallError && (error.code === 'ended' || error.code === 'noproc'))
      throw new ExitError('shutdown');
    if (await deps.crashed(target.target, error)) return undefined;
    running.crash = 'recorded';
    throw error;
  }
}

/** Records a crash for each target under way when this life ended by an error outside the scrape's promise, such as a stray rejection. */
async function blame(scrapes: Scrapes, reason: ExitReason, deps: ProjectDeps): Promise<void> {
  if (typeof reason === 'string' || reason[0] !== 'error') return;
  if ([...scrapes.values()].some(({ crash }) => crash === 'recorded')) return;
  for (const target of scrapes.keys()) await deps.crashed(target, reason[1]);
}
