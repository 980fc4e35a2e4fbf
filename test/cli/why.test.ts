import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReasonView, WhyView } from '../../src/control/methods/why.ts';
import { serve } from '../control/daemon.ts';
import { settingsOf, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { hour, minute, now } from './objective-views.ts';
import { run } from './terminal.ts';

/** What the daemon says of the reasons that these tests show. */
const texts: Partial<Record<ReasonView['by'], string>> = {
  interval: 'every 4h on its grid',
  objective: 'its objective, to be verified again in time',
  first: 'its first scrape, after the initial delay',
  manual: 'somebody asked for it',
  backoff: "its host's back-off",
  circuit: "its source's circuit, which is open",
  hours: 'the hours in which it may be asked',
};
const reason = (by: ReasonView['by'], rest: Omit<ReasonView, 'by' | 'text'>): ReasonView => ({
  by,
  ...rest,
  text: texts[by] ?? '',
});
const asks = (by: ReasonView['by'], at: number, decides = true) => reason(by, { at, effect: 'asks', decides });
const holds = (by: ReasonView['by'], at: number, decides = true) => reason(by, { at, effect: 'holds', decides });

const plain: WhyView = {
  target: 7,
  source: 'shop',
  url: 'https://shop.example/solar',
  status: 'active',
  conditions: [],
  dueAt: now + 12 * minute,
  because: [asks('interval', now + 12 * minute)],
  pace: { kind: 'interval', everyMs: 4 * hour, originAt: now - 4 * hour, phaseMs: 12 * minute },
  objectives: [],
  userAgent: 'Heronry/1.0',
  robots: { verdict: 'allowed', rule: 'Allow: /', crawlDelayMs: 5_000 },
};

describe('why', () => {
  const sentences: readonly (readonly [name: string, why: Partial<WhyView>, expected: string])[] = [
    ['an interval', {}, 'next at 14:03:12 UTC (in 12m): every 4h on its grid'],
    [
      'a hold',
      { because: [asks('interval', now + 7 * minute, false), holds('backoff', now + 12 * minute)] },
      "next at 14:03:12 UTC (in 12m): every 4h on its grid; held back from 13:58:12 by its host's back-off",
    ],
    [
      'one hold after another',
      {
        because: [
          asks('manual', now - minute, false),
          holds('circuit', now + 2 * minute, false),
          holds('hours', now + 12 * minute),
        ],
      },
      "next at 14:03:12 UTC (in 12m): somebody asked for it; held back from 13:50:12 by its source's circuit, which is open; held back from 13:53:12 by the hours in which it may be asked",
    ],
    [
      'an objective that comes before the interval',
      { because: [asks('objective', now + 12 * minute), asks('interval', now + hour, false)] },
      'next at 14:03:12 UTC (in 12m): its objective, to be verified again in time; every 4h on its grid would come at 14:51:12 UTC (in 1h)',
    ],
    [
      'what is overdue',
      { dueAt: now - 3 * minute, because: [asks('interval', now - 3 * minute)] },
      'due now, since 13:48:12 UTC (3m ago): every 4h on its grid',
    ],
    [
      'another day',
      { dueAt: now + 24 * hour, because: [asks('first', now + 24 * hour)] },
      'next at 2026-11-22 13:51:12 UTC (in 1d): its first scrape, after the initial delay',
    ],
    ['a scrape that runs', { running: 41 }, 'scrape 41 runs; next at 14:03:12 UTC (in 12m): every 4h on its grid'],
    [
      'tokens to come',
      { dueAt: undefined, because: [reason('tokens', { at: now + 12 * hour, effect: 'awaits', decides: false })] },
      'not due yet: the day that begins at 2026-11-22 01:51:12 UTC (in 12h) pays for its next scrape',
    ],
    [
      'hours that never come',
      { dueAt: undefined, because: [reason('hours', { effect: 'holds', decides: true })] },
      'not due: the hours in which it may be asked never come',
    ],
    [
      'no definition of its source',
      {
        dueAt: undefined,
        because: [asks('interval', now, false), reason('definition', { effect: 'holds', decides: true })],
      },
      'not due: no definition of its source is loaded, and nothing is asked until it is back',
    ],
    ['a finished one', { status: 'finished', dueAt: undefined, because: [] }, 'not due: it is finished'],
    [
      'a parked one',
      { status: 'parked', parked: { at: now, reason: '4 crashes', retryAt: now + minute, times: 1 } },
      'parked, tried again at 13:52:12 UTC (in 1m): 4 crashes',
    ],
  ];
  for (const [name, why, expected] of sentences) {
    test(`says it in a sentence: ${name}`, async (t) => {
      const shown = JSON.parse(JSON.stringify({ ...plain, ...why })) as WhyView;
      const { path } = await serve(t, {
        'project.why': ({ id }) => ({ id, status: 'active', at: now, targets: [shown] }),
      });
      const { out, status } = await run(['why', 'solar', '--socket', path], { now });
      assert.equal(status, 0);
      assert.equal(out.split('\n')[4], `  ${expected}`);
    });
  }

  test('shows all that has a say, and what scrapes have left to later ones: pace, freshness, host, circuit, session, user agent and robots.txt', async (t) => {
    const why: WhyView = {
      ...plain,
      conditions: ['circuit_open'],
      gaps: [{ page: 5, url: 'https://shop.example/solar?page=5', since: now - hour }],
      pagesLeft: 10_000,
      pace: {
        kind: 'tokens',
        tokens: 0.456,
        priority: 1.75,
        cap: 4,
        perDay: 3,
        zone: 'UTC',
        found: [1, 3],
        planned: [now + 12 * minute],
      },
      paceText: 'tokens: 0.46 of 4\u001B[31m',
      objectives: [
        { warnAfterMs: hour, lastVerifiedAt: now, isVerified: true, ageMs: 0, deadlineAt: now + hour, level: 'fresh' },
        {
          field: 'price\u001B[31m',
          warnAfterMs: hour,
          errorAfterMs: 2 * hour,
          lastVerifiedAt: now - 3 * hour,
          isVerified: true,
          ageMs: 3 * hour,
          deadlineAt: now - 2 * hour,
          level: 'error',
          sinceAt: now - 2 * hour,
          brokenAt: now - hour,
        },
        {
          field: 'state',
          errorAfterMs: 2 * hour,
          lastVerifiedAt: now - 3 * hour,
          isVerified: false,
          ageMs: 3 * hour,
          deadlineAt: now - hour,
          level: 'error',
          sinceAt: now - hour,
          brokenAt: now - hour,
        },
      ],
      host: {
        key: 'https://shop.example',
        nextAt: now + 5_000,
        hold: { kind: 'gap', delayMs: 5_000 },
        waiting: 2,
        delayMs: 5_000,
      },
      line: { before: 3, shut: { waitFor: 'circuit', until: now + minute } },
      circuit: { state: 'open', times: 1, nextAt: now + minute },
      session: { code: 'not_initialised', message: 'secret "SHOP" is missing' },
    };
    const { path } = await serve(t, { 'project.why': ({ id }) => ({ id, status: 'active', at: now, targets: [why] }) });
    const { out } = await run(['why', 'solar', '--target', '7', '--socket', path], { now });
    assert.equal(
      out,
      `solar

target 7  shop  active circuit_open
  https://shop.example/solar
  next at 14:03:12 UTC (in 12m): every 4h on its grid
  left out     what lay behind page 5 of the list 1h ago; the next scrapes read it
  to read      10000 pages or more of items left that the next scrapes read
  pace         tokens: 0.46 of 4
  freshness    verified 0ms ago; warns after 1h; to be verified by 14:51:12 UTC (in 1h)
  freshness    field price: verified 3h ago; warns after 1h, is broken after 2h; should have been by 11:51:12 UTC (2h ago), warn since 11:51:12 UTC (2h ago), error since 12:51:12 UTC (1h ago)
  freshness    field state: never verified, counted from its creation 3h ago; is broken after 2h; should have been by 12:51:12 UTC (1h ago), error since 12:51:12 UTC (1h ago)
  host         https://shop.example: can be asked in 5s (gap of 5s); a pause of 5s as a rule; 2 wait
  turn         in line behind 3 others, which waits for the circuit of its source until 13:52:12 UTC (in 1m)
  circuit      open, as most of its targets failed; tried again in 1m
  session      not_initialised: secret "SHOP" is missing
  asked as     Heronry/1.0
  robots.txt   allowed, by "Allow: /", crawl-delay 5s
`,
    );
  });
});

test('why says that a project is archived, or that nothing at all is scraped', async (t) => {
  let paused: string | undefined = 'no room on the disk';
  const { path } = await serve(t, {
    'project.why': ({ id }) =>
      paused === undefined
        ? { id, status: 'archived', at: now, targets: [{ ...plain, dueAt: undefined, because: [] }] }
        : { id, status: 'active', at: now, paused, targets: [plain] },
  });
  const lines = async () => (await run(['why', 'solar', '--socket', path], { now })).out.split('\n');
  const [, note, , , , next] = await lines();
  assert.equal(note, 'nothing is scraped at present: no room on the disk');
  assert.equal(next, '  would be next at 14:03:12 UTC (in 12m): every 4h on its grid');
  paused = undefined;
  const [heading, , target, , sentence] = await lines();
  assert.equal(heading, 'solar  archived');
  assert.equal(target, 'target 7  shop  archived');
  assert.equal(sentence, '  not due: its project is archived');
});

test('tells of a real daemon what it did and what it will do', async (t) => {
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const sources = { shop: productSource('shop') };
  const { pass, track, socket, clock } = await startTimed(t, { sources, settings: settingsOf({}) });
  await track('a', { source: 'shop', url: site.url('/a'), everyMs: 10 * minute });
  const why = async (): Promise<string> =>
    (await run(['why', 'a', '--socket', socket], { now: clock.now() })).out.split('\n')[4]?.trim() ?? '';
  assert.equal(await why(), 'next at 00:00:01 UTC (in 1s): its first scrape, after the initial delay');
  await pass(2_000);
  assert.equal(await why(), 'next at 00:10:01 UTC (in 9m 59s): every 10m on its grid');
  site.answer('/a', { status: 429, headers: { 'retry-after': '1800' } });
  await pass(10 * minute);
  assert.equal(
    await why(),
    "next at 00:40:01 UTC (in 29m): every 10m on its grid; held back from 00:20:01 by its host's back-off",
  );
});
