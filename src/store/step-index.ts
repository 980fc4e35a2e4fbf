import type { Clock } from '../clock.ts';
import { defined } from '../defined.ts';
import { type EndedStep, ownWorker, type StepDetail, type StepEntry } from '../view/step-entry.ts';
import type { StepEnd, StepFacts, StepWatcher, WatchedStep } from '../view/watched-step.ts';
import { StoreFullError } from './lmdb/environment.ts';
import type { Store } from './store.ts';

/** How long an ended step waits for others to be written with, in milliseconds, and how many wait at most. */
const gatherMs = 1_000;
const mostGathered = 256;

/** The most rows that one write removes besides as many as it adds. */
const surplus = 1_000;

/** The longest texts that are kept, in UTF-16 units. */
const longest = { url: 2_083, message: 2_000, stack: 8_000 };

/** The numbers of steps that a process may have given to steps of which nothing was written. */
const spare = 1_000;

/** The part of a store that has the index. */
type IndexStore = Pick<Store, 'write' | 'stepIndex'>;

/** What the index needs. */
export interface StepIndexDeps {
  readonly clock: Clock;
  /** Returns the open store. Throws while it is closed. */
  store(): IndexStore;
  /** The number of ended steps that are kept. */
  readonly keep: number;
  /** Whether steps run on worker processes. */
  readonly hasWorkers: boolean;
  /** Called when ended steps begin to be lost, but for a store without room. */
  failed(error: unknown): void;
}

/**
 * Knows each step while it waits and runs, and keeps the newest ended ones in the store, some of which are written together. What ended less
 * than a second before the process is killed is lost.
 */
export class StepIndex implements StepWatcher {
  readonly #deps: StepIndexDeps;
  readonly #live = new Map<number, LiveStep>();
  /** Ended steps that are not written yet. */
  readonly #gathered = new Map<number, EndedStep>();
  #last: number | undefined;
  #timer: number | undefined;
  #flushing: Promise<void> | undefined;
  #isFailing = false;

  constructor(deps: StepIndexDeps) {
    this.#deps = deps;
  }

