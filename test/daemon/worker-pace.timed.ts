import assert from 'node:assert/strict';
import { test } from 'node:test';
import { politeSource } from './polite/support.ts';
import { forEachQueueServer, openHeldPages } from './worker-cluster.ts';

const politeness = 'autoThrottle: false, concurrency: 64, delay: 0ms, minDelay: 0ms';
const sources = { shop: politeSource('shop', { politeness }) };

forEachQueueServer('steps that worker processes share through', { sources }, (cluster) => {
  test('of 1 s each take eight of them 8 s on one worker process, and less than 3 s on four (S3)', async (t) => {
    const { client, track, completed, work } = await cluster();
    const tookMs = async (word: string): Promise<number> => {
      const pages = await openHeldPages(t, 8);
      pages.answerAll(1_000);
      await client.call('schedule.pause', { source: 'shop' });
      await track(word, 'shop', pages.urls);
      await client.call('schedule.resume', { source: 'shop' });
      await completed(word, 8);
      return pages.tookMs;
    };
    await work(t, 1);
    const alone = await tookMs('alone');
    await Promise.all([1, 2, 3].map(() => work(t, 1)));
    const together = await tookMs('together');
    assert.ok(alone >= 8_000 && together < 3_000, `${alone} ms on one, ${together} ms on four`);
  });
});
