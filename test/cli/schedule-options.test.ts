import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { hour, infeasible, minute, now, told } from './promised.ts';
import { run } from './terminal.ts';
import { project } from './views.ts';

describe('add', () => {
  const given: readonly (readonly [words: readonly string[], target: object])[] = [
    [['--every', '15m'], { everyMs: 15 * minute }],
    [['--cron', '0 6 * * 1', '--zone', 'Europe/Berlin'], { cron: '0 6 * * 1', zone: 'Europe/Berlin' }],
    [['--tokens'], { tokens: { start: 1, cap: 4, perDay: 3, zone: 'UTC' } }],
    [['--tokens', '--zone', 'Europe/Berlin'], { tokens: { start: 1, cap: 4, perDay: 3, zone: 'Europe/Berlin' } }],
    [['--continuous'], { continuous: true }],
    [['--continuous', '0s'], { continuous: { sleepMs: 0, longestMs: 6 * hour } }],
    [['--objective', '4h,6h'], { objective: { warnAfterMs: 4 * hour, errorAfterMs: 6 * hour } }],
  ];
  for (const [words, target] of given) {
    test(`takes ${words.join(' ')}`, async (t) => {
      let asked: unknown;
      const { path } = await serve(t, {
        'project.add': ({ targets }) => {
          asked = targets;
          return { ...project, targets: [] };
        },
      });
      const { status, err } = await run([
        'add',
        'solar',
        '-s',
        'shop',
        '-u',
        'https://shop.example/1',
        ...words,
        '--socket',
        path,
      ]);
      assert.equal(status, 0, err);
      assert.deepEqual(asked, [{ source: 'shop', url: 'https://shop.example/1', ...target }]);
    });
  }

  const refused: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [['--every', '1h', '--tokens'], /expected one of --every, .*, got --tokens beside --every/],
    [['--zone', 'Europe/Berlin'], /--zone: expected --cron or --tokens beside it/],
    [['--objective', 'often'], /Expected one or two durations such as 4h or 4h,6h/],
    [['--objective', '1h,2h,3h'], /Expected one or two durations/],
    [['--continuous', '-1h'], /unknown option|Expected a duration/],
  ];
  for (const [words, message] of refused) {
    test(`refuses ${words.join(' ')}`, async () => {
      const { status, err } = await run(['add', 'solar', '-u', 'https://shop.example/1', ...words]);
      assert.equal(status, 2);
      assert.match(err, message);
    });
  }

  test('warns of an objective that the host does not allow (P47)', async (t) => {
    const census = { count: 0, maxMs: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, shareWithin: 1, breaches: 0 };
    const { path } = await serve(t, {
      'project.add': () => project,
      'objective.report': ({ source }) => ({
        at: now,
        all: census,
        sources: [],
        next: [],
        infeasible: source === 'crowd' ? [infeasible] : [],
      }),
    });
    const words = ['add', 'solar', '-u', 'https://shop.example/1', '--objective', '1d', '--socket', path];
    assert.equal((await run(words)).err, `warning: ${told}\n`);
  });
});

test('validate warns of objectives that the hosts of its projects do not allow (P47)', async (t) => {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(
    join(cwd, 'sources', 'shop.yaml'),
    productSource('shop', 'url: "https://shop.example/{page}"').replace('delay: 1ms', 'delay: 2s'),
  );
  const list = (warnAfter: string): string =>
    Array.from({ length: 6 }, (_, at) => {
      const pages = Array.from(
        { length: 100 },
        (_each, page) => `    - { source: shop, params: { page: ${at}-${page} } }`,
      );
      return `- id: p${at}\n  objectives: { warnAfter: ${warnAfter} }\n  targets:\n${pages.join('\n')}\n`;
    }).join('');
  await writeFile(join(cwd, 'projects.yaml'), list('10m'));
  const warned = await run(['validate'], { cwd });
  assert.equal(warned.status, 0);
  assert.equal(
    warned.err.split('\n').find((line) => line.includes('objective')),
    'warning: source shop: an objective of 10m cannot be kept for 600 targets on https://shop.example: once round takes 20m, as it allows 300 requests in that time; the nearest that can be kept is 20m',
  );
  await writeFile(join(cwd, 'projects.yaml'), list('20m'));
  assert.ok(!(await run(['validate'], { cwd })).err.includes('objective'));
});
