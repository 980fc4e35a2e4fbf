import { lifeAt } from '../../../src/actor/address.ts';
import {
  type ChildMessage,
  countChildren,
  deleteChild,
  getChildSpec,
  type ManagementMessage,
  restartChild,
  startChild,
  terminateChild,
  type TerminateByRef,
  whichChildren,
} from '../../../src/actor/management.ts';
import { viewLife } from '../../../src/actor/inspect.ts';
import type { LifeView } from '../../../src/actor/report.ts';
import { lifeOf } from '../../../src/actor/self.ts';
import { spawn, spawnLink } from '../../../src/actor/spawn.ts';
import type { Ref } from '../../../src/actor/types.ts';
import { heldBy } from './actions.ts';
import { idOf, type Incarnation, plain } from './diary.ts';
import { childResult, endResult, startResult } from './results.ts';
import { type Action, type Json, type Spec, type Step, textOf } from './scenario.ts';
import { addressOf, lifeNamed, type Scene, type ValuedRegistry } from './scene.ts';
import { asReason, whyOf } from './script.ts';
import { childSpecOf } from './specs.ts';
import type { WorkerMessage } from './worker.ts';

/** What one step does, and its result. */
type Operation = (scene: Scene, step: Step) => Json | Promise<Json>;

type Supervisor = Ref<ManagementMessage | ChildMessage | TerminateByRef>;

/** A process that is no relation of anyone. */
const other: Ref<never> = { id: 'other', send() {}, ask: () => Promise.reject(new Error('nobody')) };

export const operations: Record<string, Operation> = {
  start_child: toSupervisor(async (scene, sup, { child }, { path, spec }) => {
    const pool = spec.type === 'dynamic' ? spec : undefined;
    const result = await startChild(sup, childSpecOf(scene, child as Spec, path, pool));
    return childResult(scene, result, pool !== undefined);
  }),
  async terminate_child(scene, step) {
    const sup = lifeNamed(scene, step.sup ?? 'root');
    if (sup?.spec.type !== 'dynamic') return terminateById(scene, step);
    const child = scene.diary.find(`${sup.path}/${textOf(step.id)}`);
    if (child === undefined) return 'no_such_target';
    return attempt(async () => endResult(await terminateChild(sup.ref, child.ref)));
  },
  delete_child: toSupervisor(async (_, sup, { id }) => endResult(await deleteChild(sup, idOf(id)))),
  restart_child: toSupervisor(async (scene, sup, { id }) =>
    childResult(scene, await restartChild(sup, idOf(id)), false),
  ),
  get_childspec: toSupervisor(async (_, sup, { id }) => {
    const spec = await getChildSpec(sup, idOf(id));
    if (!spec.ok) return ['error', spec.code];
    const { start: _start, ...fields } = spec.spec;
    return ['ok', { ...fields, id: plain(fields.id) }];
  }),
  which_children: toSupervisor(async ({ diary }, sup, _, { spec }) => {
    const children = await whichChildren(sup);
    const rows = children.map(({ id, type, child }) => {
      const shown = child === 'stopped' ? 'undefined' : child;
      return [plain(id), typeof shown === 'string' ? shown : diary.nameOf(shown.id), type] as const;
    });
    if (spec.type !== 'dynamic') return rows;
    return rows.map(([, child, type]) => [child, type]).sort(byText);
  }),
  count_children: toSupervisor(async (_, sup) => (await countChildren(sup)) as unknown as Json),

  exit: (scene, step) =>
    toLiving(scene, step, (life) => {
      if (life.spec.type === undefined) return tell(life, [['stop', step.reason ?? 'normal']]);
      return stop(scene, step);
    }),
  crash: (scene, step) => toLiving(scene, step, (life) => tell(life, [['raise', step.reason ?? null]])),
  kill: (scene, step) => toLiving(scene, step, ({ ref }) => signal(scene, ref, 'kill')),
  signal(scene, step) {
    const life = lifeNamed(scene, step.target ?? '');
    return life === undefined ? 'no_such_target' : signal(scene, life.ref, step.reason ?? 'normal', other);
  },
  parent_exit(scene, step) {
    const root = scene.diary.find('root');
    if (root === undefined) return 'no_such_target';
    return signal(scene, root.ref, step.reason ?? 'normal', scene.driver.ref);
  },
  stop,

  spawn(scene, { actor, link }) {
    if (actor === undefined) throw new Error('spawn of nothing');
    const startable = scene.startable(actor, actor.id);
    const driver = lifeOf(scene.driver);
    const started = link ? spawnLink(driver, startable, actor.id) : spawn(driver.kernel, startable, actor.id);
    return startResult(scene, started);
  },
  call: (scene, step) =>
    ask(scene, step, (ref) =>
      ref.ask<Json>((reply) => ({ type: 'call', message: step.msg ?? null, reply }), step.timeout),
    ),
  cast: (scene, step) => send(scene, step, (ref) => ref.send({ type: 'cast', message: step.msg ?? null })),
  info: (scene, step) => send(scene, step, (ref) => ref.send({ type: 'info', message: step.msg ?? null })),
  post: (scene, step) => send(scene, step, (ref) => ref.send({ type: 'do', actions: step.actions ?? [] })),
  async do(scene, step) {
    const results = await ask(scene, step, (ref) =>
      ref.ask<Json>((reply) => ({ type: 'do', actions: step.actions ?? [], reply }), step.timeout),
    );
    return Array.isArray(results) && results[0] === 'reply' ? results[1] : results;
  },
  alive: (scene, { target = '' }) => isAlive(lifeNamed(scene, target)),
  whereis(scene, { target = '' }) {
    const life = lifeNamed(scene, target);
    return isAlive(life) ? scene.diary.nameOf(life.ref.id) : null;
  },
  open({ gates }, { gate = '' }) {
    gates.open(gate);
    return 'ok';
  },
  inspect(scene, { target = 'root' }) {
    const life = lifeAt(addressOf(scene, target));
    return life === undefined ? 'no_such_target' : [...rowsOf(scene, viewLife(life))];
  },
  sleep: ({ clock }, { ms = 0 }) => new Promise((resolve) => clock.at(clock.monotonic() + ms, () => resolve('ok'))),

  reg_lookup(scene, { reg, key = '' }) {
    const { lives, values } = registryOf(scene, reg);
    const holder = lives.whereis(key);
    return holder === undefined ? [] : [[scene.diary.nameOf(holder.id), values.get(key) ?? null]];
  },
  reg_keys: (scene, { reg, target = '' }) => keysOf(scene, reg, target as string).sort(),
  reg_values(scene, { reg, key = '', target = '' }) {
    const isHeld = keysOf(scene, reg, target as string).includes(key);
    return isHeld ? [registryOf(scene, reg).values.get(key) ?? null] : [];
  },
  reg_count: (scene, { reg }) => registryOf(scene, reg).lives.size,
  reg_register(scene, { reg, key = '', value = null }) {
    const { lives, values } = registryOf(scene, reg);
    const holder = heldBy(() => scene.driver.register(lives, key));
    if (holder !== undefined) return ['error', ['already_registered', scene.diary.nameOf(holder)]];
    values.set(key, value);
    return 'ok';
  },
  reg_unregister(scene, { reg, key = '' }) {
    scene.driver.unregister(registryOf(scene, reg).lives, key);
    return 'ok';
  },
};

