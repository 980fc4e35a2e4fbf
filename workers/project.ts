import { CallError, ExitError } from '../src/actor/errors.ts';
import type { Registry } from '../src/actor/registry.ts';
import { type Behaviour, type ExitReason, ignore, type Reply, type Self, type Start } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import { type Agenda, type AgendaEntry, inTurn } from '../src/scrape/agenda.ts';
import type { FirstTurn } from '../src/request/gate.ts';
import type { ScrapeProgress } from '../src/scrape/scrape-target.ts';
import type { TargetRow } from '../src/store/tables/rows.ts';
import { defined } from '../src/defined.ts';
import { following } from '../src/fetch/abort.ts';
import type { DueForTurn, TargetOffer } from '../src/request/target-offer.ts';

/** The messages of a project. */
export type ProjectMessage =
  /** The project's rows changed in the store, or a target is due. */
  | { readonly type: 'look' }
  /** The turn of a target that was offered. */
  | { readonly type: 'granted'; readonly target: number; readonly turn: FirstTurn }
  | { readonly type: 'ended'; readonly target: number }
  | { readonly type: 'status'; readonly reply: Reply<ProjectStatus> };

/** What a project is doing. */
export interface ProjectStatus {
  /** Numbers of the targets being scraped. */
  readonly scraping: readonly number[];
  /** Numbers of the targets that are due and wait for their turns. */
  readonly offered: readonly number[];
  /** When the project looks at its targets again without a message, wall time. */
  readonly wakesAt?: number;
}

/** What a project is scraped by. */
export interface ProjectDeps {
  readonly clock: Clock;
  readonly registry: Registry<string, ProjectMessage>;
  /** The project's targets that are active or parked, or one of them; empty when it is archived or finished. Those that another project scrapes have no due time. */
  readonly agenda: Agenda;
  /** Makes the offer of a target that is due. */
  offerOf(due: DueForTurn): TargetOffer;
  /** Puts an offer into its line, in place of an earlier one of the target. Its turn comes as a message. */
  offer(offer: TargetOffer): void;
  /** Takes an offer out of its line, unless another project has replaced it. */
  withdraw(offer: Pick<TargetOffer, 'id' | 'project'>): void;
  /** Runs one scrape, which begins with a turn, to its end. Rejects for errors of ours. */
  scrape(target: TargetRow, turn: FirstTurn, signal: AbortSignal, progress: ScrapeProgress): Promise<void>;
  /** Stores that a scrape of the target crashed. Resolves with whether the target is parked for it. */
  crashed(target: number, error: unknown): Promise<boolean>;
  /** Finishes a target whose end has come, or makes a parked one active again; does nothing while the store is full. */
  settle(target: number): Promise<void>;
}

/** A target with a due time. */
interface DueTarget extends AgendaEntry {
  readonly dueAt: number;
}

interface RunningScrape {
  readonly controller: AbortController;
  /** The source and the origin of the target: scrapes of one site wait for one host. */
  readonly site: string;
  /** Whether the scrape is a re-check for an objective. */
  readonly isRecheck: boolean;
  /** The number of the scrape, once it has begun. */
  scrape?: number;
  /** Whether the scrape waits for a further turn of its host. */
  isWaiting?: boolean;
  /** Set when the scrape crashed and the crash is stored. */
  crash?: 'recorded';
}

/**
 * The largest number of scrapes of a project at once that do not wait for turns, and the largest number for one site, waiting or not.
 * A scrape that waits holds up no target of another site; when it goes on, more than two may run, since nothing waits after its turn.
 */
const maxScrapes = 2;

/** The largest number of scrapes and offers of a project at once. */
const maxUnderWay = 64;

/** The shortest wait for a turn that lets another scrape begin, in milliseconds. */
const noticedWaitMs = 1_000;

/** Scrapes under way, by target. */
type Scrapes = ReadonlyMap<number, RunningScrape>;

/** Shared by all projects that scrape nothing, as most do most of the time, to save memory. */
const none: Scrapes = new Map();

type Offers = readonly TargetOffer[];

const noOffers: Offers = [];

const noTargets: readonly number[] = [];

/**
 * Watches one project: offers each target that it is the first to watch to the ledgers when it is due, scrapes it when its turn comes, and ends when nothing is left
 * to scrape. What it knows is in the store; between scrapes it holds its id and one timer, and for a target that is due the offer. Every
 * function within it costs each project 64 bytes.
 */
