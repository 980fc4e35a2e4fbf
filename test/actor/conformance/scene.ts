import type { Startable } from '../../../src/actor/spawn.ts';
import type { Behaviour, Ref, Self } from '../../../src/actor/types.ts';
import { Registry } from '../../../src/actor/registry.ts';
import { createSystem, type System } from '../../../src/actor/system.ts';
import { VirtualClock } from '../../../src/clock.ts';
import { Diary, type Incarnation } from './diary.ts';
import type { Json, Scenario, Spec, Target } from './scenario.ts';
import type { WorkerMessage } from './worker.ts';

/** A registry, and the values that the scenario keeps beside its keys; the kernel's has none. */
export interface ValuedRegistry {
  readonly lives: Registry<string, WorkerMessage>;
  readonly values: Map<string, Json>;
}

/** Where a scenario is played: a system in virtual time, its diary, and the process that runs the steps. */
export interface Scene {
  readonly system: System;
  readonly clock: VirtualClock;
  readonly diary: Diary;
  readonly gates: Gates;
  readonly driver: Self<WorkerMessage>;
  /** OTP's local names. */
  readonly names: Registry<string, WorkerMessage>;
  readonly registries: ReadonlyMap<string, ValuedRegistry>;
  /** Processes that sleep in an action: time passes until there is none. */
  readonly sleepers: Set<object>;
  /** A process of the scenario as something that the kernel can start. */
  readonly startable: (spec: Spec, path: string) => Startable;
}

/** Sets the scene; how its processes start is for the caller to say. */
export async function openScene(
  scenario: Scenario,
  startable: (scene: Scene, spec: Spec, path: string) => Startable,
): Promise<Scene> {
  const clock = new VirtualClock();
  const diary = new Diary();
  const system = createSystem({ clock, report: (report) => diary.note(report) });
  const registries = (scenario.registries ?? []).map(({ name }) => [name, newRegistry()] as const);
  const scene: Scene = {
    system,
    clock,
    diary,
    gates: new Gates(),
    driver: await spawnDriver(system),
    names: new Registry(),
    registries: new Map(registries),
    sleepers: new Set(),
    startable: (spec, path) => startable(scene, spec, path),
  };
  return scene;
}

function newRegistry(): ValuedRegistry {
  return { lives: new Registry(), values: new Map() };
}

/** The driver traps exits and hears nothing: only its links matter. */
function spawnDriver(system: System): Promise<Self<WorkerMessage>> {
  return new Promise((resolve) => {
    void system.spawn<WorkerMessage>(
      (self): Behaviour<WorkerMessage> => {
        self.trapExit();
        resolve(self);
        return { receive() {} };
      },
      { id: 'driver' },
    );
  });
}

/** What holds processes back until a step opens it. One that is open stays so. */
export class Gates {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #open = new Set<string>();

  open(gate: string): void {
    this.#open.add(gate);
    for (const pass of this.#waiting.get(gate) ?? []) pass();
    this.#waiting.delete(gate);
  }

  /** Calls `pass` once the gate is open, until the returned function is called. */
  wait(gate: string, pass: () => void): () => void {
    if (this.#open.has(gate)) {
      pass();
      return () => {};
    }
    const waiting = this.#waiting.get(gate) ?? new Set();
    this.#waiting.set(gate, waiting.add(pass));
    return () => void waiting.delete(pass);
  }

  /** Resolves once the gate is open. */
  pass(gate: string): Promise<void> {
    return new Promise((resolve) => void this.wait(gate, resolve));
  }
}

/** Waits at a gate. A life that ended meanwhile never comes back from there. */
export function waitAt(scene: Scene, self: Self<never>, gate: string): Promise<void> {
  return new Promise((resolve) => {
    const leave = scene.gates.wait(gate, resolve);
    self.signal.addEventListener('abort', leave);
  });
}

/** Sleeps. A life that ended meanwhile never wakes up. */
export function sleep(scene: Scene, self: Self<never>, ms: number): Promise<void> {
  const sleeper = {};
  scene.sleepers.add(sleeper);
  return new Promise((resolve) => {
    const timer = scene.clock.at(scene.clock.monotonic() + ms, () => {
      scene.sleepers.delete(sleeper);
      resolve();
    });
    self.signal.addEventListener('abort', () => {
      scene.sleepers.delete(sleeper);
      scene.clock.cancel(timer);
    });
  });
}

/** The address that a target means; `undefined` for a path that never started. */
export function addressOf(scene: Scene, target: Target, self?: Self<WorkerMessage>): Ref<WorkerMessage> | undefined {
  if (typeof target !== 'string') {
    const [kind, name, key = ''] = target;
    return kind === 'name' ? scene.names.via(name) : scene.registries.get(name)?.lives.via(key);
  }
  if (target === 'self') return self?.ref;
  if (target === 'driver') return scene.driver.ref;
  return scene.diary.find(target)?.ref;
}

/** The life that a target means now: one with a name is that which holds it. */
export function lifeNamed(scene: Scene, target: Target): Incarnation | undefined {
  if (typeof target === 'string') return scene.diary.find(target);
  const [kind, name, key = ''] = target;
  const holder = kind === 'name' ? scene.names.whereis(name) : scene.registries.get(name)?.lives.whereis(key);
  return holder && scene.diary.byId(holder.id);
}
