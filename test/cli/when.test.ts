import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PlanView, TurnView } from '../../src/control/methods/schedule.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { hour, infeasible, minute, now, told } from './objective-views.ts';
import { run } from './terminal.ts';

const turn: TurnView = {
  dueAt: now + 5 * minute,
  target: 7,
  projects: ['solar'],
  source: 'shop',
  url: 'https://shop.example/solar',
  key: 'https://shop.example',
  by: 'interval',
};

describe('schedule', () => {
  test('shows one turn per line, and that there are more', async (t) => {
    const { path } = await serve(t, {
      'schedule.list': (params) => {
        assert.deepEqual(params, { by: 'time', limit: 2 });
        return { turns: [{ ...turn, dueAt: now - minute }, turn], more: true };
      },
    });
    const { out, err } = await run(['schedule', '--limit', '2', '--socket', path], { now, columns: 140 });
    assert.equal(
      out,
      `AT        IN     HOST                  SOURCE  PROJECT  TARGET  BY        URL
13:50:12  due    https://shop.example  shop    solar    7       interval  https://shop.example/solar
13:56:12  in 5m  https://shop.example  shop    solar    7       interval  https://shop.example/solar
`,
    );
    assert.match(err, /^more come later: --limit 4 shows some of them/);
  });

  test('asks for a host by an URL on it, for a source or a project, and for no more than a time from now', async (t) => {
    const { path } = await serve(t, {
      'schedule.list': (params) => {
        assert.deepEqual(params, {
          by: 'host',
          key: 'https://shop.example',
          source: 'shop',
          project: 'solar',
          before: now + 6 * hour,
          limit: 100,
        });
        return { turns: [], more: false };
      },
    });
    const words = ['--host', 'https://shop.example/solar', '--source', 'shop', '--project', 'solar', '--until', '6h'];
    const { out, err } = await run(['schedule', '--by', 'host', ...words, '--socket', path], { now });
    assert.deepEqual([out, err], ['', 'nothing is to come\n']);
  });
});

describe('schedule, where less is known', () => {
  test('says which day pays, what is left out and that nothing is scraped', async (t) => {
    const { path } = await serve(t, {
      'schedule.list': () => ({
        turns: [{ ...turn, by: 'tokens', dayOnly: true }],
        more: false,
        unloaded: ['kickfund'],
        paused: 'the daemon was started with --api-only',
      }),
    });
    const { out, err } = await run(['schedule', '--socket', path], { now });
    assert.equal(
      out,
      'AT\tIN\tHOST\tSOURCE\tPROJECT\tTARGET\tBY\tURL\n13:56:12\tin 5m\thttps://shop.example\tshop\tsolar\t7\ttokens, that day\thttps://shop.example/solar\n',
    );
    assert.equal(
      err,
      `nothing is scraped at present: the daemon was started with --api-only
targets on kickfund are left out: no definition of it is loaded, and nothing is asked until it is back
`,
    );
  });

  for (const limit of ['0', '1001'])
    test(`refuses --limit ${limit}`, async () => {
      const { status, err } = await run(['schedule', '--limit', limit]);
      assert.equal(status, 2);
      assert.match(err, /Expected a whole number from 1 to 1000/);
    });

  test('says no larger limit than there can be', async (t) => {
    const { path } = await serve(t, { 'schedule.list': () => ({ turns: [turn], more: true }) });
    const more = async (limit: string) => (await run(['schedule', '--limit', limit, '--socket', path], { now })).err;
    assert.equal(await more('600'), 'more come later: --limit 1000 shows some of them\n');
    assert.equal(await more('1000'), 'more come later\n');
  });
});

const plan: PlanView = {
  from: now,
  days: 2,
  hosts: 1,
  targets: 3,
  skipped: 1,
  requests: [18, 20],
  undone: [0, 0],
  overloaded: 0,
  pulses: 8,
  bytes: 12_345,
  peak: { at: now + hour, requests: 2 },
  objectives: { kept: 2, broken: 0, infeasible: 1, worstByMs: 0 },
  busiest: [
    {
      key: 'https://shop.example',
      targets: 3,
      requests: [18, 20],
      undone: [0, 0],
      pulses: 8,
      bytes: 12_345,
      peak: { at: now + hour, requests: 2 },
      longestWaitMs: 3_000,
      load: 0.1234,
      delayMs: 1_000,
      objectives: { kept: 2, broken: 0, infeasible: 1, worstByMs: 0 },
    },
  ],
  infeasible: [infeasible],
};

