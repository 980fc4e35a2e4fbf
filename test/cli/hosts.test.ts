import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostView } from '../../src/control/methods/host.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now } from './views.ts';

const idle: HostView = {
  key: 'https://idle.example',
  sources: [],
  waiting: 0,
  next: [],
  open: 0,
  nextAt: now - 5_000,
  delayMs: 5_000,
  failures: 0,
  backOffStep: 0,
};

const busy: HostView = {
  key: 'https://shop.example',
  sources: [
    {
      id: 'shop',
      delayMs: 1_000,
      concurrency: 1,
      robots: 'obey',
      robotsTxt: {
        origin: 'https://shop.example',
        askedAt: now - 180_000,
        askAt: now + 60_000,
        status: 200,
        rules: 2,
        crawlDelayMs: 5_000,
        unreachable: { cause: 'no answer', times: 2 },
      },
      circuit: { state: 'open', times: 2, nextAt: now + 90_000 },
    },
    { id: 'ads', delayMs: 1_500, concurrency: 4, robots: 'ignore', userAgent: 'Ads/\u001B[31m1.0' },
  ],
  waiting: 7,
  next: [{ source: 'shop', dueAt: now - 60_000 }, { dueAt: now }],
  open: 1,
  nextAt: now + 7_200_000,
  hold: { kind: 'retry_after', capped: true },
  delayMs: 1_500,
  latencyMs: 210,
  failures: 3,
  backOffStep: 2,
  retryAfter: { until: now + 7_200_000, capped: true },
};

describe('hosts', () => {
  test('shows a line per host: its next turn, and why not sooner', async (t) => {
    const { path } = await serve(t, { 'host.list': () => ({ hosts: [idle, busy] }) });
    const { out } = await run(['hosts', '--socket', path], { columns: 160, now });
    assert.equal(
      out,
      `HOST                  SOURCES    NEXT   WHY                  BACK-OFF  WAITING  OPEN  DELAY  LATENCY  ROBOTS
https://idle.example  –          now    –                    –         0        0     5s     –        –
https://shop.example  shop, ads  in 2h  Retry-After, capped  step 2    7        1     1.5s   210ms    unreachable, ignored
`,
    );
  });

  test('goes on until it has all', async (t) => {
    const asked: unknown[] = [];
    const { path } = await serve(t, {
      'host.list': (params) => {
        asked.push(params);
        return { hosts: [idle], ...(asked.length < 3 && { next: `key ${asked.length}` }) };
      },
    });
    assert.equal(JSON.parse((await run(['hosts', '--json', '--socket', path])).out).length, 3);
    assert.deepEqual(asked, [{ limit: 1_000 }, { limit: 1_000, after: 'key 1' }, { limit: 1_000, after: 'key 2' }]);
  });

  test('shows all that is known of one', async (t) => {
    const { path } = await serve(t, { 'host.list': () => ({ hosts: [busy] }) });
    const { out } = await run(['hosts', 'https://shop.example', '--socket', path], { columns: 100, now });
    assert.equal(
      out,
      `https://shop.example
  next         in 2h: Retry-After, capped
  delay        1.5s as a rule
  open         1 request
  waiting      7: shop due 1m ago, robots.txt or a log-in due now, …
  latency      210ms, the last
  failures     3 in a row, back-off at step 2
  Retry-After  ends in 2h; it asked for more than the 24h that are honoured
source shop
  definition   a pause of 1s, 1 request at a time
  robots.txt   obeyed: asked 3m ago, status 200, 2 rules, crawl-delay 5s, unreachable 2 times since: no answer, again in 1m
  circuit      open, as most of its targets failed, 2 times in a row; tried again in 1m 30s
source ads
  definition   a pause of 1.5s, 4 requests at a time
  robots.txt   ignored
  user agent   Ads/1.0
`,
    );
  });

  test('finds a host by an URL on it, and says so when nothing is known of it', async (t) => {
    const { path } = await serve(t, {
      'host.list': ({ key }) => ({ hosts: key === 'https://shop.example' ? [busy] : [] }),
    });
    const found = await run(['hosts', 'https://shop.example/a?b', '--json', '--socket', path]);
    assert.equal(JSON.parse(found.out).key, 'https://shop.example');
    const { status, err } = await run(['hosts', 'nosuch', '--socket', path]);
    assert.deepEqual({ status, err }, { status: 3, err: 'heronry: nothing is known of a host "nosuch"\n' });
  });

  for (const [hold, text] of [
    [{ kind: 'gap', delayMs: 1_500 }, 'gap of 1.5s'],
    [{ kind: 'crawl_delay', delayMs: 9_000 }, 'crawl-delay of 9s'],
    [{ kind: 'throttle', delayMs: 3_000 }, 'throttle of 3s'],
    [{ kind: 'retry_after', capped: false }, 'Retry-After'],
    [{ kind: 'back_off', step: 2 }, 'back-off, step 2'],
    [{ kind: 'concurrency' }, 'as many under way as may be'],
    [{ kind: 'unsent' }, 'one under way is not sent yet'],
    [{ kind: 'circuit' }, 'circuit open'],
  ] as const) {
    test(`tells "${text}" as the reason to wait`, async (t) => {
      const { path } = await serve(t, { 'host.list': () => ({ hosts: [{ ...idle, hold }] }) });
      const { out } = await run(['hosts', '--socket', path], { now });
      assert.equal(out.split('\n')[1]?.split('\t')[3], text);
    });
  }
});
