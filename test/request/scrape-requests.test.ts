import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SentCredentials } from '../../src/request/sent-credentials.ts';
import { watchRequests } from '../../src/request/scrape-requests.ts';
import type { RequestIntent, RequestResult } from '../../src/request/intent.ts';
import { strangerAt } from '../../src/definition/source.ts';
import { requestOf } from '../../src/provider/requests.ts';

const asked: RequestResult = {
  outcome: { kind: 'redirect', location: 'http://h.test/', at: 0, elapsedMs: 0, bytes: 0 },
  generation: 0,
  wasAsked: true,
  waitedMs: 0,
};

test('a scrape with several requests waits again once the only one that had its turn is over', async () => {
  const told: boolean[] = [];
  const turns: (() => void)[] = [];
  const ask = watchRequests(
    async (wish) => {
      wish.waits?.(true);
      await new Promise<void>((resolve) => turns.push(resolve));
      wish.waits?.(false);
      return asked;
    },
    new SentCredentials(),
    (isWaiting) => void told.push(isWaiting),
  );
  const source = strangerAt('http://h.test/');
  const wishes = ['a', 'b'].map((name): RequestIntent => {
    const { limits, allowPrivate } = requestOf(source, `http://h.test/${name}`);
    return { step: { request: { url: `http://h.test/${name}`, limits, allowPrivate } }, source, dueAt: 0 };
  });
  const both = wishes.map((wish) => ask(wish, new AbortController().signal));
  turns[0]?.();
  await both[0];
  assert.deepEqual(told, [true, true, false, true]);
  turns[1]?.();
  await both[1];
  assert.deepEqual(told.slice(4), [false]);
});