/** An operation on a supervisor: a call that never times out. */
function toSupervisor(
  run: (scene: Scene, sup: Supervisor, step: Step, life: Incarnation) => Promise<Json>,
): (scene: Scene, step: Step) => Json | Promise<Json> {
  return (scene, step) => {
    const life = lifeNamed(scene, step.sup ?? 'root');
    if (life === undefined) return typeof step.sup === 'string' ? 'no_such_target' : ['exit', 'noproc'];
    return attempt(() => run(scene, life.ref, step, life));
  };
}

async function attempt(run: () => Promise<Json>): Promise<Json> {
  try {
    return await run();
  } catch (error) {
    return ['exit', whyOf(error)];
  }
}

const terminateById = toSupervisor(async (_, sup, { id }) => endResult(await terminateChild(sup, idOf(id))));

function toLiving(scene: Scene, { target = '' }: Step, run: (life: Incarnation) => Json | Promise<Json>) {
  const life = lifeNamed(scene, target);
  if (life === undefined) return 'no_such_target';
  return isAlive(life) ? run(life) : 'noproc';
}

function isAlive(life: Incarnation | undefined): life is Incarnation {
  return lifeAt(life?.ref)?.hasEnded === false;
}

/** Has a worker do something in its turn. */
function tell({ ref }: Incarnation, actions: readonly Action[]): Json {
  (ref as Ref<WorkerMessage>).send({ type: 'do', actions });
  return 'ok';
}

function signal({ system }: Scene, ref: Ref<never>, reason: Json, from?: Ref<never>): Json {
  system.exit(ref, asReason(reason), from);
  return 'ok';
}

function stop(scene: Scene, { target = '', reason = 'normal', timeout }: Step): Json | Promise<Json> {
  const ref = addressOf(scene, target);
  if (ref === undefined) return 'no_such_target';
  return attempt(async () => {
    await scene.system.stop(ref, asReason(reason), timeout);
    return 'ok';
  });
}

function ask(scene: Scene, { target = '' }: Step, question: (ref: Ref<WorkerMessage>) => Promise<Json>) {
  const ref = addressOf(scene, target);
  return ref === undefined ? 'no_such_target' : attempt(async () => ['reply', await question(ref)]);
}

function send(scene: Scene, { target = '' }: Step, run: (ref: Ref<WorkerMessage>) => void): Json {
  const ref = addressOf(scene, target);
  if (ref === undefined) return 'no_such_target';
  run(ref);
  return 'ok';
}

function registryOf({ registries }: Scene, name = ''): ValuedRegistry {
  const registry = registries.get(name);
  if (registry === undefined) throw new Error(`no such registry: ${name}`);
  return registry;
}

function keysOf(scene: Scene, registry: string | undefined, target: string): string[] {
  const { lives } = registryOf(scene, registry);
  const ref = addressOf(scene, target);
  return [...lives.keys()].filter((key) => lives.whereis(key) === ref);
}

/** A life and those below it, one row each: who, state, messages that wait, restarts, and how its last life ended. */
function* rowsOf(scene: Scene, view: LifeView): Generator<Json> {
  const { id, name, state, mailbox, restarts, lastExit, children } = view;
  const who = scene.diary.byId(id) === undefined ? plain(name) : scene.diary.nameOf(id);
  yield [who, state, mailbox, restarts, plain(lastExit ?? null)];
  for (const child of children) yield* rowsOf(scene, child);
}

/** Orders rows as their text is. */
function byText(a: readonly string[], b: readonly string[]): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
