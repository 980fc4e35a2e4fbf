import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { figureIssues } from '../../src/definition/figure-fields.ts';
import { parseSource } from '../../src/definition/load.ts';
import { Metrics, Rules } from '../../src/metric/metric.ts';

/** A source with products that have a price of this type. */
function shop(id: string, priceType: string) {
  const fields = `sku: { css: h1 }, price: { css: b, type: ${priceType} }`;
  const parsed = parseSource(`id: ${id}\nrecords: { product: { key: sku, fields: { ${fields} } } }\n`, `${id}.yaml`);
  if (!parsed.ok) assert.fail(JSON.stringify(parsed));
  return [id, { source: parsed.value }] as const;
}

/** What is wrong with metrics and rules of a project on a source whose prices are numbers, and another one. */
function issues({ metrics = {}, rules = {} }: { metrics?: object; rules?: object }, other = 'money'): string[] {
  const byId = new Map([shop('here', 'number'), shop('there', other)]);
  const targets = [...byId.keys()].map((source) => ({ source }));
  const figures = { targets, metrics: Metrics.parse(metrics), rules: Rules.parse(rules) };
  return Array.from(figureIssues(figures, { byId }), ({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('a field of several types in the sources of a project', () => {
  const told = 'expected one type in all sources, got number and money: name one with `source`';

  test('is refused in a metric and in a condition that use it, unless a source is named', () => {
    const price = { of: 'product', field: 'price', take: 'sum' };
    assert.deepEqual(issues({ metrics: { total: price } }), [`metrics.total.field: ${told}`]);
    assert.deepEqual(issues({ metrics: { total: { ...price, source: 'there' } } }), []);
    const cheap = { of: 'product', when: 'price < 10' };
    assert.deepEqual(issues({ rules: { cheap } }), [`rules.cheap.when: "price": ${told}, at character 1`]);
    assert.deepEqual(issues({ rules: { cheap: { ...cheap, source: 'here' } } }), []);
  });

  test('is one where expressions read them as one, and is no matter to a condition that does not use it', () => {
    const [total, cheap] = [
      { of: 'product', field: 'price', take: 'sum' },
      { of: 'product', when: 'price < 10' },
    ];
    assert.deepEqual(issues({ metrics: { total }, rules: { cheap } }, 'integer'), []);
    assert.deepEqual(issues({ rules: { one: { of: 'product', when: 'sku == "one"' } } }), []);
  });
});
