import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
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
  kind: 'changed',
  fields: { price: { old: 1, new: 2 } },
};

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
  ])
    test(`${words.join(' ')} has all rows`, async (t) => {
      const { path } = await full(t);
      const { out, err } = await run([...words, '--socket', path]);
      assert.deepEqual([JSON.parse(out).length, err], [count, '']);
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
    [['scrapes'], 'more than 20 scrapes'],
  ] as const)
    test(`${words.join(' ')} says that there are ${rest}`, async (t) => {
      const { path } = await full(t);
      const { status, err } = await run([...words, '--socket', path], { now });
      assert.deepEqual([status, err], [0, `… and ${rest}: --limit shows more\n`]);
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