  /** Adds a step that waits for its turn. */
  begun(facts: StepFacts): LiveStep {
    const id = this.#nextId();
    const step = new LiveStep(id, facts, this.#deps, (ended) => this.#ended(ended, id));
    this.#live.set(id, step);
    return step;
  }

  /** The steps that wait or run, the newest first. */
  *live(): Generator<StepEntry> {
    for (const step of [...this.#live.values()].reverse()) yield step.entry();
  }

  /** The steps that have begun, the newest first; with `before`, only those of lower numbers. */
  *rows(before = Infinity): Generator<StepDetail> {
    const fresh = [...this.live(), ...this.#gathered.values()].filter(({ id }) => Number(id) < before);
    fresh.sort((a, b) => Number(a.id) - Number(b.id));
    const unwritten = new Set(fresh.map(({ id }) => id));
    for (const row of this.#deps.store().stepIndex.rows({ before })) {
      for (let last = fresh.at(-1); last !== undefined && Number(last.id) > Number(row.id); last = fresh.at(-1)) {
        yield last;
        fresh.pop();
      }
      if (!unwritten.has(row.id)) yield row;
    }
    yield* fresh.reverse();
  }

  /** A step by its number. */
  get(id: number): StepDetail | undefined {
    return this.#live.get(id)?.entry() ?? this.#gathered.get(id) ?? this.#deps.store().stepIndex.get(id);
  }

  /** The number of ended steps that are kept. */
  countEnded(): number {
    return this.#deps.store().stepIndex.count() + this.#gathered.size;
  }

  /** Ends a step that no scrape makes. Returns whether there was one. */
  cut(id: number, why: string): boolean {
    const { cut } = this.#live.get(id)?.facts ?? {};
    cut?.(why);
    return cut !== undefined;
  }

  /** Removes ended steps. Resolves with how many there were. */
  async remove(ids: readonly number[]): Promise<number> {
    await this.flush();
    const { write, stepIndex } = this.#deps.store();
    return write(() => ids.filter((id) => stepIndex.remove(id)).length, { evenWhenFull: true });
  }

  /** Writes the ended steps that are not written yet. Never rejects. */
  async flush(): Promise<void> {
    await this.#flushing;
    await this.#begin();
  }

  /** Writes what is left to a store that is about to be closed. Never rejects. */
  async close(store: IndexStore): Promise<void> {
    await this.#flushing;
    this.#disarm();
    await this.#write(() => store);
  }

  /** Begins to write what is gathered, unless that is under way. */
  #begin(): Promise<void> {
    this.#disarm();
    return (this.#flushing ??= this.#write(this.#deps.store).finally(() => {
      this.#flushing = undefined;
      this.#arm();
    }));
  }

  async #write(opened: () => IndexStore): Promise<void> {
    const rows = [...this.#gathered];
    if (rows.length === 0) return;
    const { keep } = this.#deps;
    try {
      const { write, stepIndex } = opened();
      await write(() => {
        for (const [, row] of rows) stepIndex.put(row);
        stepIndex.trim(keep, rows.length + surplus);
      });
      this.#isFailing = false;
    } catch (error) {
      // That there is no room is told by what cannot go on without.
      if (!this.#isFailing && !(error instanceof StoreFullError)) this.#deps.failed(error);
      this.#isFailing = true;
    }
    for (const [id] of rows) this.#gathered.delete(id);
  }

  #ended(ended: EndedStep, id: number): void {
    this.#live.delete(id);
    this.#gathered.set(id, ended);
    this.#arm();
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#deps.clock.cancel(this.#timer);
    this.#timer = undefined;
  }

  /** Has what is gathered written: in a while, or at once where that is much. */
  #arm(): void {
    const { clock } = this.#deps;
    if (this.#gathered.size === 0 || this.#flushing !== undefined) return;
    if (this.#gathered.size >= mostGathered) void this.#begin();
    else this.#timer ??= clock.at(clock.monotonic() + gatherMs, () => void this.#begin());
  }

  #nextId(): number {
    const given = (): number => {
      const written = this.#deps.store().stepIndex.last();
      return written === 0 ? 0 : written + spare;
    };
    this.#last = (this.#last ?? given()) + 1;
    return this.#last;
  }
}

/** A step that waits or runs. */
class LiveStep implements WatchedStep {
  readonly facts: StepFacts;
  readonly #id: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onEnd: (ended: EndedStep) => void;
  readonly #queuedAt: number;
  /** Who runs it, where that is known before its turn. */
  readonly #runner: string | undefined;
  /** The worker process that has taken it in its present turn. */
  #worker: string | undefined;
  #startedAt: number | undefined;
  #turns = 0;

  constructor(
    id: number,
    facts: StepFacts,
    { clock, hasWorkers }: Pick<StepIndexDeps, 'clock' | 'hasWorkers'>,
    onEnd: (ended: EndedStep) => void,
  ) {
    this.#id = String(id);
    this.facts = facts;
    this.#clock = clock;
    this.#runner = hasWorkers && !facts.inDaemon ? undefined : ownWorker;
    this.#onEnd = onEnd;
    this.#queuedAt = this.#now();
  }

  waits(isWaiting: boolean): void {
    this.#startedAt = isWaiting ? undefined : this.#now();
    this.#worker = undefined;
    if (!isWaiting) this.#turns += 1;
  }

  takenBy(worker: string): void {
    this.#worker = worker;
  }

  ended({ failure, stack, ...end }: StepEnd): void {
    const why = failure && { code: failure.code, message: cut(failure.message, longest.message) };
    const more = defined({ failure: why, stack: stack && cut(stack, longest.stack) });
    this.#onEnd({ ...this.entry(), ...end, ...more, queuedAt: this.#queuedAt, endedAt: this.#now() });
  }

  entry(): StepEntry {
    const { kind: type, source, target, scrape, method, url } = this.facts;
    return {
      id: this.#id,
      state: this.#startedAt === undefined ? 'waiting' : 'running',
      type,
      source,
      method,
      url: cut(url(), longest.url),
      queuedAt: this.#queuedAt,
      turns: this.#turns,
      ...defined({
        target,
        scrape,
        startedAt: this.#startedAt,
        worker: this.#startedAt === undefined ? undefined : (this.#worker ?? this.#runner),
      }),
    };
  }

  #now(): number {
    return Math.floor(this.#clock.now());
  }
}

/** The beginning of a text, without half a character at its end or elsewhere. */
function cut(text: string, most: number): string {
  return (text.length > most ? text.slice(0, most) : text).toWellFormed();
}
