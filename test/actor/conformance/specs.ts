import { dynamicSupervisor } from '../../../src/actor/dynamic-supervisor.ts';
import { reasonOf } from '../../../src/actor/errors.ts';
import type { Startable } from '../../../src/actor/spawn.ts';
import { supervisor, type SupervisorSpec } from '../../../src/actor/supervisor.ts';
import { type Actor, type ChildSpec, ignore, type Self } from '../../../src/actor/types.ts';
import { refusalResult } from './results.ts';
import { idOf, plain } from './diary.ts';
import type { Json, Spec } from './scenario.ts';
import type { Scene } from './scene.ts';
import { exitWith } from './script.ts';
import { failureOf, holdNames, outcomeOf, startWorker } from './starting.ts';

/** A process as something that the kernel can start. */
export function startableOf(scene: Scene, spec: Spec, path: string, extra?: readonly Json[]): Startable {
  if (spec.type === undefined) {
    return {
      start: (self: Self<never>) => startWorker(scene, self, spec, path, extra),
    };
  }
  const actor = spec.type === 'dynamic' ? dynamicActor(scene, spec, path) : staticActor(scene, spec, path);
  return { start: (self: Self<never>) => startSupervisor(scene, self, spec, path, actor, extra) };
}

/** The child spec of a process, with all that the scenario says of it and nothing that it leaves out. */
export function childSpecOf(scene: Scene, spec: Spec, sup: string, pool?: Spec): ChildSpec {
  const { restart, shutdown, significant, child_type, omit = [] } = spec;
  const type = child_type ?? (spec.type === undefined ? undefined : 'supervisor');
  const given = Object.entries({ restart, shutdown, significant, type }).filter(([, value]) => value !== undefined);
  const child = {
    id: pool === undefined ? idOf(spec.spec_id ?? spec.id) : spec.id,
    ...startableOf(scene, spec, `${sup}/${spec.id}`, pool?.extra_arguments),
    ...Object.fromEntries(given),
  };
  return Object.fromEntries(Object.entries(child).filter(([field]) => !omit.includes(field))) as never;
}

/** What is left out takes Erlang's defaults, which are stricter than the kernel's. */
function staticActor(scene: Scene, spec: Spec, path: string): Actor<never> {
  const given: object = {
    strategy: spec.strategy ?? 'one_for_one',
    intensity: spec.intensity ?? 1,
    periodMs: (spec.period ?? 5) * 1_000,
    autoShutdown: spec.auto_shutdown ?? 'never',
    children: (spec.children ?? []).map((child) => childSpecOf(scene, child, path)),
  };
  return supervisor(given as SupervisorSpec);
}

function dynamicActor({ diary }: Scene, spec: Spec, path: string): Actor<never> {
  const { intensity, period, max_children: maxChildren, budget } = spec;
  return dynamicSupervisor({
    ...(budget === undefined ? {} : { budget }),
    gaveUp: ({ id }, reason) => diary.write('gave_up', path, diary.find(path)?.n ?? 0, id, plain(reason)),
    ...(intensity === undefined ? {} : { intensity }),
    ...(period === undefined ? {} : { periodMs: period * 1_000 }),
    ...(maxChildren === undefined ? {} : { maxChildren }),
  });
}

/**
 * Starts a supervisor. If its `init` comes to nothing, nothing is written; if it fails later, by a bad spec or by a child, it
 * has a `start` and a `down`.
 */
function startSupervisor(
  scene: Scene,
  self: Self<never>,
  spec: Spec,
  path: string,
  actor: Actor<never>,
  extra: readonly Json[] | undefined,
) {
  const { diary } = scene;
  const n = diary.attempt(path);
  const outcome = outcomeOf(spec, n);
  let isStarting = true;
  if (outcome.name === 'ignore') {
    diary.write('ignore', path, n);
    return ignore;
  }
  const clash = holdNames(scene, self, spec);
  if (clash !== undefined) throw exitWith(['already_started', clash]);
  if (outcome.name !== 'ok') {
    throw exitWith(outcome.name === 'bad' ? ['bad_return', failureOf(outcome)] : failureOf(outcome));
  }
  diary.begin({ path, n, spec, ref: self.ref });
  diary.write('start', path, n, ...(extra === undefined ? [] : [extra]));
  self.signal.addEventListener('abort', () => isStarting && diary.write('down', path, n, 'killed'));
  try {
    const starting = actor(self);
    return starting instanceof Promise ? starting.then(started, failed) : started(starting);
  } catch (error) {
    return failed(error);
  }

  function started<T>(behaviour: T): T {
    isStarting = false;
    return behaviour;
  }

  function failed(error: unknown): never {
    isStarting = false;
    const reason = refusalResult(reasonOf(error));
    diary.write('down', path, n, reason);
    throw exitWith(reason);
  }
}
