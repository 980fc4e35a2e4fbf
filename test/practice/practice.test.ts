import assert from 'node:assert/strict';
import { test } from 'node:test';
import { books } from '../../src/practice/books.ts';
import { startPractice } from './practicing.ts';
import { sorted, sayings } from '../../src/practice/sayings.ts';

test('sites of the kinds that people learn on are read whole, by rules alone', async (t) => {
  const { read, events } = await startPractice(t, ['pages', 'members', 'api', 'search', 'table', 'books']);
  const found = sayings.filter(({ author, tags }) => author === 'Bo & Co' && tags.includes('slow days'));
  assert.ok(found.length > 1);
  await Promise.all([
    t.test('a list over pages', async () => assert.deepEqual(await read('pages', 'text'), sorted(sayings))),
    t.test('a list behind a log-in with a token', async () =>
      assert.deepEqual(await read('members', 'text'), sorted(sayings)),
    ),
    t.test('the endpoint of a list that is scrolled', async () =>
      assert.deepEqual(await read('api', 'text'), sorted(sayings)),
    ),
    t.test('what two steps of a form with a state find', async () =>
      assert.deepEqual(await read('search', 'text', { author: 'Bo & Co', tag: 'slow days' }), sorted(found)),
    ),
    t.test('a table whose records have two rows each', async () =>
      assert.deepEqual(await read('table', 'text'), sorted(sayings)),
    ),
    t.test('a shop whose list leads to a page for each book', async () => {
      const all = books.map(({ slug, title, shelf, price, stars, stock, code, about }) => ({
        ...{ slug, title, shelf, stars, stock, code },
        price: { amount: price, currency: 'GBP' },
        ...(about !== undefined && { about }),
      }));
      assert.deepEqual(
        await read('books', 'slug'),
        all.toSorted((one, other) => one.slug.localeCompare(other.slug)),
      );
    }),
  ]);
  const told = JSON.stringify(events);
  assert.ok(!told.includes('0815'), told);
});