describe('plan', () => {
  test('says what it does not count where no whole page has an objective', async (t) => {
    const none = { kept: 0, broken: 0, infeasible: 0, worstByMs: 0 };
    const { path } = await serve(t, {
      'schedule.plan': () => ({ ...plan, objectives: none, busiest: [], infeasible: [] }),
    });
    const { out } = await run(['plan', '--socket', path], { now, columns: 120 });
    assert.match(
      out,
      /^objectives  none of whole pages; those of records in lists and crawls are named only where a host does not allow them$/m,
    );
  });

  test('shows requests, bytes, objectives and hosts, and what cannot be kept (P47)', async (t) => {
    const { path } = await serve(t, {
      'schedule.plan': (params) => {
        assert.deepEqual(params, { days: 2, from: Date.UTC(2026, 10, 22), prune: false });
        return plan;
      },
    });
    const words = ['plan', '--days', '2', '--from', '2026-11-22', '--socket', path];
    const { out } = await run(words, { now, columns: 120 });
    assert.equal(
      out,
      `2 days from 13:51:12 UTC: 3 targets on 1 host; 1 target left out, as no source is loaded for them
requests    38, 18 to 20 a day, 8 of them by pulses and re-checks; 12.3 kB by what scrapes brought so far
peak        2 requests in the minute of 14:51:12
objectives  2 kept, 1 cannot be kept: 75h could be

HOST                  TARGETS  REQUESTS/DAY  LOAD    DELAY  PEAK/MIN  LONGEST WAIT  BYTES    OBJECTIVES
https://shop.example  3        18–20         12.3 %  1s     2         3s            12.3 kB  2 kept, 1 cannot be kept

${told}
`,
    );
  });

  test('says by how much what comes late is missed, and no single figure where several could be promised', async (t) => {
    const { path } = await serve(t, {
      'schedule.plan': () => ({
        ...plan,
        objectives: { kept: 0, broken: 1, infeasible: 4, worstByMs: 2 * hour },
        infeasible: [infeasible, { ...infeasible, objectiveMs: hour }],
      }),
    });
    const { out } = await run(['plan', '--days', '2', '--socket', path], { now, columns: 120 });
    assert.match(out, /^objectives {2}0 kept, 1 broken by up to 2h, 4 cannot be kept$/m);
  });

  test('says what a host that is asked for more than it allows can do, and what comes late', async (t) => {
    const [shop = assert.fail()] = plan.busiest;
    const asked = { requests: [890_000, 880_000], undone: [25_000, 16_000] };
    const { path } = await serve(t, {
      'schedule.plan': () => ({
        ...plan,
        ...asked,
        overloaded: 1,
        busiest: [{ ...shop, ...asked, load: 890_000 / 864_000, delayMs: 100, peak: { at: now, requests: 600 } }],
        infeasible: [],
      }),
    });
    const { out } = await run(['plan', '--days', '2', '--socket', path], { now, columns: 120 });
    const lines = out.split('\n');
    assert.equal(
      lines[2],
      'late        41000 of them, 16000 to 25000 a day, or never: 1 host is asked for more than allowed',
    );
    assert.equal(
      lines.at(-2),
      'host https://shop.example is asked for 103 % of what it allows: 864000 requests a day at one in 100ms, so that of 1770000 41000 come late or never',
    );
  });

  test('a host that is asked for a little more than it allows is not told to be asked for just that', async (t) => {
    const [shop = assert.fail()] = plan.busiest;
    const asked = { requests: [864_010, 863_000], undone: [10, 0], load: 864_010 / 864_000, delayMs: 100 };
    const { path } = await serve(t, {
      'schedule.plan': () => ({ ...plan, overloaded: 1, busiest: [{ ...shop, ...asked }] }),
    });
    const { out } = await run(['plan', '--days', '2', '--socket', path], { now, columns: 120 });
    assert.match(out, /is asked for 100\.1 % of what it allows: .* so that of 1727010 10 come late or never$/m);
  });

  test('refuses to leave out what no file names', async () => {
    const { status, err } = await run(['plan', '--prune']);
    assert.deepEqual([status, err], [2, 'heronry: plan: --prune: expected --file beside it\n']);
  });

  test('sends a file that is about to be applied, with every word of its schedule', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(
      join(cwd, 'projects.yaml'),
      `- id: solar
  objectives: { errorAfter: 6h, fields: { price: { warnAfter: 1h } } }
  initialDelay: 5s
  targets:
    - { source: shop, url: "https://shop.example/1", every: 15m }
    - { source: shop, url: "https://shop.example/2", cron: "0 6 * * 1", zone: Europe/Berlin }
    - { source: shop, url: "https://shop.example/3", tokens: true }
    - { source: shop, url: "https://shop.example/4", continuous: { sleep: 0s, longest: 2h } }
    - { source: shop, url: "https://shop.example/5", objective: { warnAfter: 4h }, available: { hours: "06:00-08:00" } }
`,
    );
    let asked: unknown;
    const { path } = await serve(t, {
      'schedule.plan': ({ projects }) => {
        asked = projects;
        return plan;
      },
    });
    const { status } = await run(['plan', '-f', 'projects.yaml', '--prune', '--json', '--socket', path], { cwd, now });
    assert.equal(status, 0);
    assert.deepEqual(asked, [
      {
        id: 'solar',
        labels: [],
        multiplier: 1,
        initialDelayMs: 5_000,
        objectives: { errorAfterMs: 6 * hour, fields: { price: { warnAfterMs: hour } } },
        targets: [
          { source: 'shop', url: 'https://shop.example/1', everyMs: 15 * minute },
          { source: 'shop', url: 'https://shop.example/2', cron: '0 6 * * 1', zone: 'Europe/Berlin' },
          { source: 'shop', url: 'https://shop.example/3', tokens: { start: 1, cap: 4, perDay: 3, zone: 'UTC' } },
          { source: 'shop', url: 'https://shop.example/4', continuous: { sleepMs: 0, longestMs: 2 * hour } },
          {
            source: 'shop',
            url: 'https://shop.example/5',
            objective: { warnAfterMs: 4 * hour },
            available: [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 360, toMinute: 480, zone: 'UTC' }],
          },
        ],
      },
    ]);
  });
});
