import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { PlanView, TurnView } from '../../src/control/methods/schedule.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { hour, infeasible, minute, now, told } from './promised.ts';
import { run } from './terminal.ts';

const turn: TurnView = {
  dueAt: now + 5 * minute,
  target: 7,
  project: 'solar',
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

const plan: PlanView = {
  from: now,
  days: 2,
  hosts: 1,
  targets: 3,
  skipped: 1,
  requests: [18, 20],
  bytes: 12_345,
  peak: { at: now + hour, requests: 2 },
  objectives: { kept: 2, broken: 1, worstByMs: 2 * hour },
  busiest: [
    {
      key: 'https://shop.example',
      targets: 3,
      requests: [18, 20],
      bytes: 12_345,
      peak: { at: now + hour, requests: 2 },
      longestWaitMs: 3_000,
      load: 0.1234,
      delayMs: 1_000,
      concurrency: 1,
      objectives: { kept: 2, broken: 1, worstByMs: 2 * hour },
    },
  ],
  infeasible: [infeasible],
};

describe('plan', () => {
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
requests    38, 18 to 20 a day; 12.3 kB by what scrapes brought so far
peak        2 requests in the minute of 14:51:12
objectives  2 kept, 1 broken by up to 2h

HOST                  TARGETS  REQUESTS        LOAD    DELAY  PEAK/MIN  LONGEST WAIT  BYTES    OBJECTIVES
https://shop.example  3        18 to 20 a day  12.3 %  1s     2         3s            12.3 kB  2 kept, 1 broken by up t…

${told}
`,
    );
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
