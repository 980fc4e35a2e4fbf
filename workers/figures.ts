import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Self } from '../src/actor/types.ts';
import type { KeptFigures } from '../src/figures/keep-figures.ts';
import { follow, type LogSlice } from '../src/store/follow.ts';
import type { Store } from '../src/store/store.ts';

/** The messages of the actor that keeps metrics and rules. */
export type FiguresMessage =
  | { readonly type: 'read'; readonly slice: LogSlice | undefined }
  | { readonly type: 'applied'; readonly slice: LogSlice; readonly concerned: ReadonlySet<string> | undefined }
  /** All metrics are computed anew. */
  | { readonly type: 'hour' }
  | { readonly type: 'found'; readonly projects: readonly string[] }
  /** The metrics of the projects that changed are computed. */
  | { readonly type: 'due' }
  | { readonly type: 'updated'; readonly project: string; readonly done: boolean }
  /** The store may have room again. */
  | { readonly type: 'retry' }
  /** Rules that depend on the present may have turned. */
  | { readonly type: 'turn' }
  | { readonly type: 'turned'; readonly done: boolean };

/** The dependencies of the actor that keeps metrics and rules: what does its work, and the log that it follows. */
export interface FiguresDeps extends KeptFigures {
  readonly registry: Registry<'figures', FiguresMessage>;
  readonly store: Store;
}

/** The time from a change to the computation of the metrics that it concerns, in ms, so that many changes share one. */
const settlesMs = 1_000;
/**
 * The time after which the metrics of all projects are computed anew, in ms: no event tells that a pulse has verified values, that rates in a
 * file are others, or that a rate has become too old.
 */
const anewMs = 3_600_000;
/** The pause before what the store had no room for is tried again, in ms. */
const fullMs = 30_000;

/** The longest time, in ms, after which the next turn of a rule is looked at again, as the wall clock may have been set. */
const longestMs = 60_000;

/**
 * Keeps the metrics and rules of projects: follows the log, applies rules to changed records, and computes metrics a second later; those of all
 * projects once an hour.
 */
export function figures(self: Self<FiguresMessage>, deps: FiguresDeps): Behaviour<FiguresMessage> {
  self.register(deps.registry, 'figures');
  const log = follow(deps.store, deps.cursor(), {}, self.signal);
  /** Projects that changed, and whose metrics are computed when the timer fires. */
  const waiting = new Set<string>();
  let isArmed = false;
  /** Projects whose metrics are computed now, one after the other. */
  const changed = new Set<string>();
  /** Projects whose metrics are computed while none has changed. */
  let others: string[] = [];
  let isComputing = false;
  let isFull = false;
  /** The timer of the next turn of a rule. */
  let turnTimer: number | undefined;
  read();
  armTurn();
  computeAnew();

  return {
    receive(message) {
      switch (message.type) {
        case 'read':
          return message.slice && apply(message.slice);
        case 'applied':
          if (message.concerned === undefined) return void self.after(fullMs, { type: 'read', slice: message.slice });
          enqueue(message.concerned);
          armTurn();
          return read();
        case 'hour':
          return computeAnew();
        case 'found':
          others = [...message.projects];
          if (others.length === 0) self.after(anewMs, { type: 'hour' });
          return computeNext();
        case 'due':
          isArmed = false;
          for (const project of waiting) changed.add(project);
          waiting.clear();
          return computeNext();
        case 'updated':
          isComputing = false;
          armTurn();
          return message.done ? computeNext() : pause(message.project);
        case 'retry':
          isFull = false;
          return computeNext();
        case 'turn':
          turnTimer = undefined;
          return applyDue();
        case 'turned':
          return armTurn(message.done ? 0 : fullMs);
        default:
          return message satisfies never;
      }
    },
  };

  function read(): void {
    self.task(
      async () => (await log.next()).value ?? undefined,
      (slice) => ({ type: 'read', slice }),
    );
  }

  function apply(slice: LogSlice): void {
    self.task(
      () => deps.applyEvents(slice),
      (concerned) => ({ type: 'applied', slice, concerned }),
    );
  }

  function computeAnew(): void {
    self.task(findProjects, (projects) => ({ type: 'found', projects }));
  }

  async function findProjects(): Promise<readonly string[]> {
    const found: string[] = [];
    for await (const ids of deps.projectsWithMetrics()) found.push(...ids);
    return found;
  }

  function enqueue(projects: ReadonlySet<string>): void {
    for (const project of projects) waiting.add(project);
    if (isArmed || waiting.size === 0) return;
    isArmed = true;
    self.after(settlesMs, { type: 'due' });
  }

  /** Sets the timer of the next turn of a rule, which fires after `leastMs` at the earliest. */
  function armTurn(leastMs = 0): void {
    if (turnTimer !== undefined) self.cancel(turnTimer);
    const at = deps.nextTurn();
    if (at === undefined) turnTimer = undefined;
    else {
      const ms = Math.min(at - deps.store.now(), longestMs);
      turnTimer = self.after(Math.max(ms, leastMs), { type: 'turn' });
    }
  }

  function applyDue(): void {
    self.task(
      () => deps.applyDue(),
      (done) => ({ type: 'turned', done }),
    );
  }

  /** Computes the metrics of one project, unless those of another are being computed. */
  function computeNext(): void {
    if (isComputing || isFull) return;
    const [project = nextOther()] = changed;
    if (project === undefined) return;
    changed.delete(project);
    isComputing = true;
    self.task(
      () => deps.updateMetrics(project),
      (done) => ({ type: 'updated', project, done }),
    );
  }

  function nextOther(): string | undefined {
    const project = others.pop();
    // Not before, so that all have their turn however long that takes.
    if (project !== undefined && others.length === 0) self.after(anewMs, { type: 'hour' });
    return project;
  }

  function pause(project: string): void {
    isFull = true;
    changed.add(project);
    self.after(fullMs, { type: 'retry' });
  }
}
