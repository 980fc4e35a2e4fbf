import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Self } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';

/** The messages of the planner. */
export type PlannerMessage =
  /** Checks whether a day has begun or a due time moved forward. */
  | { readonly type: 'look' }
  /** Definitions, settings, projects or hosts changed; `sources` names those affected. */
  | { readonly type: 'changed'; readonly sources: Changed }
  | { readonly type: 'passed'; readonly left: Changed };

/** Sources by their ids. */
export type Changed = readonly string[] | 'all';

/** The work of the planner, and when it is due. */
export interface PlannerDeps {
  readonly clock: Clock;
  readonly registry: Registry<'planner', PlannerMessage>;
  /** Sources whose targets are not scheduled as definitions and settings have it. */
  stale(): Changed;
  /** Schedules the targets of these sources anew, plans the days that have begun, and tells of ages; hands back what the store had no room for. */
  pass(changed: Changed): Promise<{ readonly left: Changed; readonly isFull: boolean }>;
  /** The next wall time at which a pass has work. */
  nextAt(): number | undefined;
}

/** The longest delay until an unannounced instant is noticed, in ms. */
const longestMs = 900_000;
/** The time from a change of a project to the pass that looks at it, in ms, so that several changes share a pass. */
const settlesMs = 500;
/** The pause after a pass for which the store had no room, in ms. */
const retryMs = 60_000;

/** Plans days and follows what changes when targets are due: it writes rows and tells of them, and asks no site. */
export function planner(self: Self<PlannerMessage>, deps: PlannerDeps): Behaviour<PlannerMessage> {
  self.register(deps.registry, 'planner');
  let pending = deps.stale();
  /** Whether projects changed since the last pass began. */
  let isApplied = false;
  let isPassing = false;
  let isFull = false;
  let timer: number | undefined;
  self.continue({ type: 'look' });

  return {
    receive(message) {
      switch (message.type) {
        case 'look':
          return look();
        case 'changed':
          pending = together(pending, message.sources);
          if (pending.length > 0) return look();
          if (!isApplied && !isPassing) arm(settlesMs);
          isApplied = true;
          return undefined;
        case 'passed':
          isPassing = false;
          pending = together(pending, message.left);
          return isFull ? arm(retryMs) : look();
        default:
          return message satisfies never;
      }
    },
  };

  function look(): void {
    if (isPassing) return;
    const waitMs = (deps.nextAt() ?? Infinity) - deps.clock.now();
    if (pending.length === 0 && !isApplied && waitMs > 0) return arm(Math.min(waitMs, longestMs));
    const changed = pending;
    pending = [];
    isApplied = false;
    isPassing = true;
    self.task(
      async () => {
        const passed = await deps.pass(changed);
        isFull = passed.isFull;
        return passed.left;
      },
      (left) => ({ type: 'passed', left }),
    );
  }

  function arm(ms: number): void {
    if (timer !== undefined) self.cancel(timer);
    timer = self.after(ms, { type: 'look' });
  }
}

function together(one: Changed, other: Changed): Changed {
  if (one === 'all' || other === 'all') return 'all';
  return [...new Set([...one, ...other])];
}
