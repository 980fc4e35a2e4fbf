import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { allKept, hour, infeasible, minute, told } from './objective-views.ts';
import { run } from './terminal.ts';
import { project } from './views.ts';

describe('add', () => {
  const given: readonly (readonly [words: readonly string[], target: object])[] = [
    [['--every', '15m'], { everyMs: 15 * minute }],
    [['--cron', '0 6 * * 1', '--zone', 'Europe/Berlin'], { cron: '0 6 * * 1', zone: 'Europe/Berlin' }],
    [['--tokens'], { tokens: { start: 1, cap: 4, perDay: 3, zone: 'UTC' } }],
    [['--tokens', '--zone', 'Europe/Berlin'], { tokens: { start: 1, cap: 4, perDay: 3, zone: 'Europe/Berlin' } }],
    [['--continuous'], { continuous: true }],
    [['--continuous', '0s'], { continuous: { sleepMs: 0 } }],
    [['--objective', '4h,6h'], { objective: { warnAfterMs: 4 * hour, errorAfterMs: 6 * hour } }],
  ];
  for (const [words, target] of given) {
    test(`takes ${words.join(' ')}`, async (t) => {
      let asked: unknown;
      const { path } = await serve(t, {
        ...allKept,
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

  for (const [word, multiplier] of [
    ['1.5', 1.5],
    ['.5', 0.5],
    ['2', 2],
  ] as const)
    test(`takes --multiplier ${word}`, async (t) => {
      let asked: unknown;
      const { path } = await serve(t, {
        ...allKept,
        'project.add': (params) => {
          asked = params.multiplier;
          return { ...project, targets: [] };
        },
      });
      const words = ['--multiplier', word, '--socket', path];
      const { status, err } = await run(['add', 'solar', '-u', 'https://shop.example/1', ...words]);
      assert.deepEqual([status, asked], [0, multiplier], err);
    });

  test('warns that nobody asks while nothing is scraped', async (t) => {
    const { path } = await serve(t, {
      ...allKept,
      'project.add': () => ({ ...project, targets: [], paused: 'the daemon was started with --api-only' }),
    });
    const { status, err } = await run(['add', 'solar', '-u', 'https://shop.example/1', '--socket', path]);
    assert.equal(status, 0);
    assert.equal(err, 'warning: nothing is scraped at present: the daemon was started with --api-only\n');
  });

  const refused: readonly (readonly [words: readonly string[], message: RegExp])[] = [
    [['--every', '1h', '--tokens'], /expected one of --every, .*, got --tokens beside --every/],
    [['--zone', 'Europe/Berlin'], /--zone: expected --cron or --tokens beside it/],
    [['--objective', 'often'], /Expected one or two durations such as 4h or 4h,6h/],
    [['--objective', '1h,2h,3h'], /Expected one or two durations/],
    [['--objective', '6h,4h'], /Expected a warning before the error, such as 4h,6h/],
    [['--objective', '1ms'], /Expected a duration of 1s at least/],
    [['--objective', '1h,400d'], /Expected a duration of 366d at most/],
    [['--continuous', '-1h'], /unknown option|Expected a duration/],
    [['--continuous', '1ms'], /Expected 0s or a duration of 1s at least/],
    [['--every', '1ms'], /Expected a duration of 1s at least/],
    [['--every', '0.5s'], /Expected a duration such as 90s, 15m, 6h or 1d\.$/m],
    [['--continuous', '0.5s'], /Expected a duration such as 0s, 90s, 15m, 6h or 1d\.$/m],
    [['--multiplier', '0'], /Expected a number above 0, up to 100/],
    [['--multiplier', '0x10'], /Expected a number above 0/],
    [['--multiplier', '101'], /Expected a number above 0, up to 100/],
  ];
  for (const [words, message] of refused) {
    test(`refuses ${words.join(' ')}`, async () => {
      const { status, err } = await run(['add', 'solar', '-u', 'https://shop.example/1', ...words]);
      assert.equal(status, 2);
      assert.match(err, message);
    });
  }

  test('warns of an objective that the host does not allow (P47)', async (t) => {
    const { path } = await serve(t, { 'project.add': () => ({ ...project, infeasible: [infeasible] }) });
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
    'warning: source shop: an objective of 10m cannot be kept for 600 targets on https://shop.example: once round takes 20m, as it allows 300 requests in 10m, of which re-checks are sure of half; the nearest that can be kept is 45m',
  );
  await writeFile(join(cwd, 'projects.yaml'), list('45m'));
  assert.ok(!(await run(['validate'], { cwd })).err.includes('objective'));
});

test('validate warns of objectives that hours or a scrape itself do not allow (P47)', async (t) => {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop', 'url: "https://shop.example/{page}"'));
  const warning = async (schedule: string): Promise<string | undefined> => {
    const project = `- { id: a, targets: [{ source: shop, params: { page: a } }], ${schedule} }\n`;
    await writeFile(join(cwd, 'projects.yaml'), project);
    const { err } = await run(['validate'], { cwd });
    return err.split('\n').find((line) => line.includes('objective'));
  };
  const early = 'every: 10s, available: [{ hours: "01:00-02:00" }]';
  assert.equal(
    await warning(`${early}, objectives: { errorAfter: 5m }`),
    'warning: source shop: an objective of 5m cannot be kept for 1 target on https://shop.example: its hours are closed for up to 23h; once round takes 6s, with all turns that the hours leave, of which re-checks are sure of half; the nearest that can be kept is 1d',
  );
  assert.equal(await warning(`${early}, objectives: { errorAfter: 1d }`), undefined);
  const closed = async (available: string, errorAfter: string): Promise<string | undefined> =>
    (await warning(`every: 10s, available: ${available}, objectives: { errorAfter: ${errorAfter} }`))?.replace(
      /.*(an objective of .*) cannot.*(closed for up to [^;]+);.*/,
      '$1, $2',
    );
  assert.equal(await closed('[{ hours: "00:05-00:07" }]', '23h'), 'an objective of 23h, closed for up to 23h 58m');
  assert.equal(await closed('[{ hours: "00:05-00:07" }]', '1437m'), 'an objective of 1437m, closed for up to 23h 58m');
  assert.equal(
    await closed('[{ days: [mon, thu], hours: "00:05-00:07" }]', '3d'),
    'an objective of 3d, closed for up to 4d',
  );
  assert.equal(
    await warning('objectives: { warnAfter: 1s }'),
    'warning: source shop: an objective of 1s cannot be kept for 1 target on https://shop.example: a scrape takes 1s; once round takes 250ms, as it allows 4 requests in 1s, of which re-checks are sure of half; the nearest that can be kept is 3s',
  );
  assert.equal(await warning('objectives: { warnAfter: 3s }'), undefined);
});
