import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Handlers } from '../../src/control/methods.ts';
import type { HostView } from '../../src/control/methods/host.ts';
import type { PlanView } from '../../src/control/methods/schedule.ts';
import type { RecordView } from '../../src/view/record.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now, project, record, scrape } from './views.ts';

const key = 'https://www.a-rather-long-name.shop.example';
const long = 'a-project-with-a-rather-long-name-of-its-own';

const host: HostView = {
  key,
  sources: [
    { id: 'a-source-with-a-long-name', delayMs: 1_000, concurrency: 1, robots: 'obey' },
    { id: 'another-source', delayMs: 1_000, concurrency: 1, robots: 'obey' },
  ],
  waiting: 1_234,
  next: [],
  open: 1,
  nextAt: now + 5_000,
  hold: { kind: 'retry_after', capped: true },
  delayMs: 12_000,
  latencyMs: 1_234,
  failures: 3,
  backOffStep: 2,
};

const forecast = {
  targets: 1_000,
  requests: [12_345, 13_456],
  undone: [0, 0],
  pulses: 0,
  bytes: 123_456_789,
  peak: { at: now, requests: 60 },
  objectives: { kept: 900, broken: 90, infeasible: 10, worstByMs: 900_000 },
};
const plan: PlanView = {
  from: now,
  days: 2,
  hosts: 1,
  ...forecast,
  skipped: 0,
  overloaded: 0,
  busiest: [{ key, ...forecast, longestWaitMs: 90_000, load: 0.9, delayMs: 1_000 }],
  infeasible: [],
};
const tally = {
  scrapes: 123_456,
  unchanged: 123_000,
  requests: 234_567,
  pulses: 1_234,
  notModified: 12_345,
  validated: 0,
  bytes: 123_456_789,
  unchangedBytes: 123_000_000,
  cpuMs: 123_456,
};
const age = {
  count: 123_456,
  maxMs: 86_400_000,
  p50Ms: 5_400_000,
  p95Ms: 5_400_000,
  p99Ms: 5_400_000,
  shareWithin: 0.99,
  breaches: 1_234,
  nextDeadlineAt: now + 5_400_000,
};

const handlers: Partial<Handlers> = {
  'host.list': () => ({ hosts: [host] }),
  'schedule.list': () => ({
    turns: [
      { dueAt: now + 1, target: 123_456, projects: [long], source: long, url: `${key}/a/b/c?d=e`, key, by: 'interval' },
    ],
    more: false,
  }),
  'schedule.plan': () => plan,
  'project.list': () => ({ projects: [{ ...project, id: long, name: 'A name '.repeat(20) }] }),
  'scrape.list': () => ({
    scrapes: [
      {
        ...scrape,
        project: long,
        source: long,
        status: 'failed',
        failure: { code: 'unreachable', message: 'could not reach the site: connection refused' },
      },
    ],
  }),
  'waste.report': () => ({ from: now, all: tally, sources: [{ source: long, ...tally, advice: [] }], targets: [] }),
  'objective.report': () => ({
    at: now,
    all: age,
    sources: [{ source: long, ...age }],
    next: [
      {
        target: 1_234,
        projects: [long],
        source: long,
        field: 'a-field-of-it',
        objectiveMs: 1,
        ageMs: 1,
        deadlineAt: now,
      },
    ],
    infeasible: [],
  }),
};

describe('a terminal of 80 columns', () => {
  for (const [command, whole] of [
    ['hosts', key],
    ['schedule', key],
    ['plan', key],
    ['list', long],
    ['scrapes', 'could not'],
    ['waste', '123456'],
    ['freshness', '123456'],
  ] as const)
    test(`has room for each line of the tables of ${command}, with what matters whole`, async (t) => {
      const { path } = await serve(t, handlers);
      const { out } = await run([command, '--socket', path], { columns: 80, now });
      const tables = out.split('\n').filter((line) => !/^(requests|late|peak|objectives) {2,}/.test(line));
      assert.ok(out.includes(command === 'scrapes' ? 'unreach' : whole), out);
      for (const line of tables) assert.ok(line.length <= 80, line);
    });

  test('what is left out there is shown in a pipe', async (t) => {
    const { path } = await serve(t, handlers);
    const { out } = await run(['hosts', '--socket', path], { now });
    assert.match(out, /^HOST\tSOURCES\tNEXT\tWHY\tBACK-OFF\tWAITING\tOPEN\tDELAY\tLATENCY\tROBOTS$/m);
    assert.match(out, /\ta-source-with-a-long-name, another-source\t/);
  });
});

