import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import type { Subscriber, Params } from '../../src/control/methods.ts';
import { defined } from '../../src/defined.ts';
import type { ScrapeView } from '../../src/view/scrape.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { allKept } from './objective-views.ts';
import { run } from './terminal.ts';
import { now, project, record, scrape, step } from './views.ts';

/** The subjects of the events that a daemon of a test tells. */
const solar = { projects: ['solar'], source: 'crowd', target: 7 };

describe('commands on a daemon', () => {
  test('add sends what its options say', async (t) => {
    const asked: Params<'project.add'>[] = [];
    const { path } = await serve(t, {
      ...allKept,
      'project.add': (params) => {
        asked.push(params);
        return project;
      },
    });
    const words = ['add', 'solar', '-s', 'crowd', '-p', 'slug=a=b', '-p', 'page=2', '-e', '90s', '-l', 'x', '-l', 'y'];
    const { status } = await run([...words, '--name', 'Solar', '--socket', path]);
    assert.equal(status, 0);
    assert.deepEqual(asked, [
      {
        id: 'solar',
        name: 'Solar',
        labels: ['x', 'y'],
        multiplier: 1,
        targets: [{ source: 'crowd', params: { slug: 'a=b', page: '2' }, everyMs: 90_000 }],
      },
    ]);
  });

  test('list shows a table on a terminal, and cells with tabs elsewhere', async (t) => {
    const { path } = await serve(t, { 'project.list': () => ({ projects: [project] }) });
    const onTerminal = await run(['list', '--socket', path], { columns: 100, now });
    assert.equal(
      onTerminal.out,
      'PROJECT  STATUS            TARGETS        SCRAPED  NEXT   NAME\n' +
        'solar    definition_error  2 (1 failing)  3m ago   in 2h  Solar Backpack\n',
    );
    const piped = await run(['list', '--socket', path], { now });
    assert.equal(
      piped.out,
      'PROJECT\tSTATUS\tTARGETS\tSCRAPED\tNEXT\tNAME\nsolar\tdefinition_error\t2 (1 failing)\t3m ago\tin 2h\tSolar Backpack\n',
    );
  });

  test('list does not call a target failing that was taken from its project', async (t) => {
    const targets = project.targets.map((target) => ({ ...target, status: 'disabled' as const }));
    const { path } = await serve(t, { 'project.list': () => ({ projects: [{ ...project, targets }] }) });
    assert.match((await run(['list', '--socket', path], { now })).out, /^solar\t\w+\t2\t/m);
  });

  test('list --ids prints ids alone, list --json the projects', async (t) => {
    const { path } = await serve(t, { 'project.list': () => ({ projects: [project, { ...project, id: 'lunar' }] }) });
    assert.equal((await run(['list', '--ids', '--socket', path])).out, 'solar\nlunar\n');
    assert.deepEqual(JSON.parse((await run(['list', '--json', '--socket', path])).out)[0], project);
  });

  test('list goes on until it has all, and says so when there are none', async (t) => {
    const { path } = await serve(t, {
      'project.list': ({ after }) =>
        after === undefined ? { projects: [project], next: 'solar' } : { projects: [{ ...project, id: after + 2 }] },
    });
    assert.equal((await run(['list', '--ids', '--socket', path])).out, 'solar\nsolar2\n');
    const none = await serve(t, { 'project.list': () => ({ projects: [] }) });
    const { out, err } = await run(['list', '--socket', none.path]);
    assert.deepEqual({ out, err }, { out: '', err: 'no projects: add one with `heronry add`\n' });
  });

  test('show tells a parked target with its error, crashes and next try, and values without what steers a terminal', async (t) => {
    const { path } = await serve(t, { 'project.get': () => project, 'project.records': () => ({ records: [record] }) });
    const { out } = await run(['show', 'solar', '--socket', path], { columns: 120, now });
    assert.match(out, /^solar {2}Solar Backpack {2}active {2}\[spring\]$/m);
    assert.match(out, /last scrape {2}scrape 41 complete in 1.2s, 3m ago, 1 step, 0 added, 1 changed, 4 confirmed/);
    assert.match(out, /target 8 {2}ads {2}parked definition_error/);
    assert.match(out, /last error {3}timeout: no headers in 30 s/);
    assert.match(out, /crashes {6}4, 4 in a row, the last: TypeError/);
    assert.match(out, /parked {7}1m ago: 4 crashes in a row; tried again in 1m/);
    assert.match(out, /pledged {2}1234.50 EUR {7}3m ago {2}3m ago/);
    assert.match(out, /title {4}Solar Backpack 2/);
    assert.match(out, /tags {5}sun, bag/);
    assert.match(out, /ends {5}–/);
    assert.ok(!out.includes('\u001B'));
  });

  test('show in a pipe has headings over its values', async (t) => {
    const { path } = await serve(t, { 'project.get': () => project, 'project.records': () => ({ records: [record] }) });
    const { out } = await run(['show', 'solar', '--socket', path], { now });
    assert.match(out, /^RECORD\tFIELD\tVALUE\tSINCE\tVERIFIED\ncrowd campaign solar\tpledged\t/m);
  });

  test('show tells the targets of an archived project as archived', async (t) => {
    const { path } = await serve(t, {
      'project.get': () => ({ ...project, status: 'archived' }),
      'project.records': () => ({ records: [] }),
    });
    const { out, err } = await run(['show', 'solar', '--socket', path], { now });
    assert.match(out, /^target 7 {2}crowd {2}archived$/m);
    assert.match(out, /^target 8 {2}ads {2}parked /m);
    assert.equal(err, 'nothing is known of solar yet\n');
  });

  test('an empty answer says what was looked for', async (t) => {
    const { path } = await serve(t, {
      'project.list': () => ({ projects: [] }),
      'project.history': () => ({ changes: [] }),
      'scrape.list': () => ({ scrapes: [] }),
      'source.list': () => ({ sources: [] }),
    });
    const told: readonly [string[], string, number][] = [
      [['list', '--label', 'x'], 'no project matches', 0],
      [['list', '--source', 'nosuch'], 'heronry: no source "nosuch"', 3],
      [['history', 'solar', '--field', 'nosuch'], 'no change of solar matches', 0],
      [['history', 'solar'], 'no change of solar is known', 0],
      [['scrapes', '--status', 'failed'], 'no scrape matches', 0],
      [['scrapes'], 'no scrapes', 0],
      [['sources'], 'no sources: write a definition, then `heronry sources --reload`', 0],
    ];
    for (const [words, says, status] of told)
      assert.deepEqual(await run([...words, '--socket', path], { columns: 80 }), { status, out: '', err: `${says}\n` });
  });

  test('archive does all that it can of several projects, tells the rest, and leaves as that says', async (t) => {
    const { path } = await serve(t, {
      'project.archive': ({ id }) => {
        if (id.startsWith('no')) throw new ControlError('not_found', `no project "${id}"`);
        return { ...project, id };
      },
    });
    assert.deepEqual(await run(['archive', 'solar', 'nosuch', 'lunar', 'nor-this', '--socket', path]), {
      status: 3,
      out: 'archived solar\narchived lunar\n',
      err: 'heronry: no project "nosuch"\nno project "nor-this"\n',
    });
  });

  test('add speaks of its options where the daemon refuses parameters', async (t) => {
    const refusals: readonly [string, string][] = [
      [
        'targets[0]: source "shop" has no address pattern: expected "url"',
        'source "shop" has no address pattern: expected --url',
      ],
      [
        'targets[0].params: "x" is not in the pattern: source "shop" has y',
        '--param: "x" is not in the pattern: source "shop" has y',
      ],
      [
        'targets[0].everyMs: expected at least 1\nlabels[2]: too long',
        '--every: expected at least 1\n--label: too long',
      ],
      ['expected a value for "url"', 'expected a value for "url"'],
    ];
    for (const [said, told] of refusals) {
      const { path } = await serve(t, {
        'project.add': () => {
          throw new ControlError('invalid_params', said);
        },
      });
      const { err } = await run(['add', 'solar', '--source', 'shop', '--socket', path]);
      assert.equal(err, `heronry: ${told}\n`);
    }
  });

  for (const [words, told] of [
    [['add', 'a', '--url', 'ftp://x'], '--url: expected an http or https URL, got "ftp://x"'],
    [['add', 'a b', '--source', 's', '--label', ''], /^heronry: id: expected letters.*\n--label: expected at least 1/],
    [['edit', 'a', '--add-url', 'ftp://x'], '--add-url: expected an http or https URL, got "ftp://x"'],
    [['edit', 'a', '--add-label', ''], '--add-label: expected at least 1 character, got ""'],
    [['try', 'shop', 'ftp://x'], 'url: expected an http or https URL, got "ftp://x"'],
  ] as const)
    test(`${words.join(' ')} names what is wrong as a person gave it, and no method`, async (t) => {
      const { path } = await serve(t, {});
      const { status, err } = await run([...words, '--socket', path]);
      assert.equal(status, 2);
      if (typeof told === 'string') assert.equal(err, `heronry: ${told}\n`);
      else assert.match(err, told);
    });

  test('rescrape --wait tells off a terminal what it waits for, once', async (t) => {
    let looks = 0;
    const { path } = await serve(t, {
      'project.rescrape': () => ({ scrapes: [{ target: 7, scrape: 41, coalesced: false }] }),
      'event.subscribe': () => ({ after: 0 }),
      'project.get': () => ({ ...project, targets: project.targets.slice(0, 1) }),
      'scrape.get': () => {
        looks += 1;
        const { endedAt: _endedAt, ...open } = scrape;
        const statuses = ['waiting', 'waiting', 'running'] as const;
        const status = statuses[looks - 1];
        return { scrape: status === undefined ? scrape : { ...open, status }, steps: [] };
      },
    });
    const { err, out } = await run(['rescrape', 'solar', '--wait', '--socket', path], { now });
    assert.match(out, /^scrape 41 complete/);
    assert.equal(err, 'scrape 41 waits to begin\nscrape 41 waits for its turn at the host, or for an answer\n');
  });

  test('archive takes several projects', async (t) => {
    const { path } = await serve(t, { 'project.archive': ({ id }) => ({ ...project, id }) });
    assert.equal((await run(['archive', 'solar', 'lunar', '--socket', path])).out, 'archived solar\narchived lunar\n');
  });

  for (const [before, after, status, says] of [
    [{ ...scrape, status: 'running', endedAt: undefined }, { ...scrape, status: 'cancelled' }, 0, ''],
    [scrape, scrape, 1, 'heronry: scrape 41 had ended before\n'],
    [
      { ...scrape, status: 'cancelled' },
      { ...scrape, status: 'cancelled' },
      1,
      'heronry: scrape 41 had ended before\n',
    ],
  ] as const) {
    test(`cancel shows the scrape, and leaves with ${status} where it was ${before.status}`, async (t) => {
      const { path } = await serve(t, {
        'scrape.get': () => ({ scrape: defined(before), steps: [] }),
        'scrape.cancel': () => after,
      });
      const shown = await run(['cancel', '41', '--socket', path]);
      assert.match(shown.out, new RegExp(`^scrape 41 ${after.status}`));
      assert.deepEqual([shown.status, shown.err], [status, says]);
    });
  }

  test('rescrape tells the number of the scrape, and whether it was waiting already', async (t) => {
    const { path } = await serve(t, {
      'project.rescrape': () => ({
        scrapes: [
          { target: 7, scrape: 42, coalesced: false },
          { target: 8, scrape: 40, coalesced: true },
        ],
      }),
    });
    const { out } = await run(['rescrape', 'solar', '--socket', path]);
    assert.equal(out, 'scrape 42 of target 7 is asked for\nscrape 40 of target 8 was waiting already\n');
  });

  for (const [ended, status, says] of [
    ['complete', 0, ''],
    ['failed', 1, 'heronry: scrape 42 failed\n'],
    ['cancelled', 1, 'heronry: scrape 42 was cancelled\n'],
  ] as const) {
    test(`rescrape --wait shows each step once, and leaves with ${status} when the scrape is ${ended}`, async (t) => {
      const stages: ScrapeView['status'][] = ['waiting', 'running', 'running', ended];
      let stage = 0;
      let context: Subscriber | undefined;
      const { path } = await serve(t, {
        'project.rescrape': () => ({ scrapes: [{ target: 7, scrape: 42, coalesced: false }] }),
        'project.get': () => project,
        'event.subscribe': (_, given) => {
          context = given;
          return { after: 0 };
        },
        'scrape.get': ({ afterStep }) => {
          const steps = [1, 2, 3].slice(0, stage).map((number) => ({ ...step, step: number }));
          const seen = { ...scrape, scrape: 42, status: stages[stage] ?? ended };
          stage += 1;
          setImmediate(() =>
            context?.notify({
              id: stage,
              version: 1,
              at: now,
              type: 'scrape.requested',
              ...solar,
              scrape: 42,
              data: {},
            }),
          );
          return { scrape: seen, steps: steps.filter((each) => each.step > afterStep) };
        },
      });
      const result = await run(['rescrape', 'solar', '--wait', '--socket', path], { now });
      assert.equal(result.status, status);
      assert.equal(result.err, says);
      const lines = result.out.trim().split('\n');
      assert.deepEqual(
        lines.map((line) => line.split(/ {2}| (?=complete|failed|cancelled)/)[0]),
        ['step 1', 'step 2', 'step 3', 'scrape 42'],
      );
    });
  }

  test('watch prints events as they come, one JSON line each with --json, until the daemon goes', async (t) => {
    const server = await serve(t, {
      'event.subscribe': ({ after, types }, { notify }) => {
        assert.equal(after, 4);
        assert.deepEqual(types, ['record.*']);
        const fields = { pledged: { old: { amount: '1', currency: 'EUR' }, new: { amount: '2', currency: 'EUR' } } };
        notify({ id: 5, version: 1, at: 0, type: 'record.changed', ...solar, data: { type: 't', key: 'k', fields } });
        setImmediate(() => void server.close());
        return { after: 4 };
      },
    });
    const words = ['watch', '--after', '4', '--type', 'record.*', '--socket', server.path];
    const { out, status } = await run(words);
    assert.equal(out, '5 00:00:00  record.changed  solar crowd  type=t  key=k  pledged: 1 EUR → 2 EUR\n');
    assert.equal(status, 69);
  });

  test('watch tells counts and failures in words', async (t) => {
    const server = await serve(t, {
      'event.subscribe': (_, { notify }) => {
        const counts = { added: 1, changed: 0, confirmed: 2 };
        const failure = { code: 'timeout', message: 'no answer' };
        const told = { version: 1, at: 0, ...solar } as const;
        notify({
          id: 5,
          ...told,
          type: 'scrape.failed',
          scrape: 42,
          data: { reason: 'due', steps: 1, counts, failure },
        });
        notify({ id: 6, ...told, type: 'target.parked', data: { reason: 'crashes', retryAt: 60_000, times: 2 } });
        setImmediate(() => void server.close());
        return { after: 4 };
      },
    });
    assert.equal(
      (await run(['watch', '--socket', server.path])).out,
      '5 00:00:00  scrape.failed  solar crowd  reason=due  1 step  1 added, 0 changed, 2 confirmed  timeout: no answer\n' +
        '6 00:00:00  target.parked  solar crowd  reason=crashes  tried again in 1m  times=2\n',
    );
  });

  test('stop waits until the process of the daemon has ended', async (t) => {
    const daemon = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
    const pid = daemon.pid ?? assert.fail();
    const server = await serve(t, {
      'daemon.shutdown': () => {
        setImmediate(() => void server.close().then(() => daemon.stdin.end()));
        return { pid };
      },
    });
    const { out, status } = await run(['stop', '--socket', server.path]);
    assert.deepEqual({ out, status }, { out: `stopped the daemon, pid ${pid}\n`, status: 0 });
    assert.equal(daemon.exitCode, 0);
  });

  test('stop says so where the process of the daemon lives on', async (t) => {
    const { pid } = process;
    const server = await serve(t, {
      'daemon.shutdown': () => {
        setImmediate(() => void server.close());
        return { pid };
      },
    });
    let now = 0;
    const { err, status } = await run(['stop', '--socket', server.path], { now: () => (now += 20_000) });
    assert.equal(err, `heronry: the daemon has hung up, but its process ${pid} still runs after 1m\n`);
    assert.equal(status, 1);
  });

  test('tree draws the lives under each other and says how many it left out', async (t) => {
    const actor = { kind: 'actor', state: 'running', mailbox: 0, restarts: 0, ageMs: 5_000, memoryBytes: 340 } as const;
    const { path } = await serve(t, {
      'tree.get': () => ({
        ...actor,
        id: 'root',
        kind: 'supervisor',
        children: [
          { ...actor, id: 'store' },
          {
            ...actor,
            id: 'projects',
            kind: 'supervisor',
            more: 9,
            children: [{ ...actor, id: 'solar', restarts: 2, mailbox: 1 }],
          },
        ],
      }),
    });
    assert.equal(
      (await run(['tree', '--socket', path])).out,
      'root  5s, 340 B\n├─ store  5s, 340 B\n└─ projects  5s, 340 B\n   ├─ solar  5s, 340 B, 1 waiting, restarted 2×\n   └─ … 9 more\n',
    );
  });

  test('settings are shown and changed in the units of people', async (t) => {
    const { path } = await serve(t, {
      'settings.get': () => ({ initialDelayMs: 1_000, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'info' }),
      'settings.set': ({ everyMs = 0 }) => ({ initialDelayMs: 1_000, everyMs, timeLimitMs: 600_000, logLevel: 'info' }),
    });
    assert.equal(
      (await run(['settings', '--socket', path])).out,
      'SETTING\tVALUE\ninitial-delay\t1s\nevery\t4h\ntime-limit\t10m\nlog-level\tinfo\n',
    );
    assert.equal((await run(['settings', 'get', 'every', '--socket', path])).out, '4h\n');
    assert.match((await run(['settings', 'set', 'every', '90m', '--socket', path])).out, /^every\t1h 30m$/m);
    const refused = await run(['settings', 'set', 'log-level', 'loud', '--socket', path]);
    assert.equal(refused.status, 2);
    assert.match(refused.err, /logLevel: /);
  });

  test('apply sends the file, and prints the difference', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(
      join(cwd, 'projects.yaml'),
      '- { id: solar, targets: [{ source: crowd, params: { slug: 7 }, every: 15m }] }\n',
    );
    const { path } = await serve(t, {
      'project.apply': ({ projects, prune, dryRun }) => {
        assert.deepEqual(projects, [
          {
            id: 'solar',
            labels: [],
            multiplier: 1,
            targets: [{ source: 'crowd', params: { slug: '7' }, everyMs: 900_000 }],
          },
        ]);
        assert.deepEqual({ prune, dryRun }, { prune: false, dryRun: true });
        return {
          changes: [{ id: 'solar', action: 'update', details: ['every: 1h → 15m'] }],
          unchanged: 3,
          applied: false,
        };
      },
    });
    const { out, status } = await run(['apply', '-f', 'projects.yaml', '--dry-run', '--socket', path], { cwd });
    assert.equal(status, 0);
    assert.equal(
      out,
      '~ update solar\n    every: 1h → 15m\n1 change, 3 unchanged; nothing is archived without --prune; not applied\n',
    );
  });

  test('apply of a long file compares all of it, then applies it part by part, and prints it in its order', async (t) => {
    const cwd = await temporaryDirectory(t);
    const ids = Array.from({ length: 3_000 }, (_, index) => `p${(index * 7) % 3_000}`);
    const lines = ids.map((id) => `- { id: ${id}, targets: [{ source: crowd, params: { slug: ${id} } }] }\n`);
    await writeFile(join(cwd, 'projects.yaml'), lines.join(''));
    const tracked = new Set(['p10', 'p3000', 'q', 'a']);
    const dry: boolean[] = [];
    const { path } = await serve(t, {
      'project.apply': ({ projects, prune, within = {}, dryRun }) => {
        dry.push(dryRun);
        const { after = '', upTo = '\uffff' } = within;
        assert.ok(prune && projects.every(({ id }) => id > after && id <= upTo));
        const own = new Set(projects.map(({ id }) => id));
        const added = [...own]
          .filter((id) => !tracked.has(id))
          .map((id) => ({ id, action: 'add' as const, details: [] }));
        const archived = [...tracked]
          .filter((id) => id > after && id <= upTo && !own.has(id))
          .map((id) => ({ id, action: 'archive' as const, details: [] }));
        const unchanged = own.size - added.length;
        if (!dryRun) for (const { id } of added) tracked.add(id);
        if (!dryRun) for (const { id } of archived) tracked.delete(id);
        return { changes: [...added, ...archived], unchanged, applied: !dryRun };
      },
    });
    const { out, status } = await run(['apply', '-f', 'projects.yaml', '--prune', '--socket', path], { cwd });
    assert.equal(status, 0);
    assert.deepEqual([...tracked].sort(), [...ids].sort());
    const half = dry.length / 2;
    assert.ok(half > 2);
    assert.deepEqual(dry, [...Array(half).fill(true), ...Array(half).fill(false)]);
    const printed = out.trimEnd().split('\n');
    assert.deepEqual(
      printed.slice(0, 2_999),
      ids.filter((id) => id !== 'p10').map((id) => `+ add ${id}`),
    );
    assert.deepEqual(printed.slice(2_999, -1).sort(), ['- archive a', '- archive p3000', '- archive q']);
    assert.equal(printed.at(-1), '3002 changes, 1 unchanged');
  });

  test('apply of a file with problems says where they are and asks nothing', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'projects.yaml'), '- id: solar\n  targts: []\n');
    const { status, err } = await run(['apply', '-f', 'projects.yaml', '--socket', 'none'], { cwd });
    assert.equal(status, 2);
    assert.match(err, /projects\.yaml:2:3: .*did you mean "targets"\?/);
  });
});
