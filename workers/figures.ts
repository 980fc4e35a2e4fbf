import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Self } from '../src/actor/types.ts';
import { follow, type LogSlice } from '../src/store/follow.ts';
import type { Store } from '../src/store/store.ts';

/** The messages of the actor that keeps metrics and rules. */
export type FiguresMessage =
  | { readonly type: 'read'; readonly slice: LogSlice | undefined }
  | { readonly type: 'looked'; readonly slice: LogSlice; readonly touched: ReadonlySet<string> | undefined }
  | { readonly type: 'found'; readonly projects: ReadonlySet<string> }
  /** The projects that wait are computed. */
  | { readonly type: 'due' }
  | { readonly type: 'computed'; readonly project: string; readonly done: boolean };

/** The work of the actor. */
export interface FiguresDeps {
  readonly registry: Registry<'figures', FiguresMessage>;
  readonly store: Store;
  /** The id of the event up to which rules have looked at what was told. */
  cursor(): number;
  /**
   * Looks at the records of the events of a slice by the rules of their projects, and stores the end of the slice with that. Resolves
   * with the projects with metrics that the slice concerns; with `undefined` while the store is full.
   */
  look(slice: LogSlice): Promise<ReadonlySet<string> | undefined>;
  /** Yields all projects with metrics. */
  all(): AsyncIterable<readonly string[]>;
  /** Computes the metrics of a project, and stores and tells those that changed. Resolves with false while the store is full. */
  compute(project: string): Promise<boolean>;
}

/** The time from a change to the computation of the metrics that it concerns, in ms, so that many changes share one. */
const settlesMs = 1_000;
/** The pause before what the store had no room for is tried again, in ms. */
const fullMs = 30_000;

/** Keeps the metrics and rules of projects: follows the log, looks at changed records, and computes metrics a second later. */
export function figures(self: Self<FiguresMessage>, deps: FiguresDeps): Behaviour<FiguresMessage> {
  self.register(deps.registry, 'figures');
  const log = follow(deps.store, deps.cursor(), {}, self.signal);
  /** Projects whose metrics are to be computed in the next round, and those that are left of this one. */
  const waiting = new Set<string>();
  let round: string[] = [];
  let isArmed = false;
  let isComputing = false;
  read();
  self.task(findAll, (projects) => ({ type: 'found', projects }));

  return {
    receive(message) {
      switch (message.type) {
        case 'read':
          return message.slice && look(message.slice);
        case 'looked':
          if (message.touched === undefined) return void self.after(fullMs, { type: 'read', slice: message.slice });
          enqueue(message.touched);
          return read();
        case 'found':
          return enqueue(message.projects);
        case 'due':
          isArmed = false;
          round = [...waiting];
          waiting.clear();
          return compute();
        case 'computed':
          isComputing = false;
          if (!message.done) waiting.add(message.project);
          return message.done ? compute() : arm(fullMs);
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

  function look(slice: LogSlice): void {
    self.task(
      () => deps.look(slice),
      (touched) => ({ type: 'looked', slice, touched }),
    );
  }

  async function findAll(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for await (const ids of deps.all()) for (const id of ids) found.add(id);
    return found;
  }

  function enqueue(projects: ReadonlySet<string>): void {
    for (const project of projects) waiting.add(project);
    arm(settlesMs);
  }

  function arm(ms: number): void {
    if (isArmed || isComputing || waiting.size + round.length === 0) return;
    isArmed = true;
    for (const project of round) waiting.add(project);
    self.after(ms, { type: 'due' });
  }

  function compute(): void {
    const project = round.shift();
    if (project === undefined) return arm(settlesMs);
    isComputing = true;
    self.task(
      () => deps.compute(project),
      (done) => ({ type: 'computed', project, done }),
    );
  }
}
