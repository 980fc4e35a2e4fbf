import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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

  test('is refused for another worker process than it was sealed for', async () => {
    const { channel, passAs, told, refused } = await open();
    await channel.tell('order', 'w1', 'a');
    passAs(0, 'order.w2');
    assert.deepEqual(told, []);
    assert.ok(refused[0] instanceof BrokenSeal);
  });
});
