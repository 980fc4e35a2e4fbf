import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../../src/clock.ts';
import { openRobotsDesk, type RobotsDesk, type RobotsDeskDeps } from '../../../src/fetch/robots/desk.ts';
import type { RobotsEntry, RobotsOutcome } from '../../../src/fetch/robots/verdict.ts';
import { parseRobots } from '../../../src/fetch/robots/parse.ts';

const dayMs = 24 * 3_600_000;
const failed: RobotsOutcome = { kind: 'failed', cause: 'no such host' };

function answered(text: string): RobotsOutcome {
  return { kind: 'answered', status: 200, rules: parseRobots(text, 'x') };
}

/** One time that an origin was asked; the test answers. */
interface Asked extends PromiseWithResolvers<RobotsOutcome> {
  readonly origin: string;
  readonly signal: AbortSignal;
}

function openDesk(options: Partial<RobotsDeskDeps> = {}, saved = new Map<string, RobotsEntry>()) {
  const clock = new VirtualClock(1_000_000);
  const asked: Asked[] = [];
  const loads: string[] = [];
  const desk = openRobotsDesk({
    clock,
    productToken: 'X/1.0',
    random: () => 0.5,
    ask(origin, signal) {
      const answer = { origin, signal, ...Promise.withResolvers<RobotsOutcome>() };
      asked.push(answer);
      return answer.promise;
    },
    load(origin) {
      loads.push(origin);
      return saved.get(origin);
    },
    save: (origin, entry) => void saved.set(origin, entry),
    ...options,
  });
  return { desk, clock, asked, loads, saved };
}

function mayAsk(desk: RobotsDesk, url: string, signal = new AbortController().signal) {
  return desk.mayAsk(url, signal);
}