export function project(self: Self<ProjectMessage>, id: string, deps: ProjectDeps): Start<ProjectMessage> {
  const agenda = deps.agenda(id);
  if (agenda.length === 0) return ignore;
  self.register(deps.registry, id);
  let scrapes = none;
  let offers = noOffers;
  /** The targets that were offered last, and when, monotonic: they do not count as waiting yet. */
  let [young, offeredAt] = [noTargets, -Infinity];
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
        case 'granted':
          return granted(message.target, message.turn);
        case 'ended':
          scrapes = without(scrapes, message.target);
          return look();
        case 'status':
          return message.reply({
            scraping: [...scrapes.keys()],
            offered: offers.map((offer) => offer.id),
            ...defined({ wakesAt }),
          });
        default:
          message satisfies never;
      }
    },
    async stop(reason) {
      for (const offer of offers) deps.withdraw(offer);
      await blame(scrapes, reason, deps);
    },
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

  /** Begins the scrape of a target whose turn has come, unless it is no longer due, or the turn came late. */
  function granted(target: number, turn: FirstTurn): void {
    offers = offers.filter((offer) => offer.id !== target);
    const entry = deps.agenda(id, target).find((each) => each.target.target === target);
    const { dueAt = Infinity, target: row } = entry ?? {};
    const now = deps.clock.now();
    const isDue = row?.status === 'active' && dueAt <= now && !scrapes.has(target) && !turn.isLate();
    if (entry !== undefined && isDue && !isOver(entry, now)) return begin(entry, turn);
    turn.decline();
    look();
  }

  /** Offers what is due, withdraws what no longer is, and sets the timer for the next due time. */
  function arm(entries: readonly AgendaEntry[]): void {
    if (timer !== undefined) self.cancel(timer);
    timer = undefined;
    wakesAt = undefined;
    isHeldBack = false;
    const now = deps.clock.now();
    const wanted: TargetOffer[] = [];
    const isYoung = deps.clock.monotonic() - offeredAt < noticedWaitMs;
    const added: number[] = isYoung ? young.filter((id) => offers.some((offer) => offer.id === id)) : [];
    const before = offers;
    for (const due of waiting(entries, scrapes, now)) {
      const isOffered = before.some((offer) => offer.id === due.target.target);
      const hold =
        due.dueAt > now ? 'not-due' : holdOf(due.target, scrapes, { wanted, added: isOffered ? undefined : added });
      if (due.endsAt !== undefined && due.endsAt > now) wakesAt = Math.min(wakesAt ?? Infinity, due.endsAt);
      if (isOver(due, now)) begin(due);
      else if (hold === 'not-due') wakesAt = Math.min(wakesAt ?? Infinity, due.dueAt);
      else if (hold !== undefined) isHeldBack ||= hold === 'others';
      else if (due.target.status === 'parked') begin(due);
      else {
        wanted.push(deps.offerOf({ ...due, project: id, isManual: isManual(due) }));
        if (!isOffered) added.push(due.target.target);
      }
    }
    offers = offered(wanted, before, deps);
    const isNew = offers.some((offer) => !before.some((each) => each.id === offer.id));
    young = added.length === 0 ? noTargets : added;
    if (isNew) offeredAt = deps.clock.monotonic();
    // Offers that are not granted soon wait, and hold up no target of another site. One timer for all, or looks would breed looks.
    if (isHeldBack && added.length > 0) wakesAt = Math.min(wakesAt ?? Infinity, now + noticedWaitMs);
    // A target that is due already is offered when a scrape ends or begins to wait, and needs no timer.
    if (wakesAt !== undefined) timer = self.after(wakesAt - now, { type: 'look' });
  }

  /** @param turn - missing for a target whose end has come, and for a parked one, which is released. */
  function begin({ target, deadlineAt }: AgendaEntry, turn?: FirstTurn): void {
    const controller = new AbortController();
    const running: RunningScrape = { controller, site: siteOf(target), isRecheck: deadlineAt !== undefined };
    scrapes = new Map([...scrapes, [target.target, running]]);
    const waits = (isWaiting: boolean): void => {
      running.isWaiting = isWaiting;
      if (!isWaiting || !isHeldBack) return;
      isHeldBack = false;
      self.after(noticedWaitMs, { type: 'look' });
    };
    self.task(
      (signal) =>
        following(signal, controller, () => attempt(target, turn, controller.signal, { running, waits }, deps)),
      () => ({ type: 'ended', target: target.target }),
    );
  }
}

/**
 * Why a due target may not be offered: scrapes that run, or as many scrapes and offers for the same site as there may be; `undefined` when it
 * may. An offer keeps its place in line while others run, as nothing else waits after its turn.
 *
 * @param added - the targets that were offered so lately that they do not count as waiting; `undefined` for a target that is offered already.
 */
