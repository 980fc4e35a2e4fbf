// Run with --expose-gc. Prints how large the heap is, in bytes after collection, early and late in a long time of the
// kernel's work named by the argument, as one line of JSON.
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { dynamicSupervisor } from '../../src/actor/dynamic-supervisor.ts';
import { startChild, terminateChild } from '../../src/actor/management.ts';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Actor, Ref, Self } from '../../src/actor/types.ts';

const system = createSystem({ clock: systemClock() });

/** Amounts of work: the smaller one fills what is pooled and compiled, the larger one must not add to it. */
const plans: Readonly<Record<string, () => Promise<readonly number[]>>> = {
  messages: () => measure([1_000_000, 10_000_000], sendMessages),
  starts: () => measure([100_000, 1_000_000], startAndStop),
};

async function measure(counts: readonly number[], work: (count: number) => Promise<void>): Promise<readonly number[]> {
  const sizes: number[] = [];
  let done = 0;
  for (const count of counts) {
    await work(count - done);
    done = count;
    await system.idle();
    sizes.push(await heapBytes());
  }
  return sizes;
}

/** Two actors send messages to and fro, in bursts that fill their mailboxes. */
async function sendMessages(count: number): Promise<void> {
  const burst = 1_000;
  const sink = await spawn<number>(() => ({ receive() {} }));
  const relay = await spawn<number>(() => ({ receive: (message) => sink.send(message) }));
  for (let sent = 0; sent < count / 2; sent += burst) {
    for (let n = 0; n < burst; n += 1) relay.send(n);
    await turn();
  }
}

/** Children that use all there is: a key, a timer, a monitor, a task, the signal; half of them crash at their end. */
async function startAndStop(count: number): Promise<void> {
  const registry = new Registry<number, string>();
  const watched = await spawn<string>(() => ({ receive() {} }));
  const pool = await spawn(dynamicSupervisor({ intensity: 0, budget: 'per_child' }));
  for (let n = 0; n < count; n += 1) {
    const start = (self: Self<string>) => {
      self.register(registry, n);
      self.after(3_600_000, 'late');
      self.monitor(watched, () => 'down');
      self.task((signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)), String);
      return {
        receive(): never {
          throw new Error('boom');
        },
      };
    };
    const started = await startChild(pool, { id: 'child', start });
    if (started.ok !== true) throw new Error('it did not start');
    if (n % 2 === 0) await terminateChild(pool, started.ref);
    else {
      registry.whereis(n)?.send('crash');
      await system.ended(started.ref);
    }
  }
  system.exit(pool, 'kill');
  system.exit(watched, 'kill');
}

async function spawn<M>(actor: Actor<M>): Promise<Ref<M>> {
  const spawned = await system.spawn(actor);
  if (spawned.ok !== true) throw new Error('it did not start');
  return spawned.ref;
}

/** The heap after collections, with turns between them in which what was weakly held is let go. */
async function heapBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new Error('run it with --expose-gc');
  for (let n = 0; n < 5; n += 1) {
    globalThis.gc();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}

console.log(JSON.stringify(await plans[process.argv[2] ?? '']?.()));
