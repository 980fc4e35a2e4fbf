import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Self } from '../src/actor/types.ts';
import type { KeptFigures } from '../src/figures/keep-figures.ts';
import { follow, type LogSlice } from '../src/store/follow.ts';
import type { Store } from '../src/store/store.ts';

/** The messages of the actor that keeps metrics and rules. */
export type FiguresMessage =
  | { readonly type: 'read'; readonly slice: LogSlice | undefined }
  | { readonly type: 'applied'; readonly slice: LogSlice; readonly concerned: ReadonlySet<string> | undefined }
  | { readonly type: 'found'; readonly projects: ReadonlySet<string> }
  /** The metrics of the projects that wait are computed. */
  | { readonly type: 'due' }
  | { readonly type: 'updated'; readonly project: string; readonly done: boolean }
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
/** The pause before what the store had no room for is tried again, in ms. */
const fullMs = 30_000;

/** The longest time, in ms, after which the next turn of a rule is looked at again, as the wall clock may have been set. */
const longestMs = 60_000;

/** Keeps the metrics and rules of projects: follows the log, applies rules to changed records, and computes metrics a second later. */
export function figures(self: Self<FiguresMessage>, deps: FiguresDeps): Behaviour<FiguresMessage> {
  self.register(deps.registry, 'figures');
  const log = follow(deps.store, deps.cursor(), {}, self.signal);
  /** Projects whose metrics are computed in the next round, and those that are left of the present one. */
  const waiting = new Set<string>();
  let round: string[] = [];
  let isArmed = false;
  let isComputing = false;
  /** The timer of the next turn of a rule. */
  let turnTimer: number | undefined;
  read();
  armTurn();
  self.task(findProjects, (projects) => ({ type: 'found', projects }));

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
        case 'found':
          return enqueue(message.projects);
        case 'due':
          isArmed = false;
          round = [...waiting];
          waiting.clear();
          return updateNext();
        case 'updated':
          isComputing = false;
          if (!message.done) waiting.add(message.project);
          armTurn();
          return message.done ? updateNext() : arm(fullMs);
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

  async function findProjects(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for await (const ids of deps.projectsWithMetrics()) for (const id of ids) found.add(id);
    return found;
  }

  function enqueue(projects: ReadonlySet<string>): void {
    for (const project of projects) waiting.add(project);
    arm(settlesMs);
  }

  /** Sets the timer of the next round, unless one is set or a round is under way. */
  function arm(ms: number): void {
    if (isArmed || isComputing || waiting.size + round.length === 0) return;
    isArmed = true;
    for (const project of round) waiting.add(project);
    self.after(ms, { type: 'due' });
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

  function updateNext(): void {
    const project = round.shift();
    if (project === undefined) return arm(settlesMs);
    isComputing = true;
    self.task(
      () => deps.updateMetrics(project),
      (done) => ({ type: 'updated', project, done }),
    );
  }
}