describe('the desk for robots.txt', () => {
  test('asks an origin once, however many want to know, and remembers', async () => {
    const { desk, asked, saved } = openDesk();
    const verdicts = ['/a', '/b', '/a?c'].map((path) => mayAsk(desk, `https://a.test${path}`));
    asked[0]?.resolve(answered('user-agent: x\ndisallow: /a\ncrawl-delay: 3'));
    const refused = { refused: { code: 'disallowed', rule: 'Disallow: /a' } };
    assert.deepEqual(await Promise.all(verdicts), [refused, 'allowed', refused]);
    assert.equal(await mayAsk(desk, 'https://a.test/b'), 'allowed');
    assert.deepEqual(
      asked.map(({ origin }) => origin),
      ['https://a.test'],
    );
    assert.equal(desk.crawlDelayMs('https://a.test'), 3_000);
    assert.equal(desk.entry('https://a.test'), saved.get('https://a.test'));
  });

  test('asks each scheme, host and port by itself', () => {
    const { desk, asked } = openDesk();
    const urls = [
      'https://a.test/',
      'http://a.test/',
      'https://a.test:444/',
      'https://b.a.test/',
      'https://A.test:443/',
    ];
    for (const url of urls) void mayAsk(desk, url);
    assert.deepEqual(
      asked.map(({ origin }) => origin),
      ['https://a.test', 'http://a.test', 'https://a.test:444', 'https://b.a.test'],
    );
  });

  test('asks nobody whether robots.txt itself may be asked', async () => {
    const { desk, asked } = openDesk();
    assert.equal(await mayAsk(desk, 'https://a.test/robots.txt'), 'allowed');
    assert.equal(asked.length, 0);
  });

  test('asks again after a day, and takes the last answer while the origin fails', async () => {
    const { desk, asked, clock } = openDesk();
    const first = mayAsk(desk, 'https://a.test/a');
    asked[0]?.resolve(answered(''));
    assert.equal(await first, 'allowed');
    clock.advance(dayMs);
    const second = mayAsk(desk, 'https://a.test/a');
    asked[1]?.resolve(failed);
    assert.equal(await second, 'allowed');
    assert.equal(await mayAsk(desk, 'https://a.test/a'), 'allowed');
    clock.advance(60_000);
    void mayAsk(desk, 'https://a.test/a');
    assert.equal(asked.length, 3);
  });

  test('refuses what it cannot know, and does not ask again at once', async () => {
    const { desk, asked, clock } = openDesk();
    const verdict = mayAsk(desk, 'https://a.test/a');
    asked[0]?.resolve(failed);
    const refused = { code: 'robots_unreachable', cause: 'no such host', askAt: clock.now() + 60_000 };
    assert.deepEqual(await verdict, { refused });
    assert.deepEqual(await mayAsk(desk, 'https://a.test/b'), { refused });
    assert.equal(asked.length, 1);
  });

  test('knows after a restart what it knew before', async () => {
    const before = openDesk();
    const verdict = mayAsk(before.desk, 'https://a.test/a');
    before.asked[0]?.resolve(answered('user-agent: *\ndisallow: /a'));
    await verdict;
    const { desk, asked } = openDesk({}, before.saved);
    assert.notEqual(await mayAsk(desk, 'https://a.test/a'), 'allowed');
    assert.equal(asked.length, 0);
  });

  test('does not take what was read for another product token', async () => {
    const before = openDesk();
    const verdict = mayAsk(before.desk, 'https://a.test/a');
    before.asked[0]?.resolve(answered(''));
    await verdict;
    const { desk, asked } = openDesk({ productToken: 'y' }, before.saved);
    void mayAsk(desk, 'https://a.test/a');
    assert.equal(asked.length, 1);
  });

  test('lets one leave without disturbing the others', async () => {
    const { desk, asked } = openDesk();
    const leaving = new AbortController();
    const first = mayAsk(desk, 'https://a.test/a', leaving.signal);
    const second = mayAsk(desk, 'https://a.test/a');
    leaving.abort(new Error('left'));
    await assert.rejects(first, /^Error: left$/);
    assert.equal(asked[0]?.signal.aborted, false);
    asked[0]?.resolve(answered(''));
    assert.equal(await second, 'allowed');
  });

  test('gives up asking when the last one leaves, and remembers nothing of it', async () => {
    const { desk, asked, saved } = openDesk();
    const leaving = new AbortController();
    const first = mayAsk(desk, 'https://a.test/a', leaving.signal);
    leaving.abort(new Error('left'));
    await assert.rejects(first, /left/);
    assert.equal(asked[0]?.signal.aborted, true);
    const second = mayAsk(desk, 'https://a.test/a');
    asked[0]?.resolve(failed);
    asked[1]?.resolve(answered(''));
    assert.equal(await second, 'allowed');
    assert.equal(saved.size, 1);
  });

  test('asks nobody for one who had left before', async () => {
    const { desk, asked } = openDesk();
    await assert.rejects(mayAsk(desk, 'https://a.test/a', AbortSignal.abort(new Error('left'))), /left/);
    assert.equal(asked.length, 0);
  });

  test('passes an error on to all who wait, and asks anew for the next', async () => {
    const { desk, asked, saved } = openDesk();
    const waiting = [mayAsk(desk, 'https://a.test/a'), mayAsk(desk, 'https://a.test/b')];
    asked[0]?.reject(new Error('broken'));
    for (const each of waiting) await assert.rejects(each, /broken/);
    assert.equal(saved.size, 0);
    const next = mayAsk(desk, 'https://a.test/a');
    asked[1]?.resolve(answered(''));
    assert.equal(await next, 'allowed');
  });

  test('keeps no more origins in memory than it may, those used last', async () => {
    const { desk, asked, loads } = openDesk({ maxOrigins: 2 });
    await learn(desk, asked, 'a', 'b');
    await mayAsk(desk, 'https://a.test/');
    await learn(desk, asked, 'c');
    loads.length = 0;
    for (const host of ['a', 'c', 'b']) await mayAsk(desk, `https://${host}.test/`);
    assert.deepEqual(loads, ['https://b.test']);
    assert.equal(asked.length, 3);
  });

  test('keeps no more bytes in memory than it may', async () => {
    const { desk, asked, loads } = openDesk({ maxBytes: 100_000 });
    await learn(desk, asked, 'a');
    const big = mayAsk(desk, 'https://big.test/');
    asked[1]?.resolve(answered(`user-agent: *\ndisallow: /${'b'.repeat(49_700)}`));
    assert.equal(await big, 'allowed');
    loads.length = 0;
    assert.equal(await mayAsk(desk, 'https://a.test/'), 'allowed');
    assert.deepEqual(loads, ['https://a.test']);
    assert.equal(asked.length, 2);
  });
});

/** Lets the desk learn, one after another, that these hosts have no rules. */
async function learn(desk: RobotsDesk, asked: readonly Asked[], ...hosts: readonly string[]): Promise<void> {
  for (const host of hosts) {
    const verdict = mayAsk(desk, `https://${host}.test/`);
    asked.at(-1)?.resolve(answered(''));
    await verdict;
  }
}
