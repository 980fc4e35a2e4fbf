import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Channel } from '../../../src/engine/bullmq/channel.ts';
import { BrokenSeal, Cluster } from '../../../src/engine/bullmq/cluster.ts';
import type { RelayedMessage } from '../../../src/engine/bullmq/queue-server.ts';
import { ServerTime } from '../../../src/engine/bullmq/server-time.ts';

const second = 1_000;

/** A channel whose messages are passed on by hand, by the time of a clock that is set. */
async function open(key = 1) {
  let now = 1_000_000;
  const time = new ServerTime(
    () => Promise.resolve(now),
    () => now,
  );
  await time.measure();
  const published: RelayedMessage[] = [];
  let pass: (message: RelayedMessage) => void = () => undefined;
  const relay = {
    publish: async (topic: string, data: string) => void published.push({ topic, data }),
    subscribe: async (_: string, listener: typeof pass) => void (pass = listener),
  };
  const cluster = new Cluster({ name: 'c', version: '1', key: new Uint8Array(32).fill(key) });
  const channel = new Channel(relay, cluster, time);
  const told: unknown[] = [];
  const refused: unknown[] = [];
  await channel.hear('order', 'w1', {
    told: (_, message) => told.push(message),
    refused: (error) => refused.push(error),
  });
  return {
    ...{ channel, published, told, refused },
    pass: (index: number) => pass(published[index] ?? assert.fail()),
    passAs: (index: number, topic: string) => pass({ ...(published[index] ?? assert.fail()), topic }),
    later: (ms: number) => void (now += ms),
  };
}

describe('a message between a daemon and a worker process', () => {
  test('is heard once, whoever sends it again', async () => {
    const { channel, pass, told } = await open();
    await channel.tell('order', 'w1', 'a');
    pass(0);
    pass(0);
    assert.deepEqual(told, ['a']);
  });

  test('is heard also where another one has overtaken it', async () => {
    const { channel, pass, told } = await open();
    await channel.tell('order', 'w1', 'a');
    await channel.tell('order', 'w1', 'b');
    pass(1);
    pass(0);
    assert.deepEqual(told, ['b', 'a']);
  });

  test('is not heard any more after half a minute, for the first or the second time', async () => {
    const { channel, pass, told, later } = await open();
    await channel.tell('order', 'w1', 'a');
    await channel.tell('order', 'w1', 'b');
    pass(0);
    later(31 * second);
    pass(0);
    pass(1);
    assert.deepEqual(told, ['a']);
  });

  test('leaves nothing behind once it is too old, and is still not heard again', async () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    const heapBytes = (): number => {
      // What the first collection ends is gone with the second.
      for (let times = 0; times < 2; times += 1) if (typeof collect === 'function') collect();
      return process.memoryUsage().heapUsed;
    };
    const { channel, pass, told, later } = await open();
    const count = 8_000;
    for (let index = 0; index < count; index += 1) await channel.tell('order', 'w1', '');
    const before = heapBytes();
    for (let index = 0; index < count; index += 1) pass(index);
    assert.equal(told.length, count);
    later(31 * second);
    channel.forgetOld();
    pass(count - 1);
    assert.equal(told.length, count);
    told.length = 0;
    // Each number takes some 30 bytes.
    const more = heapBytes() - before;
    assert.ok(more < 10 * count, `${more} bytes`);
  });

  test('is refused for another worker process than it was sealed for', async () => {
    const { channel, passAs, told, refused } = await open();
    await channel.tell('order', 'w1', 'a');
    passAs(0, 'order.w2');
    assert.deepEqual(told, []);
    assert.ok(refused[0] instanceof BrokenSeal);
  });
});
