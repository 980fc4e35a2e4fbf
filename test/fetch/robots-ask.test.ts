import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { askRobots, type RobotsAnswer } from '../../src/fetch/robots/ask.ts';
import type { RobotsOutcome } from '../../src/fetch/robots/entry.ts';
import { isAllowed } from '../../src/fetch/robots/parse.ts';

function page(text: string): RobotsAnswer {
  return { kind: 'body', status: 200, body: new Uint8Array(Buffer.from(text)).buffer };
}

function redirect(url: string): RobotsAnswer {
  return { kind: 'redirect', url };
}

/** Asks `https://a.test`, which gives these answers in turn. */
async function ask(...answers: RobotsAnswer[]): Promise<{ outcome: RobotsOutcome; urls: string[] }> {
  const urls: string[] = [];
  const outcome = await askRobots('https://a.test', 'x', async (url) => {
    urls.push(url);
    return answers.shift() ?? assert.fail('asked once too often');
  });
  return { outcome, urls };
}

describe('asking for robots.txt', () => {
  test('brings its rules', async () => {
    const { outcome, urls } = await ask(page('user-agent: *\ndisallow: /a'));
    assert.deepEqual(urls, ['https://a.test/robots.txt']);
    assert.ok(outcome.kind === 'answered' && !isAllowed(outcome.rules, new URL('https://a.test/a')));
  });

  test('follows five redirects, to other hosts too', async () => {
    const hops = [1, 2, 3, 4, 5].map((at) => redirect(`http://b.test/${at}`));
    const { outcome, urls } = await ask(...hops, page(''));
    assert.equal(outcome.kind, 'answered');
    assert.equal(urls.at(-1), 'http://b.test/5');
  });

  test('follows no sixth redirect', async () => {
    const { outcome, urls } = await ask(...Array.from({ length: 6 }, () => redirect('https://a.test/robots.txt')));
    assert.deepEqual(outcome, { kind: 'failed', cause: 'redirected more than 5 times' });
    assert.equal(urls.length, 6);
  });

  for (const status of [400, 401, 403, 404, 410, 451, 499]) {
    test(`finds that there is none by a ${status}`, async () => {
      const { outcome } = await ask({ kind: 'status', status, cause: `answered with status ${status}` });
      assert.ok(outcome.kind === 'answered' && outcome.status === status && outcome.rules.rules.length === 0);
    });
  }

  for (const status of [304, 429, 500, 503, 599]) {
    test(`learns nothing by a ${status} but how long to wait`, async () => {
      const { outcome } = await ask({ kind: 'status', status, cause: 'not now', retryAfterMs: 9_000 });
      assert.equal(outcome.kind, 'failed');
      assert.equal(outcome.kind === 'failed' && outcome.retryAfterMs, 9_000);
    });
  }

  test('learns nothing by a failure of the network, or of the body', async () => {
    const failed = { kind: 'failed', cause: 'no such host' } as const;
    assert.deepEqual((await ask(failed)).outcome, failed);
    assert.deepEqual((await ask(redirect('https://b.test/'), failed)).outcome, failed);
  });

  test('rejects when an exchange does, as nothing was learned', async () => {
    const cancelled = Promise.reject(new Error('cancelled'));
    await assert.rejects(
      askRobots('https://a.test', 'x', () => cancelled),
      /cancelled/,
    );
  });
});
