import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endRuleOf, saysFinished } from '../../src/definition/end-rule.ts';
import { parseSource } from '../../src/definition/load.ts';
import type { Source } from '../../src/definition/source.ts';

const now = Date.parse('2026-03-14T12:00:00Z');

function sourceOf(text: string): Source {
  const loaded = parseSource(text, 'shop.yaml');
  assert.ok(loaded.ok, JSON.stringify(loaded));
  return loaded.value;
}

const shop = sourceOf(`id: shop
records:
  lot:
    key: name
    fields: { name: h1, status: .status, ends: { css: .ends, type: date }, "tags[]": .tag, prices: { css: b, type: array, of: { type: money } } }
finished: { record: lot, when: 'status == "sold" || ends < now && !("open" in tags)', zone: Pacific/Auckland }`);

describe('the end of a target', () => {
  const rule = endRuleOf(shop);
  const endsAt = (...records: readonly Record<string, unknown>[]) => rule?.endsAt(records, now);

  test('is now where all of its records say so, and unknown without a record', () => {
    assert.equal(endsAt({ status: 'sold' }, { status: 'sold' }), now);
    assert.equal(endsAt({ status: 'sold' }, { status: 'live' }), undefined);
    assert.equal(endsAt(), undefined);
  });

  test('is when the last of its records says so, by the clocks of the zone', () => {
    const tags: string[] = [];
    assert.equal(
      endsAt({ ends: '2026-03-14', tags }, { ends: '2026-03-20', tags }, { status: 'sold' }),
      Date.parse('2026-03-20T11:00:00Z'),
    );
  });

  test('is said by a page in a trial as by what is stored', () => {
    const draft = { type: 'lot', fields: { status: 'sold' } };
    assert.ok(saysFinished(shop, [draft], now));
    assert.ok(!saysFinished(shop, [draft, { type: 'lot', fields: {} }], now));
    assert.ok(!saysFinished(shop, [{ type: 'other', fields: { status: 'sold' } }], now));
  });

  test('may depend on the usual fields of a feed, and on those of a plug-in', () => {
    const feed = sourceOf(
      'id: shop\nprovider: rss\nfinished: { record: item, when: now - published > duration("90d") }',
    );
    assert.equal(endRuleOf(feed)?.endsAt([{ published: '2025-01-01T00:00:00.000Z' }], now), now);
    const plugin = sourceOf(
      'id: shop\nplugin: shop.ts\nrecords: { lot: { key: name, fields: { name: {}, left: { type: integer } } } }\nfinished: { record: lot, when: left == 0 }',
    );
    assert.equal(endRuleOf(plugin)?.endsAt([{ left: 0 }], now), now);
  });
});
