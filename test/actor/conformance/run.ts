import { lifeAt } from '../../../src/actor/address.ts';
import { lifeOf } from '../../../src/actor/self.ts';
import { spawnLink } from '../../../src/actor/spawn.ts';
import { startResult } from './results.ts';
import type { Json, Scenario, Step, TraceStep } from './scenario.ts';
import { lifeNamed, openScene, type Scene } from './scene.ts';
import { startableOf } from './specs.ts';
import { operations } from './steps.ts';

/** Something that a step waits for, and what it came to. */
interface Pending {
  readonly outcome: Promise<Json>;
  state: 'waiting' | 'settled';
}

/** Plays a scenario to its end, and tells what happened in the order it happened. */
export async function trace(scenario: Scenario): Promise<readonly TraceStep[]> {
  const scene = await openScene(scenario, startableOf);
  const asides = new Map<string, Pending>();
  const steps: TraceStep[] = [];
  if (scenario.root !== undefined) await note(0, 'start_root', watch(startRoot(scene, scenario)));
  for (const [index, step] of scenario.steps.entries()) await note(index + 1, step.op, execute(step));
  if (scenario.root !== undefined && scenario.end !== false) await note(steps.length, 'end', watch(endRoot(scene)));
  return steps;

  async function note(step: number, op: string, doing: Promise<Pending>): Promise<void> {
    const result = await (await doing).outcome;
    const { events, reports } = scene.diary.tear();
    steps.push({ step, op, result, events, ...(reports.length === 0 ? {} : { reports }) });
  }

  async function execute(step: Step, isHeld = false): Promise<Pending> {
    switch (step.op) {
      case 'batch':
        return hold(step);
      case 'async':
        asides.set(step.as ?? '', begin(perform(step.step ?? step)));
        return watch('ok', isHeld);
      case 'await':
        return watch(asides.get(step.as ?? '')?.outcome ?? null, isHeld);
      case 'pending':
        return watch(asides.get(step.as ?? '')?.state === 'waiting', isHeld);
      default:
        return watch(perform(step), isHeld);
    }
  }

  /** Holds a supervisor while other steps are done. The result of a step that waits for it comes once it is let go. */
  async function hold({ sup = 'root', steps: inner = [] }: Step): Promise<Pending> {
    const held = lifeNamed(scene, sup);
    if (held === undefined || lifeAt(held.ref)?.hasEnded !== false) return watch('noproc');
    const doing: Pending[] = [];
    scene.system.suspend(held.ref);
    for (const step of inner) doing.push(await execute(step, true));
    scene.system.resume(held.ref);
    return watch(Promise.all(doing.map(({ outcome }) => outcome)));
  }

  function perform(step: Step): Json | Promise<Json> {
    const operation = operations[step.op];
    if (operation === undefined) throw new Error(`no such step: ${step.op}`);
    return operation(scene, step);
  }

  /** Waits for a step, and then until everything is at rest. */
  async function watch(doing: Json | Promise<Json>, isHeld = false): Promise<Pending> {
    const pending = begin(doing);
    await rest(scene, pending, isHeld);
    return pending;
  }
}

function begin(doing: Json | Promise<Json>): Pending {
  const pending: Pending = { outcome: Promise.resolve(doing), state: 'waiting' };
  const settle = () => void (pending.state = 'settled');
  pending.outcome.then(settle, settle);
  return pending;
}

/**
 * Fires the timers that are due now. Then lets time pass, timer by timer, until the step is done and nobody sleeps; elsewhere
 * time stands still. While a supervisor is held, a step may be left waiting for it.
 */
async function rest({ system, clock, sleepers }: Scene, pending: Pending, isHeld: boolean): Promise<void> {
  for (;;) {
    await system.idle();
    const next = clock.next() ?? Infinity;
    const isDone = pending.state === 'settled' && sleepers.size === 0;
    if (isDone && next > clock.monotonic()) return;
    if (next === Infinity && isHeld) return;
    if (next === Infinity) throw new Error('the step waits for something that never comes');
    clock.advance(next - clock.monotonic());
  }
}

async function startRoot(scene: Scene, { root }: Scenario): Promise<Json> {
  if (root === undefined) return null;
  return startResult(scene, spawnLink(lifeOf(scene.driver), scene.startable(root, root.id), root.id));
}

/** The root's parent has it shut down. */
async function endRoot(scene: Scene): Promise<Json> {
  const root = scene.diary.find('root');
  if (root === undefined) return 'none';
  if (lifeAt(root.ref)?.hasEnded !== false) return 'dead';
  const ended = scene.system.ended(root.ref);
  scene.system.exit(root.ref, 'shutdown', scene.driver.ref);
  await ended;
  return 'ok';
}
