import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FetchFailure } from '../../src/fetch/failure.ts';
import type { FetchOutcome } from '../../src/fetch/request.ts';
import { askRobots } from '../../src/fetch/robots/ask.ts';
import type { RobotsOutcome } from '../../src/fetch/robots/entry.ts';
import { isAllowed } from '../../src/fetch/robots/parse.ts';

const cost = { encodedBytes: 0, elapsedMs: 1 };

function page(text: string): FetchOutcome {
  const body = new Uint8Array(Buffer.from(text)).buffer;
  return {
    kind: 'page',
    page: { url: 'https://a.test/', status: 200, headers: {}, body, observedAt: 0, elapsedMs: 1, encodedBytes: 1 },
    setCookies: [],
  };
}

function redirect(url: string): FetchOutcome {
  return { kind: 'redirect', status: 301, url, cost, setCookies: [] };
}

function failure(failed: FetchFailure): FetchOutcome {
  return { kind: 'failure', failure: failed, cost, setCookies: [] };
}

/** Asks `https://a.test`, which gives these answers in turn. */
async function ask(...answers: FetchOutcome[]): Promise<{ outcome: RobotsOutcome; urls: string[] }> {
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
      const { outcome } = await ask(failure({ code: 'status', status }));
      assert.ok(outcome.kind === 'answered' && outcome.status === status && outcome.rules.rules.length === 0);
    });
  }

  for (const status of [304, 429, 500, 503, 599]) {
    test(`learns nothing by a ${status} but how long to wait`, async () => {
      const { outcome } = await ask(failure({ code: 'status', status, retryAfterMs: 9_000 }));
      assert.equal(outcome.kind, 'failed');
      assert.equal(outcome.kind === 'failed' && outcome.retryAfterMs, 9_000);
    });
  }

  test('learns nothing by a failure of the network, or of the body', async () => {
    const { outcome } = await ask(failure({ code: 'unreachable', cause: 'no such host' }));
    assert.deepEqual(outcome, { kind: 'failed', cause: 'no such host' });
    for (const failed of [
      { code: 'timeout', stage: 'headers', afterMs: 5 },
      { code: 'truncated', cause: 'x' },
      { code: 'too_large', limitBytes: 5 },
    ] as const) {
      assert.equal((await ask(redirect('https://b.test/'), failure(failed))).outcome.kind, 'failed');
    }
  });

  test('rejects when it was cancelled', async () => {
    await assert.rejects(ask(failure({ code: 'cancelled' })), /cancelled/);
  });
});
