import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { DeliveryView, StuckView } from '../../src/control/methods/sink.ts';
import type { HistoryView } from '../../src/view/record.ts';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';
import { now, project, scrape, step } from './views.ts';

const count = 2_500;
const numbers = Array.from({ length: count }, (_, index) => index + 1);
const change: HistoryView = {
  serial: 1,
  record: 3,
  target: 7,
  source: 'shop',
  type: 'product',
  key: 'A',
  at: now,
  scrape: 41,
  version: 'v1',
  kind: 'changed',
  fields: { price: { old: 1, new: 2 } },
};

const delivery: DeliveryView = { at: now, id: 'a-1', key: 'k', type: 'record.added', attempt: 1, ms: 3, status: 200 };
const stuck: StuckView = { id: 'a-2', key: 'k', type: 'record.added', attempts: 2, nextAt: now };
const sink = { id: 'team', kind: 'webhook', events: [], state: 'running', behind: 0, parked: 9, dead: 2 } as const;

/** The rows of one answer, and where the next one begins. */
function slice<T>(from: number, limit: number, rowOf: (number: number) => T) {
  const rows = numbers.slice(from, from + limit).map(rowOf);
  return { rows, ...(from + limit < count && { next: from + limit }) };
}

/** A daemon with as many of everything as no answer holds. */
function full(t: TestContext) {
  return serve(t, {
    'project.list': ({ after = '0', limit }) => {
      const { rows, next } = slice(Number(after), limit, (number) => ({ ...project, id: String(number) }));
      return { projects: rows, ...(next !== undefined && { next: String(next) }) };
    },
    'project.history': ({ before = '0', limit }) => {
      const { rows, next } = slice(Number(before), limit, (serial) => ({ ...change, serial }));
      return { changes: rows, ...(next !== undefined && { next: String(next) }) };
    },
    'scrape.list': ({ before = 0, limit }) => {
      const { rows, ...rest } = slice(before, limit, (number) => ({ ...scrape, scrape: number }));
      return { scrapes: rows, ...rest };
    },
    'sink.get': ({ before = 0, limit }) => {
      const { rows, ...rest } = slice(before, limit, () => delivery);
      return { sink, deliveries: rows, parked: [stuck], dead: [stuck, stuck], cut: ['parked'], ...rest };
    },
    'scrape.get': ({ afterStep, limit }) => ({
      scrape,
      steps: slice(afterStep, limit, (number) => ({ ...step, step: number })).rows,
    }),
  });
}

describe('lists', () => {
  for (const words of [['list'], ['list', '--ids'], ['history', 'shop'], ['scrapes', '--limit', '9999']])
    test(`${words.join(' ')} is whole, however many answers it takes, and says nothing of a rest`, async (t) => {
      const { path } = await full(t);
      const { out, err } = await run([...words, '--socket', path], { now });
      const headings = words.includes('--ids') ? 0 : words[0] === 'history' ? 2 : 1;
      assert.deepEqual([out.trim().split('\n').length - headings, err], [count, '']);
    });

  for (const words of [
    ['list', '--json'],
    ['history', 'shop', '--json'],
    ['scrapes', '--limit', '9999', '--json'],
    ['history', 'shop', '--format', 'ndjson'],
  ])
    test(`${words.join(' ')} has all rows`, async (t) => {
      const { path } = await full(t);
      const { out, err } = await run([...words, '--socket', path]);
      const rows: unknown[] = words.includes('ndjson') ? out.trim().split('\n') : JSON.parse(out);
      assert.deepEqual([rows.length, err], [count, '']);
    });

  test('scrapes with a number has all its steps', async (t) => {
    const { path } = await full(t);
    const { out } = await run(['scrapes', '41', '--json', '--socket', path]);
    assert.equal(JSON.parse(out).steps.length, count);
  });

  for (const [words, rest] of [
    [['list', '--limit', '2000'], 'more than 2000 projects'],
    [['list', '--limit', '1', '--ids'], 'more than 1 project'],
    [['history', 'shop', '--limit', '3', '--json'], 'more than 3 changes'],
    [['history', 'shop', '--limit', '2000', '--format', 'ndjson'], 'more than 2000 changes'],
    [['sinks', 'team'], 'more than 20 attempts'],
    [['sinks', 'team', '--limit', '2000', '--json'], 'more than 2000 attempts'],
    [['scrapes'], 'more than 20 scrapes'],
  ] as const)
    test(`${words.join(' ')} says that there are ${rest}`, async (t) => {
      const { path } = await full(t);
      const { status, err } = await run([...words, '--socket', path], { now });
      assert.deepEqual([status, err], [0, `… and ${rest}: --limit shows more\n`]);
    });

  test('sinks with an id shows as many attempts as are asked for, and which of the other lists have more', async (t) => {
    const { path } = await full(t);
    const all = await run(['sinks', 'team', '--limit', '9999', '--json', '--socket', path], { now });
    assert.deepEqual([JSON.parse(all.out).deliveries.length, all.err], [count, '']);
    const { out } = await run(['sinks', 'team', '--socket', path], { now });
    assert.match(out, /tried again:\n.*\n.*\n… and more than these 1 message\n/);
    assert.doesNotMatch(out, /more than these 2/);
  });

  test('a report that is cut says so', async (t) => {
    const tally = { count: 0, maxMs: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, shareWithin: 1, breaches: 0 };
    const season = { from: '05-01', to: '05-31', zone: 'UTC' };
    const resting = [{ ...season, source: 'shop', targets: 3, errorAfterMs: 60_000 }];
    const symptoms = [{ kind: 'records', record: 'product', measure: 'records', observed: 0 }] as const;
    const source = { id: 'shop', name: 'Shop', provider: 'html', status: 'ready', targets: 200, problems: [] } as const;
    const host = { key: 'shop', waiting: 0, next: [], open: 0, failures: 0, backOffStep: 0 };
    const { path } = await serve(t, {
      'objective.report': () => ({
        at: now,
        all: tally,
        sources: [],
        next: [],
        infeasible: [],
        resting,
        cut: ['resting'],
      }),
      'source.list': () => ({
        sources: [{ ...source, tickets: [{ ticket: 7, state: 'open', openedAt: now, symptoms }], cut: ['tickets'] }],
      }),
      'source.reload': () => ({ changed: [], removed: [], problems: [], cut: ['knownPages'] }),
      'host.list': ({ key }) => ({
        hosts: [{ ...host, sources: [], cut: ['sources'] }],
        ...(key === undefined && { cut: ['hosts'] }),
      }),
    });
    for (const [words, told] of [
      [['freshness'], /^… and more that are out of season$/m],
      [['sources'], /^shop: … and more tickets$/m],
      [['sources', '--reload'], /^… and perhaps further pages that a source knows$/m],
      [['hosts'], /^… and perhaps hosts of further targets that were not asked yet$/m],
      [['hosts', 'shop'], /^… and more than these 0 sources$/m],
    ] as const) {
      const { out, err } = await run([...words, '--socket', path], { now });
      assert.match(out + err, told);
    }
  });

  test('a limit that is the number of rows leaves nothing out', async (t) => {
    const { path } = await full(t);
    const { out, err } = await run(['list', '--limit', String(count), '--ids', '--socket', path]);
    assert.deepEqual([out.trim().split('\n').length, err], [count, '']);
  });

  for (const command of ['list', 'history', 'scrapes', 'hosts', 'crawls', 'show'])
    test(`${command} takes no limit of 0`, async () => {
      const { status, err } = await run([command, 'x', '--limit', '0']);
      assert.equal(status, 2);
      assert.match(err, /Expected a whole number from 1/);
    });
});
