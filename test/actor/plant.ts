import assert from 'node:assert/strict';
import { dynamicSupervisor } from '../../src/actor/dynamic-supervisor.ts';
import {
  deleteChild,
  type EndChildResult,
  restartChild,
  startChild,
  type StartChildResult,
  terminateChild,
} from '../../src/actor/management.ts';
import type { LifeView, Report } from '../../src/actor/report.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import type { Actor, Behaviour, ChildSpec, Ref, Self } from '../../src/actor/types.ts';
import { Model, type Place, type Plan, type Sight, sightOf, type StaticPlan, type WorkerPlan } from './model.ts';
import { stage } from './support.ts';

/** What happens to a tree. `at` counts among those it could happen to now, over and over. */
export type Fault =
  | { readonly type: 'kill' | 'crash' | 'leave' | 'kill_supervisor'; readonly at: number }
  | { readonly type: 'terminate' | 'delete' | 'restart'; readonly at: number }
  | { readonly type: 'start'; readonly at: number; readonly worker: WorkerPlan; readonly failures: number }
  | { readonly type: 'fail_starts'; readonly at: number; readonly times: number }
  | { readonly type: 'elapse'; readonly ms: number };

type Misfortune = Exclude<Fault, { readonly type: 'elapse' }>;

/** The real tree beside the model of it. Ids are paths, so that each is there once. */
export async function plant(plan: StaticPlan) {
  const { system, reports, elapse, spawn } = stage();
  const refs = new Map<string, Ref<never>>();
  const failures = new Map<string, number>();
  const model = new Model(plan);
  await spawn(specOf(plan).start, plan.id);
  let [told, added] = [0, 0];

  return { apply, compare };

  async function apply(fault: Fault): Promise<void> {
    if (fault.type === 'elapse') {
      model.nowMs += fault.ms;
      return elapse(fault.ms);
    }
    const candidates = model.places().filter((place) => canMeet(place, fault));
    const place = candidates[fault.at % candidates.length];
    if (place === undefined) return;
    const [expected, actual] = await meet(place, fault);
    assert.equal(actual, expected, `${fault.type} ${place.plan.id}`);
    await system.idle();
  }

  /** Has it happen to both; what is answered, by the model and in fact. */
  async function meet(place: Place, fault: Misfortune): Promise<readonly [expected: unknown, actual: unknown]> {
    const { id } = place.plan;
    const ref = refs.get(id) as Ref<string>;
    const above = refs.get(place.above?.plan.id ?? plan.id) as Ref<never>;
    switch (fault.type) {
      case 'kill':
      case 'kill_supervisor':
        return [model.leave(place, 'killed'), system.exit(ref, 'kill')];
      case 'crash':
        return [model.leave(place, 'error'), ref.send('crash')];
      case 'leave':
        return [model.leave(place, 'normal'), ref.send('leave')];
      case 'terminate': {
        const terminated = place.above?.plan.kind === 'pool' ? terminateChild(above, ref) : terminateChild(above, id);
        return [model.terminate(place), codeOf(await terminated)];
      }
      case 'delete':
        return [model.delete(place), codeOf(await deleteChild(above, id))];
      case 'restart':
        return [model.restartStopped(place), codeOf(await restartChild(above, id))];
      case 'start': {
        added += 1;
        const plan = { ...fault.worker, id: `${id}/late${added}` };
        failures.set(plan.id, fault.failures);
        model.failures.set(plan.id, fault.failures);
        return [model.add(place, plan), codeOf(await startChild(ref as Ref<never>, specOf(plan)))];
      }
      case 'fail_starts':
        failures.set(id, fault.times);
        model.failures.set(id, fault.times);
        return [undefined, undefined];
      default:
        return fault satisfies never;
    }
  }

  /** Compares what happened since the last time, and what there is now. */
  function compare(): void {
    const entries = reports.slice(told).flatMap(entriesOf);
    told = reports.length;
    assert.deepEqual(canonical(entries), canonical(model.diary.splice(0)));
    const [root] = system.inspect();
    assert.deepEqual(root && sightOfLife(root), model.root.isRunning ? sightOf(model.root) : undefined);
  }

  function specOf(child: Plan): ChildSpec {
    const { id, restart } = child;
    if (child.kind === 'worker') return { id, restart, shutdown: child.shutdown, start: (self) => work(child, self) };
    const actor: Actor<never> =
      child.kind === 'pool' ? dynamicSupervisor(child) : supervisor({ ...child, children: child.children.map(specOf) });
    return { id, restart, type: 'supervisor', start: (self) => (refs.set(id, self.ref), actor(self)) };
  }

  function work({ id, traps }: WorkerPlan, self: Self<string>): Behaviour<string> {
    const failing = failures.get(id) ?? 0;
    failures.set(id, Math.max(failing - 1, 0));
    if (failing > 0) throw new Error('not today');
    refs.set(id, self.ref);
    if (traps) self.trapExit();
    return {
      receive(message) {
        if (message === 'crash') throw new Error('boom');
        self.stop();
      },
    };
  }
}

function canMeet({ plan, above, isRunning, children }: Place, { type }: Misfortune): boolean {
  const isWorker = plan.kind === 'worker';
  switch (type) {
    case 'kill':
    case 'crash':
    case 'leave':
      return isWorker && isRunning;
    case 'kill_supervisor':
      // Children that take their time to end would do so beside the restart of their supervisor, in no order.
      return (
        !isWorker && above !== undefined && isRunning && !children.some((child) => child.isRunning && isSlow(child))
      );
    case 'start':
      return !isWorker && isRunning;
    case 'fail_starts':
      return isWorker;
    case 'terminate':
      return above !== undefined;
    case 'delete':
    case 'restart':
      return above?.plan.kind === 'static';
    default:
      return type satisfies never;
  }
}

function isSlow({ plan }: Place): boolean {
  return plan.kind !== 'worker' || plan.traps;
}

function codeOf(result: StartChildResult | EndChildResult): string {
  return 'code' in result ? result.code : 'ok';
}

/** What the model's diary has of a report. */
function entriesOf(report: Report): readonly string[] {
  switch (report.type) {
    case 'started':
      return [`started ${nameOf(report.id)}`];
    case 'ended':
      return [`ended ${nameOf(report.id)} ${typeof report.reason === 'string' ? report.reason : report.reason[0]}`];
    case 'supervisor': {
      const { context, child } = report;
      return ['start_error', 'intensity_reached', 'gave_up'].includes(context) ? [`${context} ${child}`] : [];
    }
    default:
      return [];
  }
}

/** The name in the id of a life. */
function nameOf(id: string): string {
  return id.slice(0, id.lastIndexOf('#'));
}

/** Sorts where there is no order: ends of the children of one pool, and of a supervisor that was killed. */
function canonical(entries: readonly string[]): readonly string[] {
  const runs: { readonly key: string | undefined; readonly entries: string[] }[] = [];
  for (const entry of entries) {
    const [, above = '', reason] = /^ended (.+)\/\w+ (\w+)$/.exec(entry) ?? [];
    const key = reason === 'killed' || /\/pool\d+$/.test(above) ? above : undefined;
    const last = runs.at(-1);
    if (key !== undefined && last?.key === key) last.entries.push(entry);
    else runs.push({ key, entries: [entry] });
  }
  return runs.flatMap((run) => run.entries.sort());
}

function sightOfLife({ name, state, restarts, children }: LifeView): Sight {
  const below = children.map(sightOfLife).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { id: name, isRunning: state === 'running', restarts, children: below };
}
