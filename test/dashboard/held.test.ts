import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Params } from '../../src/control/methods.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const value = {
  source: 'shop',
  type: 'product',
  key: 'A-17',
  field: 'price',
  old: 10,
  new: 1_000,
  kind: 'jump' as const,
  observedAt: 1,
  seenAt: 1,
  scrape: 1,
  target: 1,
  version: 'v1',
  url: 'https://shop.example/1',
};

describe('the page of what is held', () => {
  test('it is narrowed to a source, of which all can be decided at once', async (t) => {
    const asked: Params<'held.list'>[] = [];
    const { ask } = await serveHttp(t, {
      'held.list': (params) => {
        asked.push(params);
        return { together: [], values: [value], next: 'n' };
      },
    });
    const { text } = await ask('/held?source=shop');
    assert.deepEqual(asked, [{ source: 'shop', limit: 50 }]);
    assert.match(text, /data-copy="heronry held release shop --all"/);
    assert.match(text, /data-copy="heronry held reject shop A-17 --type product --field price"/);
    assert.match(text, /href="held\?source=shop&amp;after=n" rel="next"/);
    assert.doesNotMatch((await ask('/held')).text, /name="all"/);
  });

  test('it says where nothing is held', async (t) => {
    const { ask } = await serveHttp(t, { 'held.list': () => ({ together: [], values: [] }) });
    assert.match((await ask('/held')).text, /Nothing is held\./);
  });

  test('values of a site are text', async (t) => {
    const { ask } = await serveHttp(t, {
      'held.list': () => ({
        together: [
          { kind: 'empty' as const, source: 'shop', type: hostile, field: hostile, since: 1, scrape: 1, count: 4 },
        ],
        values: [{ ...value, key: hostile, old: hostile, new: `${hostile} more` }],
      }),
    });
    const { status, text } = await ask('/held');
    assert.equal(status, 200);
    assertHarmless(text);
  });
});
