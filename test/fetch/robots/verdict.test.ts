import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { longestRetryAfterMs } from '../../../src/fetch/ledger/ledger.ts';
import {
  askRobots,
  crawlDelayMs,
  describeRefusal,
  isSpentEntry,
  knownVerdict,
  lastAnswerServesMs,
  robotsAfter,
  type RobotsAnswer,
  type RobotsEntry,
  type RobotsOutcome,
  type RobotsVerdict,
  verdict,
} from '../../../src/fetch/robots/verdict.ts';
import { noRules, parseRobots } from '../../../src/fetch/robots/parse.ts';
import { isAllowed } from './is-allowed.ts';

const minuteMs = 60_000;
const dayMs = 24 * 3_600_000;
const open = new URL('https://a.test/open');
const closed = new URL('https://a.test/closed');
const text = 'user-agent: *\ndisallow: /closed\ncrawl-delay: 7';
const answered: RobotsOutcome = { kind: 'answered', status: 200, rules: parseRobots(text, 'x') };
const absent: RobotsOutcome = { kind: 'answered', status: 404, rules: noRules('x') };
const failed: RobotsOutcome = { kind: 'failed', cause: 'connection refused' };

function after(entry: RobotsEntry | undefined, outcome: RobotsOutcome, now: number): RobotsEntry {
  return robotsAfter(entry, outcome, now, 0.5);
}

describe('what is known of a robots.txt', () => {
  test('is nothing at first, so it is asked for, except for itself', () => {
    assert.equal(verdict(undefined, open, 0), 'ask');
    assert.equal(verdict(undefined, new URL('https://a.test/robots.txt'), 0), 'allowed');
  });

  test('decides for a day', () => {
    const entry = after(undefined, answered, 0);
    assert.equal(verdict(entry, open, dayMs - 1), 'allowed');
    assert.deepEqual(verdict(entry, closed, dayMs - 1), { refused: { code: 'disallowed', rule: 'Disallow: /closed' } });
    assert.equal(verdict(entry, open, dayMs), 'ask');
    assert.equal(crawlDelayMs(entry, 0), 7_000);
  });

  test('is for a day that everything is allowed where there is none', () => {
    const entry = after(undefined, absent, 0);
    assert.equal(verdict(entry, closed, dayMs - 1), 'allowed');
    assert.equal(verdict(entry, closed, dayMs), 'ask');
  });

  test('refuses everything while it was never answered, and is asked for again after a minute', () => {
    const entry = after(undefined, failed, 1_000);
    const refused = { code: 'robots_unreachable', cause: 'connection refused', askAt: 61_000 };
    assert.deepEqual(verdict(entry, open, 60_999), { refused });
    assert.equal(verdict(entry, new URL('https://a.test/robots.txt'), 1_000), 'allowed');
    assert.equal(verdict(entry, open, 61_000), 'ask');
    assert.equal(crawlDelayMs(entry, 1_000), undefined);
  });

  test('is asked for after twice as long with each failure, up to an hour', () => {
    const pauses: number[] = [];
    let entry: RobotsEntry | undefined;
    for (let times = 0; times < 9; times += 1) {
      entry = after(entry, failed, 0);
      pauses.push(entry.askAt / minuteMs);
    }
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
    assert.equal(after(after(entry, answered, 0), failed, 0).askAt, minuteMs);
  });

  test('is not asked for before the origin wishes, up to a day', () => {
    assert.equal(after(undefined, { ...failed, retryAfterMs: 5 * minuteMs }, 0).askAt, 5 * minuteMs);
    assert.equal(after(undefined, { ...failed, retryAfterMs: 1_000 }, 0).askAt, minuteMs);
    assert.equal(after(undefined, { ...failed, retryAfterMs: 1e15 }, 0).askAt, longestRetryAfterMs);
  });

  for (const [what, outcome, isOpen] of [
    ['rules', answered, false],
    ['its absence', absent, true],
  ] as const) {
    test(`still decides by ${what} while the origin only fails, for 30 days`, () => {
      let entry = after(undefined, outcome, 0);
      for (let at = dayMs; at < lastAnswerServesMs; at += dayMs) {
        assert.equal(verdict(entry, closed, at), 'ask');
        entry = after(entry, failed, at);
        assert.equal(verdict(entry, closed, at) === 'allowed', isOpen);
        assert.equal(verdict(entry, open, at), 'allowed');
      }
      const late = knownVerdict(entry, open, lastAnswerServesMs);
      assert.equal(late === 'allowed' ? undefined : late.refused.code, 'robots_unreachable');
      assert.equal(after(entry, failed, lastAnswerServesMs).answer, undefined);
    });
  }

  test('is asked for again when the wall clock was set back, but not for a little', () => {
    const entry = after(undefined, answered, 10 * dayMs);
    assert.equal(verdict(entry, open, 10 * dayMs - 2_000), 'allowed');
    assert.equal(verdict(entry, open, 10 * dayMs - 2_001), 'ask');
  });

  test('need not be kept once it can decide nothing', () => {
    const entry = after(undefined, answered, 0);
    assert.equal(isSpentEntry(entry, lastAnswerServesMs - 1), false);
    assert.equal(isSpentEntry(entry, lastAnswerServesMs), true);
    assert.equal(isSpentEntry(after(undefined, failed, 0), minuteMs - 1), false);
    assert.equal(isSpentEntry(after(undefined, failed, 0), minuteMs), true);
  });

  test('survives being written as JSON', () => {
    const entry = after(after(undefined, answered, 0), failed, 1);
    assert.deepEqual(JSON.parse(JSON.stringify(entry)), entry);
  });

  test('refuses as its site is told to have failed, until it was answered', () => {
    const entry = after(undefined, { ...failed, site: 'unreachable' }, 0);
    const refused = (known: RobotsVerdict | 'ask') => (typeof known === 'string' ? known : known.refused);
    const first = { code: 'robots_unreachable', cause: 'connection refused', site: 'unreachable', askAt: minuteMs };
    assert.deepEqual(refused(verdict(entry, open, 1)), first);
    const later = after(entry, failed, minuteMs);
    assert.deepEqual(refused(verdict(later, open, minuteMs)), {
      code: 'robots_unreachable',
      cause: 'connection refused',
      askAt: 3 * minuteMs,
    });
  });

  test('is told in a sentence', () => {
    assert.equal(
      describeRefusal({ code: 'disallowed', rule: 'Disallow: /a' }),
      'robots.txt refuses it: "Disallow: /a"',
    );
    assert.equal(
      describeRefusal({ code: 'robots_unreachable', cause: 'answered with status 500', askAt: 0 }),
      'robots.txt: answered with status 500; nothing may be asked until it was read',
    );
  });
});

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
