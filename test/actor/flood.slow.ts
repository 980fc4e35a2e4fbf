import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Actor, Ref, Reply } from '../../src/actor/types.ts';

const messages = 1_000_000;
const samples = 1_000;
const limitMs = 50;

/** What an actor does with one message, from nothing to more than a turn of all actors takes. */
const works = [
  ['nothing', 0],
  ['0.1 ms of work', 0.1],
  ['5 ms of work', 5],
] as const;

for (const [name, workMs] of works) {
  test(`questions and sockets are served beside a million messages of ${name} each`, async (t) => {
    const system = createSystem({ clock: systemClock() });
    const flooded = await start(system, (self) => ({
      receive(message: number) {
        for (const until = performance.now() + workMs; workMs > 0 && performance.now() < until;);
        // The flood never ebbs.
        self.send(message);
      },
    }));
    const control = await start<Reply<string>>(system, () => ({ receive: (reply) => reply('here') }));
    const echo = await echoing(t);
    for (let n = 0; n < messages; n += 1) flooded.send(n);

    const asks = await delays(workMs, () => control.ask<string>((reply) => reply));
    const echoes = await delays(workMs, echo);
    t.diagnostic(`p99 of a question ${asks.toFixed(1)} ms, of a socket's echo ${echoes.toFixed(1)} ms`);
    assert.equal(system.inspect()[0]?.mailbox, messages);
    system.exit(flooded, 'kill');
    assert.ok(asks < limitMs && echoes < limitMs);
  });
}

async function start<M>(system: ReturnType<typeof createSystem>, actor: Actor<M>): Promise<Ref<M>> {
  const spawned = await system.spawn(actor);
  assert.ok(spawned.ok === true);
  return spawned.ref;
}

/** How long the slowest but one in a hundred took, in milliseconds. */
async function delays(workMs: number, run: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < (workMs > 1 ? samples / 5 : samples); n += 1) {
    const before = performance.now();
    await run();
    taken.push(performance.now() - before);
  }
  return taken.sort((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? Infinity;
}

/** Sends a byte through a socket and back. */
async function echoing(t: TestContext): Promise<() => Promise<unknown>> {
  const server = createServer((socket) => socket.pipe(socket)).listen(0);
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const socket = connect(address.port);
  t.after(() => {
    socket.destroy();
    server.close();
  });
  return async () => {
    const echoed = once(socket, 'data');
    socket.write('.');
    await echoed;
  };
}
