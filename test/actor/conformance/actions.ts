import { AlreadyRegistered, CallError } from '../../../src/actor/errors.ts';
import { Via } from '../../../src/actor/registry.ts';
import { lifeOf } from '../../../src/actor/self.ts';
import { spawn, spawnLink } from '../../../src/actor/spawn.ts';
import type { Ref } from '../../../src/actor/types.ts';
import { type Player, newTurn, type Turn } from './player.ts';
import type { Action, Json, Spec, Target } from './scenario.ts';
import { addressOf, sleep, waitAt } from './scene.ts';
import { asReason, exitWith, play, type Script, whyOf } from './script.ts';
import { startResult } from './results.ts';
import type { WorkerMessage } from './worker.ts';

/** What one action does. What it answers is one of the results of the turn; many have nothing to say. */
type Act = (turn: Turn, ...details: never[]) => Json | void | Promise<Json | void>;

const acts: Record<string, Act> = {
  reply: (turn, value: Json) => void (turn.reply = { value }),
  reply_early: ({ caller }, value: Json) => caller?.(value),
  defer: ({ player, caller }, slot: string) => void (caller && player.callers.set(slot, caller)),
  reply_to: ({ player }, slot: string, value: Json) => player.callers.get(slot)?.(value),
  reply_kv: (turn, key: string) => void (turn.reply = { value: turn.player.state.get(key) ?? null }),
  set: ({ player }, key: string, value: Json) => void player.state.set(key, value),
  incr: ({ player }, key: string) => void player.state.set(key, Number(player.state.get(key) ?? 0) + 1),

  stop: (turn, reason: Json) => void (turn.stop = { reason }),
  continue: (turn, tag: Json) => void (turn.continueWith = tag),
  timeout: (turn, ms: number) => void (turn.silenceMs = ms),
  hibernate() {},
  raise: (_, reason: Json) => fail(['error', reason]),
  exit: (_, reason: Json) => fail(reason),
  bad_return: (_, value: Json) => fail(['bad_return_value', value]),

  sleep: ({ player: { scene, self } }, ms: number) => sleep(scene, self, ms),
  gate: ({ player: { scene, self }, isBeside }, gate: string) =>
    isBeside ? scene.gates.pass(gate) : waitAt(scene, self, gate),
  log: ({ player }, value: Json) => log(player, value),

  send: ({ player }, target: Target, message: Json) => to(player, target)?.send({ type: 'info', message }),
  cast: ({ player }, target: Target, message: Json) => to(player, target)?.send({ type: 'cast', message }),
  async call({ player }, target: Target, message: Json, timeoutMs?: number) {
    const outcome = await call(player, target, message, timeoutMs);
    return outcome[0] === 'reply' ? outcome[1] : fail(outcome[1]);
  },
  async try_call({ player }, target: Target, message: Json, timeoutMs?: number) {
    const outcome = await call(player, target, message, timeoutMs);
    log(player, ['call', message, outcome]);
    return outcome;
  },

  link: ({ player }, target: Target) => link(player, target),
  unlink: ({ player }, target: Target) => withTarget(player, target, (ref) => player.self.unlink(ref)),
  monitor: ({ player }, target: Target) => monitor(player, target, presentAt(player, target)),
  monitor_name: ({ player }, name: string) => monitor(player, ['name', name], player.scene.names.via(name)),
  demonitor({ player }, target: Target, flush: string | readonly string[] = []) {
    const number = player.monitors.get(JSON.stringify(target)) ?? -1;
    player.self.demonitor(number, flush.includes('flush') ? 'flush' : undefined);
    return true;
  },
  exit_signal: ({ player: { scene, self }, player }, target: Target, reason: Json) =>
    withTarget(player, target, (ref) => scene.system.exit(ref, asReason(reason), self.ref)),
  trap({ player: { self } }, isOn: boolean) {
    if (isOn) self.trapExit((exit) => ({ type: 'exited', exit }));
    else self.untrapExit();
  },
  spawn: ({ player: { scene, self } }, spec: Spec) =>
    startResult(scene, spawn(lifeOf(self).kernel, scene.startable(spec, spec.id), spec.id)),
  spawn_link: ({ player: { scene, self } }, spec: Spec) =>
    startResult(scene, spawnLink(lifeOf(self), scene.startable(spec, spec.id), spec.id)),

  register: ({ player }, registry: string, key: string, value: Json) => register(player, registry, key, value),
  unregister({ player: { scene, self } }, registry: string, key: string) {
    const lives = scene.registries.get(registry)?.lives;
    if (lives !== undefined) self.unregister(lives, key);
    return 'ok';
  },
  register_name({ player: { scene, self } }, name: string) {
    if ([...scene.names.keys()].some((each) => scene.names.whereis(each) === self.ref)) return 'badarg';
    return heldBy(() => self.register(scene.names, name)) === undefined ? true : 'badarg';
  },
  unregister_name({ player: { scene, self } }, name: string) {
    if (scene.names.whereis(name) !== self.ref) return 'badarg';
    self.unregister(scene.names, name);
    return true;
  },

  send_after({ player: { scene, timers }, player }, target: Target, message: Json, ms: number, slot: string) {
    const ref = to(player, target);
    const timer = scene.clock.at(scene.clock.monotonic() + ms, () => ref?.send({ type: 'info', message }));
    timers.set(slot, () => scene.clock.cancel(timer));
  },
  cancel: ({ player }, slot: string) => (player.timers.get(slot)?.() ? 'cancelled' : false),

  task({ player }, message: Json, actions: readonly Action[]) {
    const run = async () => play(perform(newTurn(player, undefined, true), actions));
    player.self.task(run, () => ({ type: 'info', message }));
  },
  stray({ player: { scene } }, reason: Json) {
    scene.system.blame(exitWith(['error', reason]));
  },
  on_abort({ player }, value: Json) {
    player.self.signal.addEventListener('abort', () => log(player, value));
  },
  after({ player: { self, timers } }, ms: number, message: Json, slot: string) {
    const timer = self.after(ms, { type: 'info', message });
    timers.set(slot, () => self.cancel(timer));
  },
};

