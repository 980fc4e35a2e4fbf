import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tryExtract } from '../../src/extract/trial.ts';
import { bodyOf, keyed, planFor, read } from './plan.ts';

describe('an explanation', () => {
  const plan = planFor([
    keyed({
      price: {
        any: ['.gone', { css: '.price', attr: 'content' }],
        type: 'number',
        filters: ['trim', { regex: '([0-9.]+)' }],
      },
      stock: { type: 'integer' },
      absent: {},
    }),
  ]);
  const html = '<p class=key>a</p><b class=price content=" EUR 5.50 "></b><b class=stock>some</b>';
  const input = { body: bodyOf(html), url: 'http://site.test/', contentType: 'text/html', plan };

  test('tells for each field the place that counted, the text before each filter and the value', async () => {
    const { items } = (await tryExtract(input)).trial;
    assert.deepEqual(items[0]?.fields.slice(1), [
      {
        name: 'price',
        place: { by: 'css', text: '.price', attr: 'content', alternative: 2, alternatives: 2, matches: 1 },
        filters: [
          { filter: 'trim', before: ' EUR 5.50 ' },
          { filter: 'regex', before: 'EUR 5.50' },
        ],
        value: 5.5,
        lost: [],
      },
      {
        name: 'stock',
        place: { by: 'css', text: '.stock', alternative: 1, alternatives: 1, matches: 1 },
        filters: [],
        lost: [{ path: '', text: 'some', expected: 'a whole number' }],
      },
      { name: 'absent', filters: [], lost: [] },
    ]);
  });

  test('has the outcome that reading the page has', async () => {
    assert.deepEqual(
      (await tryExtract({ ...input, body: bodyOf(html) })).outcome,
      await read(html, plan, { url: 'http://site.test/' }),
    );
  });

  test('tells of places that were no record, too', async () => {
    const { outcome, trial } = await tryExtract({ ...input, body: bodyOf('<p>') });
    assert.equal(outcome.ok, false);
    assert.deepEqual(
      trial.items.map(({ record, fields }) => [record, fields.length]),
      [['thing', 4]],
    );
  });
});