describe('records', () => {
  const at = { observedAt: now - 3_600_000, verifiedAt: now - 60_000 };
  const product = (number: number, more: RecordView['fields'] = {}): RecordView => ({
    ...record,
    type: 'product',
    key: `p${number}`,
    fields: {
      title: { value: `A product of a rather long name, the ${number}th`, ...at },
      price: { value: { amount: `${number}.50`, currency: 'EUR' }, ...at, verifiedAt: now - 7_200_000 },
      ...more,
    },
  });
  const many = Array.from({ length: 100 }, (_, index) => product(index + 1));

  test('of a type are shown one a line, under a heading for each field', async (t) => {
    const { path } = await serve(t, { 'project.get': () => project, 'project.records': () => ({ records: many }) });
    const { out } = await run(['show', 'solar', '--socket', path], { columns: 80, now });
    const lines = out.slice(out.indexOf('crowd product')).trimEnd().split('\n');
    assert.equal(lines.length, 102);
    assert.deepEqual(lines.slice(0, 3), [
      'crowd product: 100 records',
      'KEY   title                                       price       CHANGED  VERIFIED',
      'p1    A product of a rather long name, the 1th    1.50 EUR    1h ago   2h ago',
    ]);
    for (const line of lines) assert.ok(line.length <= 80, line);
  });

  test('a field that was never observed is empty, and one without a value is a dash', async (t) => {
    const records = [product(1, { stock: { value: null, ...at } }), product(2)];
    const { path } = await serve(t, { 'project.get': () => project, 'project.records': () => ({ records }) });
    const { out } = await run(['show', 'solar', '--socket', path], { now });
    assert.match(out, /^p1\t.*\t1.50 EUR\t–\t1h ago\t2h ago$/m);
    assert.match(out, /^p2\t.*\t2.50 EUR\t\t1h ago\t2h ago$/m);
  });

  test('a date that stands for a whole month says so', async (t) => {
    const dated = (index: number) => ({
      ...product(index, { made: { value: '2017-01-01', ...at } }),
      precision: { made: 'month' },
    });
    const { path } = await serve(t, {
      'project.get': () => project,
      'project.records': () => ({ records: [dated(1), dated(2)] }),
    });
    const { out } = await run(['show', 'solar', '--socket', path], { now });
    assert.match(out, /^p1\t.*\t2017-01-01 \(month\)\t1h ago\t2h ago$/m);
  });

  test('of more fields than there is room for have a line for each field', async (t) => {
    const more = Object.fromEntries(numbered(12).map((name) => [name, { value: 'a text that is long', ...at }]));
    const records = [product(1, more), product(2, more)];
    const { path } = await serve(t, { 'project.get': () => project, 'project.records': () => ({ records }) });
    const { out } = await run(['show', 'solar', '--socket', path], { columns: 80, now });
    assert.match(out, /^crowd product p2 +f7 +a text that is long +1h ago +1m ago$/m);
    const piped = await run(['show', 'solar', '--socket', path], { now });
    assert.match(piped.out, /^KEY\ttitle\tprice\tf1\t.*\tf12\tCHANGED\tVERIFIED$/m);
  });

  describe('a change of a long text', () => {
    const words = (count: number, of: string): string =>
      Array.from({ length: count }, (_, at) => `${of}${at}`).join(' ');
    const text = (days: string): string => `${words(40, 'before')} free within ${days} of it ${words(40, 'after')}`;
    const change = {
      ...{ target: 7, source: 'terms', type: 'page', key: 'https://shop.example/terms', version: '1a2b3c4d5e' },
      ...{ at: now - 60_000, scrape: 1_234, record: 1 },
    };
    const changesOf = (older: string, newer: string) => [
      { ...change, serial: 2, kind: 'changed', fields: { text: { old: older, new: newer } } } as const,
      {
        ...{ ...change, serial: 1, kind: 'added' as const },
        fields: { title: { new: words(9, 'Terms') }, url: { new: change.key }, text: { new: older } },
      },
    ];
    const shown = async (t: TestContext, columns: number, changes: ReturnType<typeof changesOf>) => {
      const { path } = await serve(t, { 'project.history': () => ({ changes }) });
      const { out } = await run(['history', 'terms', '--socket', path], { columns, now });
      for (const line of out.split('\n')) assert.ok(line.length <= columns, line);
      return out;
    };

    for (const columns of [80, 100, 140])
      test(`shows the words that went and came, in ${columns} columns`, async (t) => {
        for (const changes of [changesOf(text('14'), text('30')), changesOf(text('14'), text('30')).slice(0, 1)])
          assert.match(await shown(t, columns, changes), /\[-14-\] \{\+30\+\}/);
      });

    test('shows the begin of both sides where they are long, in 80 columns', async (t) => {
      const out = await shown(t, 80, changesOf(text('fourteen long days'), text(words(20, 'new'))));
      assert.match(out, /\[-f[^\]]*…-\] \{\+new0 n?[^}]*…\+\}/);
    });

    test('shows the words that went and came of two short texts, in 80 columns', async (t) => {
      const of = (price: string): string => `# Copper kettle ${price} In stock`;
      assert.match(await shown(t, 80, changesOf(of('€29.90'), of('€24.50'))), /\[-€29\.90-\] \{\+€24\.50\+\}/);
    });

    test('shows the new one of two short texts that share no word', async (t) => {
      const out = await shown(t, 80, changesOf(words(4, 'older').slice(0, 30), 'sold out for all of the season'));
      assert.match(out, /older[^→\n]*… → sold out f?/);
    });

    test('shows what surrounds the words where there is room', async (t) => {
      const [change] = changesOf(text('14'), text('30'));
      assert.match(await shown(t, 140, change === undefined ? [] : [change]), /within \[-14-\] \{\+30\+\} of it/);
    });
  });

  test('changes of a type are shown one a line, with the old and the new value under each field', async (t) => {
    const change = {
      target: 7,
      source: 'shop',
      type: 'product',
      at: now - 60_000,
      scrape: 4,
      version: '',
      kind: 'changed',
    } as const;
    const changes = [3, 2, 1].map((serial) => ({
      ...change,
      serial,
      record: serial,
      key: `p${serial}`,
      fields: { price: { old: serial, new: serial + 1 }, ...(serial === 2 && { title: { new: 'Solar' } }) },
    }));
    const { path } = await serve(t, { 'project.history': () => ({ changes }) });
    const { out } = await run(['history', 'shop', '--socket', path], { columns: 80, now });
    assert.equal(
      out,
      `shop product: 3 changes
WHEN    KEY  KIND     price  title  SCRAPE
1m ago  p3   changed  3 → 4         4
1m ago  p2   changed  2 → 3  Solar  4
1m ago  p1   changed  1 → 2         4
`,
    );
  });
});

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `f${index + 1}`);
}
