/**
 * Question: what do actors cost? Starts, memory when idle, messages, questions, look-ups, restarts, timers and stops, to be
 * held against what `bench/beam` measures of the BEAM on one scheduler in the same run.
 *
 * Run with `node --expose-gc bench/actor.bench.ts [--million]`; without `--expose-gc` memory is not measured.
 */
import { dynamicSupervisor, type DynamicSupervisorMessage } from '../src/actor/dynamic-supervisor.ts';
import { startChild } from '../src/actor/management.ts';
import { Registry } from '../src/actor/registry.ts';
import { supervisor } from '../src/actor/supervisor.ts';
import { createSystem, type System } from '../src/actor/system.ts';
import type { Actor, Behaviour, Ref, Reply, Self } from '../src/actor/types.ts';
import { systemClock } from '../src/clock.ts';

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

const figures: Figure[] = [];

function note(name: string, value: number, unit: string): void {
  figures.push({ name, value: Math.round(value), unit });
}

/** Repeats per second of what took since `start`. */
function perSecond(times: number, start: number): number {
  return (times / (performance.now() - start)) * 1_000;
}

async function spawn<M>(system: System, actor: Actor<M>): Promise<Ref<M>> {
  const spawned = await system.spawn(actor);
  if (spawned.ok !== true) throw new Error('did not start');
  return spawned.ref;
}

function newSystem(): System {
  return createSystem({ clock: systemClock() });
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** An actor with some state of its own and nothing to do. */
function idle(self: Self<never>): Behaviour<never> {
  let received = 0;
  return {
    receive() {
      received += 1;
      if (received < 0) self.stop();
    },
  };
}

async function fill(pool: Ref<DynamicSupervisorMessage>, children: number): Promise<void> {
  for (let n = 0; n < children; n += 1) await startChild(pool, { id: 'idle', start: idle });
}

async function dynamicChildren(children: number): Promise<void> {
  const system = newSystem();
  const pool = await spawn(system, dynamicSupervisor());
  const before = heapBytes();
  const start = performance.now();
  await fill(pool, children);
  note(`start_child, ${children} children`, perSecond(children, start), '/s');
  if (globalThis.gc !== undefined) note(`memory per idle child of ${children}`, (heapBytes() - before) / children, 'B');
  const stop = performance.now();
  system.exit(pool, 'shutdown');
  await system.ended(pool);
  note(`stop of ${children} children`, performance.now() - stop, 'ms');
  await system.idle();
  if (globalThis.gc !== undefined)
    note(`memory left behind per child of ${children}`, (heapBytes() - before) / children, 'B');
}

async function calls(times: number): Promise<void> {
  const ref = await spawn<Reply<number>>(newSystem(), () => ({ receive: (reply) => reply(1) }));
  const start = performance.now();
  for (let n = 0; n < times; n += 1) await ref.ask<number>((reply) => reply);
  note('ask, one caller', perSecond(times, start), '/s');
}

async function casts(times: number, burst: number): Promise<void> {
  const system = newSystem();
  let received = 0;
  const ref = await spawn<number>(system, () => ({ receive: (message) => void (received += message) }));
  const start = performance.now();
  for (let sent = burst; sent <= times; sent += burst) {
    for (let n = 0; n < burst; n += 1) ref.send(1);
    while (received < sent) await new Promise(setImmediate);
  }
  note(`send, bursts of ${burst}`, perSecond(times, start), '/s');
}

async function lookUps(times: number): Promise<void> {
  const system = newSystem();
  const registry = new Registry<string, never>();
  const keys = Array.from({ length: 100_000 }, (_, n) => `project-${n}`);
  const registering = performance.now();
  for (const key of keys) {
    await spawn<never>(system, (self) => {
      self.register(registry, key);
      return idle(self);
    });
  }
  note('spawn and register', perSecond(keys.length, registering), '/s');
  const start = performance.now();
  let found = 0;
  for (let n = 0; n < times; n += 1) if (registry.whereis(keys[n % keys.length] ?? '') !== undefined) found += 1;
  note('whereis of 100,000 keys', perSecond(found, start), '/s');
}

async function restarts(times: number): Promise<void> {
  const system = newSystem();
  let restarted: (ref: Ref<never>) => void = () => {};
  const start: Actor<never> = (self) => {
    restarted(self.ref);
    return { receive() {} };
  };
  const child = () => new Promise<Ref<never>>((resolve) => (restarted = resolve));
  let next = child();
  const children = [{ id: 'crasher', start }];
  await spawn(system, supervisor({ strategy: 'one_for_one', intensity: 100_000_000, children }));
  const startedAt = performance.now();
  for (let n = 0; n < times; n += 1) {
    const present = await next;
    next = child();
    system.exit(present, 'kill');
  }
  await next;
  note(`kill and restart, ${times} in a row`, perSecond(times, startedAt), '/s');
}

async function timers(times: number): Promise<void> {
  const numbers: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const ref = await spawn<'go'>(newSystem(), (self) => ({
    receive() {
      const arming = performance.now();
      for (let n = 0; n < times; n += 1) numbers.push(self.after(1e6 + ((n * 7_919) % 1e6), 'go'));
      const cancelling = performance.now();
      for (const timer of numbers) self.cancel(timer);
      note(`arm a timer, ${times} armed`, ((cancelling - arming) / times) * 1e6, 'ns');
      note(`cancel a timer, ${times} armed`, ((performance.now() - cancelling) / times) * 1e6, 'ns');
      resolve();
    },
  }));
  ref.send('go');
  await promise;
}

await dynamicChildren(10_000);
await dynamicChildren(100_000);
if (process.argv.includes('--million')) await dynamicChildren(1_000_000);
await calls(100_000);
await calls(500_000);
await casts(2_000_000, 1_000);
await casts(4_000_000, 2_000_000);
await lookUps(5_000_000);
for (const times of [1_000, 10_000, 100_000]) await restarts(times);
await timers(1_000_000);

if (process.argv.includes('--json') || process.env['CI']) console.log(JSON.stringify(figures));
else
  for (const { name, value, unit } of figures)
    console.log(`${name.padEnd(44)}${value.toLocaleString('en').padStart(14)} ${unit}`);
