import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FetchOutcome } from '../../src/fetch/request.ts';
import { createPost } from '../../src/publish/post.ts';
import { Slots } from '../../src/publish/slots.ts';

test('the time of a delivery is that of its request, without its wait for a slot', async () => {
  let time = 0;
  const clock = { now: () => time, monotonic: () => time };
  const answers: (() => void)[] = [];
  const client = {
    async fetchPage(): Promise<FetchOutcome> {
      const { promise, resolve } = Promise.withResolvers<void>();
      answers.push(resolve);
      await promise;
      return { kind: 'failure', failure: { code: 'status', status: 500 }, cost: { status: 500 } } as FetchOutcome;
    },
  };
  const post = createPost({ client, clock, sink: 'team', slots: new Slots(1) });
  const { signal } = new AbortController();
  const request = { headers: {}, body: '{}', allowPrivate: true, signal };
  const both = [post('http://127.0.0.1/', request), post('http://127.0.0.1/', request)];
  time = 5_000;
  answers[0]?.();
  const first = await both[0];
  time = 5_010;
  answers[1]?.();
  const second = await both[1];
  assert.deepEqual([first?.ms, second?.ms], [5_000, 10]);
});
