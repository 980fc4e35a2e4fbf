import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { load } from 'cheerio';
import type { Handlers, Params } from '../../src/control/methods.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const lamp = {
  id: 'lamp',
  name: 'Lamp',
  labels: [],
  multiplier: 1,
  status: 'active' as const,
  createdAt: 1,
  targets: [],
};

const older = `A lamp of brass with a shade of linen, which gives a warm light in the evening hours ${hostile}`;

/** A daemon with a project whose text changed; `asked` has what differences were asked for. */
async function served(t: TestContext) {
  const asked: Params<'project.diff'>[] = [];
  const handlers: Partial<Handlers> = {
    'project.get': () => lamp,
    'project.diff': (params) => {
      asked.push(params);
      const by = { serial: 5, scrape: 7, version: '', at: 1_000 };
      const text = { old: older, new: older.replace('brass', 'steel'), by };
      return {
        differences: [{ record: 1, source: 'shop', type: 'offer', key: '1', kind: 'changed', fields: { text } }],
      };
    },
  };
  const { ask } = await serveHttp(t, handlers);
  return { asked, pageOf: async (path: string) => (await ask(path)).text };
}

describe('the differences of a project between two instants', () => {
  test('are shown with the words that differ marked, and with the scrape that brought them', async (t) => {
    const { pageOf } = await served(t);
    const page = await pageOf('/projects/lamp/diff');
    const $ = load(page);
    assert.equal($('.words del').text(), 'brass');
    assert.equal($('.words ins').text(), 'steel');
    assert.equal($('.changes a').attr('href'), 'scrapes/7');
    assertHarmless(page);
  });

  test('are those of the instants that a person picks, which are of UTC without scripts', async (t) => {
    const { asked, pageOf } = await served(t);
    const page = await pageOf('/projects/lamp/diff?from=2026-01-02T03:04&to=2026-01-02T03:04:05&key=1&type=offer');
    const from = Date.UTC(2026, 0, 2, 3, 4);
    assert.deepEqual(asked, [{ id: 'lamp', from, to: from + 5_000, type: 'offer', key: '1', limit: 50 }]);
    assert.equal(load(page)('input[name=from]').attr('value'), '2026-01-02T03:04:00');
    assert.equal(load(page)('input[name=key]').attr('value'), '1');
  });

  test('say so where the first instant is not before the second, or is none', async (t) => {
    const { asked, pageOf } = await served(t);
    assert.match(await pageOf('/projects/lamp/diff?from=2026-01-02T03:04&to=2026-01-02T03:04'), /before the second/);
    assert.deepEqual(asked, []);
    const page = await pageOf('/projects/lamp/diff?from=yesterday&to=99999999999999999999');
    assert.match(page, /<ins>/);
  });
});