function holdOf(
  target: TargetRow,
  scrapes: Scrapes,
  { wanted: offers, added }: { readonly wanted: Offers; readonly added: readonly number[] | undefined },
): 'others' | 'site' | undefined {
  if (scrapes.size === 0 && offers.length === 0) return undefined;
  const underWay = [...scrapes.values()];
  const site = siteOf(target);
  const ofSite =
    underWay.filter((each) => each.site === site).length + offers.filter((each) => siteOfOffer(each) === site).length;
  if (underWay.length + offers.length >= maxUnderWay || ofSite >= maxScrapes) return 'site';
  if (added === undefined) return undefined;
  return underWay.filter(({ isWaiting }) => isWaiting !== true).length + added.length >= maxScrapes
    ? 'others'
    : undefined;
}

function siteOf({ source, url }: TargetRow): string {
  return `${source} ${URL.parse(url)?.origin ?? url}`;
}

function siteOfOffer({ source, origin }: TargetOffer): string {
  return `${source} ${origin}`;
}

/** Brings the offers of a project in line with those that are wanted. Returns the offers that stand. */
function offered(wanted: Offers, before: Offers, deps: Pick<ProjectDeps, 'offer' | 'withdraw'>): Offers {
  for (const old of before) if (wanted.every(({ id }) => id !== old.id)) deps.withdraw(old);
  if (wanted.length === 0) return noOffers;
  return wanted.map((offer) => {
    const known = before.find(({ id }) => id === offer.id);
    if (known !== undefined && isSame(known, offer)) return known;
    deps.offer(offer);
    return offer;
  });
}

/** Whether two offers of one target have the same place in the same line. */
function isSame(one: TargetOffer, other: TargetOffer): boolean {
  return (
    one.key === other.key &&
    one.policy === other.policy &&
    one.dueAt === other.dueAt &&
    one.deadlineAt === other.deadlineAt &&
    one.isManual === other.isManual
  );
}

function without(scrapes: Scrapes, target: number): Scrapes {
  const others = [...scrapes].filter(([other]) => other !== target);
  return others.length === 0 ? none : new Map(others);
}

/** Whether the end of a target has come. */
function isOver({ endsAt = Infinity }: AgendaEntry, now: number): boolean {
  return endsAt <= now;
}

function isManual({ target }: AgendaEntry): boolean {
  return target.waiting !== undefined;
}

/**
 * The planned targets that no scrape is under way for: those that a person asked for, then all others in the order of their due times;
 * re-checks and others of one site alternate.
 */
function waiting(entries: readonly AgendaEntry[], scrapes: Scrapes, now: number): readonly DueTarget[] {
  const all = entries
    .flatMap((entry): DueTarget[] => {
      const { target, dueAt } = entry;
      return dueAt === undefined || scrapes.has(target.target) ? [] : [{ ...entry, dueAt }];
    })
    .sort((a, b) => Number(isManual(b)) - Number(isManual(a)) || a.dueAt - b.dueAt);
  const due = all.filter((entry) => entry.dueAt <= now && !isManual(entry));
  if (due.every(({ deadlineAt }) => deadlineAt === undefined)) return all;
  const lines = new Map<string, Iterator<DueTarget>>();
  for (const [site, ofSite] of Map.groupBy(due, ({ target }) => siteOf(target))) {
    const isTheirTurn = Array.from(scrapes.values()).every((each) => each.site !== site || !each.isRecheck);
    lines.set(site, inTurn(ofSite, isTheirTurn ? 'rechecks' : 'others').values());
  }
  return all.map((entry) =>
    entry.dueAt > now || isManual(entry) ? entry : (lines.get(siteOf(entry.target))?.next().value ?? entry),
  );
}

/** Ends this life for a crash, so that its supervisor counts it, unless the crash parked the target: then the cause is removed. */
async function attempt(
  target: TargetRow,
  turn: FirstTurn | undefined,
  signal: AbortSignal,
  { running, waits }: { readonly running: RunningScrape; waits(isWaiting: boolean): void },
  deps: ProjectDeps,
): Promise<void> {
  try {
    const begun = (scrape: number): void => void (running.scrape = scrape);
    if (turn === undefined) await deps.settle(target.target);
    else await deps.scrape(target, turn, signal, { begun, waits });
  } catch (error) {
    if (signal.aborted) return;
    // An actor above in the tree has ended, which is no fault of the target. This life ends with it.
    if (error instanceof CallError && (error.code === 'ended' || error.code === 'noproc'))
      throw new ExitError('shutdown');
    if (await deps.crashed(target.target, error)) return;
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
