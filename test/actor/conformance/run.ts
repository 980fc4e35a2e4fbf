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

  async function note(step: number, op: string, doing: Promise<Json>): Promise<void> {
    const result = await doing;
    const { events, reports } = scene.diary.tear();
    steps.push({ step, op, result, events, ...(reports.length === 0 ? {} : { reports }) });
  }

  async function execute(step: Step): Promise<Json> {
    switch (step.op) {
      case 'batch':
        return hold(step);
      case 'async':
        asides.set(step.as ?? '', begin(perform(step.step ?? step)));
        return watch('ok');
      case 'await':
        return watch(asides.get(step.as ?? '')?.outcome ?? null);
      case 'pending':
        return watch(asides.get(step.as ?? '')?.state === 'waiting');
      default:
        return watch(perform(step));
    }
  }

  /** Holds a supervisor while things are put into its mailbox. */
  async function hold({ sup = 'root', steps: inner = [] }: Step): Promise<Json> {
    const held = lifeNamed(scene, sup);
    if (held === undefined || lifeAt(held.ref)?.hasEnded !== false) return watch('noproc');
    const results: Json[] = [];
    scene.system.suspend(held.ref);
    for (const step of inner) results.push(await execute(step));
    scene.system.resume(held.ref);
    return watch(results);
  }

  function perform(step: Step): Json | Promise<Json> {
    const operation = operations[step.op];
    if (operation === undefined) throw new Error(`no such step: ${step.op}`);
    return operation(scene, step);
  }

  /** Waits for a step, and then until everything is at rest. */
  async function watch(doing: Json | Promise<Json>): Promise<Json> {
    const pending = begin(doing);
    await rest(scene, pending);
    return pending.outcome;
  }
}

function begin(doing: Json | Promise<Json>): Pending {
  const pending: Pending = { outcome: Promise.resolve(doing), state: 'waiting' };
  const settle = () => void (pending.state = 'settled');
  pending.outcome.then(settle, settle);
  return pending;
}

/** Lets time pass, timer by timer, until the step is done and nobody sleeps; elsewhere time stands still. */
async function rest({ system, clock, sleepers }: Scene, pending: Pending): Promise<void> {
  for (;;) {
    await system.idle();
    if (pending.state === 'settled' && sleepers.size === 0) return;
    const next = clock.next();
    if (next === undefined) throw new Error('the step waits for something that never comes');
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
