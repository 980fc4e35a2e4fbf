import { createInterface } from 'node:readline';
import { dynamicSupervisor, type DynamicSupervisorMessage } from '../../src/actor/dynamic-supervisor.ts';
import { startChild } from '../../src/actor/management.ts';
import { Registry } from '../../src/actor/registry.ts';
import { supervisor } from '../../src/actor/supervisor.ts';
import { createSystem, type System } from '../../src/actor/system.ts';
import type { Actor, Behaviour, Ref, Reply, Self } from '../../src/actor/types.ts';
import { systemClock } from '../../src/clock.ts';
import type { Figures } from './peer.ts';

/**
 * The kernel's side of beam.bench.ts: how each figure is taken, `times` being the number of repeats or of things. Each line of
 * input asks for one and is answered by a line of JSON.
 */
const figures: Readonly<Record<string, (times: number) => Promise<Figures>>> = {
  async start(children) {
    const system = newSystem();
    const pool = await spawn(system, dynamicSupervisor());
    const before = bytes();
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    await fill(pool, children);
    const perSecond = ratePerSecond(children, startedAt);
    const cpuUsEach = process.cpuUsage(cpuBefore).user / children;
    const bytesEach = (bytes() - before) / children;
    await end(system, pool);
    return { perSecond, cpuUsEach, bytesEach };
  },

  async stop(children) {
    const system = newSystem();
    const pool = await spawn(system, dynamicSupervisor());
    await fill(pool, children);
    globalThis.gc?.();
    const blocks = watchBlocks();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const startedAt = performance.now();
    await end(system, pool);
    const ms = performance.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { usEach: (ms / children) * 1_000, blockedMs: blocks.longestMs() };
  },

  async call(times) {
    const echo = await spawn<Reply<number>>(newSystem(), () => ({ receive: (reply) => reply(times) }));
    const startedAt = performance.now();
    for (let n = 0; n < times; n += 1) await echo.ask<number>((reply) => reply);
    return { perSecond: ratePerSecond(times, startedAt) };
  },

  async cast(times) {
    const echo = await spawn(newSystem(), counter);
    const startedAt = performance.now();
    for (let sent = 0; sent < times; sent += 1_000) {
      for (let n = 0; n < 1_000; n += 1) echo.send('add');
      await echo.ask<number>((reply) => reply);
    }
    return { perSecond: ratePerSecond(times, startedAt) };
  },

  async drain(messages) {
    const system = newSystem();
    const echo = await spawn(system, counter);
    system.suspend(echo);
    for (let n = 0; n < messages; n += 1) echo.send('add');
    const startedAt = performance.now();
    system.resume(echo);
    await echo.ask<number>((reply) => reply, Infinity);
    return { nsEach: nsEach(messages, startedAt) };
  },

  async lookUp(times) {
    const system = newSystem();
    const registry = new Registry<string, never>();
    const keys = Array.from({ length: 100_000 }, (_, n) => `project-${n}`);
    for (const key of keys) await spawn<never>(system, (self) => registered(self, registry, key));
    const startedAt = performance.now();
    let found = 0;
    for (let n = 0; n < times; n += 1) {
      if (registry.whereis(keys[(n * 7_919) % keys.length] ?? '') !== undefined) found += 1;
    }
    return { perSecond: ratePerSecond(found, startedAt) };
  },

  async restart(times) {
    const system = newSystem();
    let started: (ref: Ref<never>) => void = () => {};
    const crasher: Actor<never> = (self) => {
      started(self.ref);
      return { receive() {} };
    };
    const nextStart = () => new Promise<Ref<never>>((resolve) => (started = resolve));
    let next = nextStart();
    const children = [{ id: 'crasher', start: crasher }];
    const parent = await spawn(system, supervisor({ strategy: 'one_for_one', intensity: 100_000_000, children }));
    const startedAt = performance.now();
    for (let n = 0; n < times; n += 1) {
      const present = await next;
      next = nextStart();
      system.exit(present, 'kill');
    }
    await next;
    const perSecond = ratePerSecond(times, startedAt);
    await end(system, parent);
    return { perSecond };
  },

  async timer(timers) {
    const armer = await spawn<'due' | Reply<Figures>>(newSystem(), (self) => ({
      receive(message) {
        if (message === 'due') return;
        const numbers: number[] = [];
        const armingAt = performance.now();
        for (let n = 0; n < timers; n += 1) numbers.push(self.after(1e6 + ((n * 7_919) % 1e6), 'due'));
        const armNs = nsEach(timers, armingAt);
        const cancellingAt = performance.now();
        for (const number of numbers) self.cancel(number);
        message({ armNs, cancelNs: nsEach(timers, cancellingAt) });
      },
    }));
    return armer.ask<Figures>((reply) => reply, Infinity);
  },
};

function newSystem(): System {
  return createSystem({ clock: systemClock() });
}

async function spawn<M>(system: System, actor: Actor<M>): Promise<Ref<M>> {
  const spawned = await system.spawn(actor);
  if (spawned.ok !== true) throw new Error('did not start');
  return spawned.ref;
}

async function end(system: System, ref: Ref<never>): Promise<void> {
  system.exit(ref, 'shutdown');
  await system.ended(ref);
}

async function fill(pool: Ref<DynamicSupervisorMessage>, children: number): Promise<void> {
  for (let n = 0; n < children; n += 1) await startChild(pool, { id: 'idle', start: idle });
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

function registered(self: Self<never>, registry: Registry<string, never>, key: string): Behaviour<never> {
  self.register(registry, key);
  return idle(self);
}

/** Counts, and says how far it got. */
function counter(): Behaviour<'add' | Reply<number>> {
  let count = 0;
  return {
    receive(message) {
      if (message === 'add') count += 1;
      else message(count);
    },
  };
}

/** For how long the event loop came to nothing else, at most, until asked. */
function watchBlocks(): { longestMs(): number } {
  let [longest, last] = [0, performance.now()];
  const ticks = setInterval(look, 1);
  return {
    longestMs() {
      clearInterval(ticks);
      return longest;
    },
  };

  function look(): void {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
}

function bytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function ratePerSecond(times: number, startedAt: number): number {
  return (times / (performance.now() - startedAt)) * 1_000;
}

function nsEach(times: number, startedAt: number): number {
  return ((performance.now() - startedAt) / times) * 1e6;
}

for await (const line of createInterface(process.stdin)) {
  const [name = '', times] = line.split(' ');
  console.log(JSON.stringify(await figures[name]?.(Number(times))));
}