/** Does one thing after the other, until one fails or the life has ended. */
export function* perform(turn: Turn, actions: readonly Action[]): Script<void> {
  for (const [name, ...details] of actions) {
    const act = acts[name];
    if (act === undefined) throw new Error(`no such action: ${name}`);
    const doing = act(turn, ...(details as never[]));
    const result = doing instanceof Promise ? ((yield doing) as Json | undefined) : doing;
    if (turn.player.self.signal.aborted && !turn.isBeside) return;
    if (result !== undefined) turn.results.push(result);
  }
}

/** Does what no caller waits for. */
export function performAlone(player: Player, actions: readonly Action[]): Script<void> {
  return perform(newTurn(player), actions);
}

/** Registers a life; the answer is who holds the key already, if someone does. */
export function heldBy(register: () => void): string | undefined {
  try {
    register();
    return undefined;
  } catch (error) {
    if (error instanceof AlreadyRegistered) return error.holder;
    throw error;
  }
}

function register({ scene, self }: Player, name: string, key: string, value: Json): Json {
  const registry = scene.registries.get(name);
  if (registry === undefined) throw new Error(`no such registry: ${name}`);
  const holder = heldBy(() => self.register(registry.lives, key));
  if (holder !== undefined) return ['error', ['already_registered', scene.diary.nameOf(holder)]];
  registry.values.set(key, value);
  return 'ok';
}

async function call(
  player: Player,
  target: Target,
  message: Json,
  timeoutMs?: number,
): Promise<['reply' | 'exit', Json]> {
  const ref = to(player, target);
  if (ref === undefined) return ['exit', 'no_such_target'];
  try {
    return ['reply', await ref.ask<Json>((reply) => ({ type: 'call', message, reply }), timeoutMs)];
  } catch (error) {
    return ['exit', ['call', whyOf(error)]];
  }
}

function link(player: Player, target: Target): Json {
  try {
    return withTarget(player, target, (ref) => player.self.link(ref));
  } catch (error) {
    if (error instanceof CallError) return error.code;
    throw error;
  }
}

function monitor({ self, monitors }: Player, target: Target, ref: Ref<never> | undefined): Json {
  if (ref === undefined) return 'no_such_target';
  monitors.set(
    JSON.stringify(target),
    self.monitor(ref, (down) => ({ type: 'down', down })),
  );
  return 'ref';
}

function withTarget(player: Player, target: Target, run: (ref: Ref<WorkerMessage>) => void): Json {
  const ref = presentAt(player, target);
  if (ref === undefined) return 'no_such_target';
  run(ref);
  return true;
}

function to({ scene, self }: Player, target: Target): Ref<WorkerMessage> | undefined {
  return addressOf(scene, target, self);
}

/** The address that a target means now: for a name that of its holder, as OTP looks names up before it links or monitors. */
function presentAt(player: Player, target: Target): Ref<WorkerMessage> | undefined {
  const ref = to(player, target);
  return ref instanceof Via ? ((ref as Via<unknown, WorkerMessage>).holder ?? ref) : ref;
}

function log({ scene, path, n }: Player, value: Json): void {
  scene.diary.write('log', path, n, value);
}

function fail(reason: Json): never {
  throw exitWith(reason);
}
