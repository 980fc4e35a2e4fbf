import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { editRules } from '../../src/definition/edit-rules.ts';
import { parseSource } from '../../src/definition/load.ts';
import type { RepairPlace } from '../../src/view/repair.ts';

/** A definition whose rules are written in every way. */
const shop = `# The shop, as of May.
id: shop
url: https://shop.example/{page}   # one page for each category
records:
  kettle:
    key: sku
    each: .kettle  # not .tip
    fields:
      sku: { attr: data-sku }
      name: h2 > a # the link has the name
      price: { css: .price, type: money, locale: de-DE } # in euros
      list: { css: .list, attr: data-price, type: number }
      stock:
        # counted at night
        css: .stock
        take: spaced
        type: integer   # pieces
      sizes[]: .sizes li
      maker: { any: [.maker, { meta: brand }] }
      note:
        any:
          - .note
          - { css: .hint, attr: title }
      story:
        - p
        - .story
`;

function edited(field: string | undefined, to: RepairPlace, text = shop): string {
  const result = editRules(text, [{ record: 'kettle', ...(field !== undefined && { field }), before: '', to }]);
  assert.ok(result.ok, result.ok ? '' : result.message);
  const parsed = parseSource(result.text, 'shop.yaml');
  assert.ok(parsed.ok, parsed.ok ? '' : JSON.stringify(parsed.problems));
  return result.text;
}

/** The lines of a text that another one does not have. */
function newLines(text: string): string[] {
  const before = new Set(shop.split('\n'));
  return text.split('\n').filter((line) => !before.has(line));
}

describe('an edit of a definition', () => {
  const cases: readonly (readonly [field: string | undefined, to: RepairPlace, lines: readonly string[]])[] = [
    [undefined, { css: '.tile' }, ['    each: .tile  # not .tip']],
    ['name', { css: '#name' }, [`      name: '#name' # the link has the name`]],
    ['name', { css: 'a', attr: 'title' }, [`      name: 'a @title' # the link has the name`]],
    [
      'name',
      { json: '$.name', in: 'ld+json' },
      [`      name: { json: '$.name', in: 'ld+json' } # the link has the name`],
    ],
    ['name', { column: 'Name' }, ['      name: { from: { column: Name } } # the link has the name']],
    ['sku', { css: '[data-no]', attr: 'data-no' }, [`      sku: { css: '[data-no]', attr: data-no }`]],
    ['price', { css: '.cost' }, ['      price: { css: .cost, type: money, locale: de-DE } # in euros']],
    ['price', { xpath: './/b[1]' }, [`      price: { xpath: './/b[1]', type: money, locale: de-DE } # in euros`]],
    ['list', { css: '.was' }, ['      list: { css: .was, type: number }']],
    ['stock', { css: '.left' }, ['        css: .left']],
    ['stock', { css: 'i', attr: 'data-left' }, ['        css: i', '        attr: data-left']],
    ['sizes', { css: '.size' }, ['      sizes[]: .size']],
    ['maker', { css: '.by' }, ['      maker: { any: [.by, .maker, { meta: brand }] }']],
    ['note', { css: '.remark' }, ['          - .remark']],
    ['story', { css: '.text' }, ['        - .text']],
  ];
  for (const [field = 'each', to, lines] of cases)
    test(`gives ${field} the place ${JSON.stringify(to)}, and leaves all other lines as they are`, () => {
      const text = edited(field === 'each' ? undefined : field, to);
      assert.deepEqual(newLines(text), lines);
      const gone = new Set(shop.split('\n').filter((line) => !text.includes(line)));
      assert.ok(gone.size <= 2, JSON.stringify([...gone]));
    });

  test('changes several rules at once', () => {
    const result = editRules(shop, [
      { record: 'kettle', before: '', to: { css: '.tile' } },
      { record: 'kettle', field: 'price', before: '', to: { css: '.cost' } },
    ]);
    assert.deepEqual(result.ok && newLines(result.text), [
      '    each: .tile  # not .tip',
      '      price: { css: .cost, type: money, locale: de-DE } # in euros',
    ]);
  });

  test('is refused where the file has no such rule, or writes it through an alias', () => {
    const none = editRules(shop, [{ record: 'kettle', field: 'colour', before: '', to: { css: 'i' } }]);
    assert.deepEqual(none, { ok: false, message: 'it has no rule "kettle.colour" of its own' });
    const alias = shop
      .replace('price: { css: .price', 'cost: &cost { css: .price')
      .replace('sizes[]: .sizes li', 'price: *cost');
    const through = editRules(alias, [{ record: 'kettle', field: 'price', before: '', to: { css: 'i' } }]);
    assert.deepEqual(through, { ok: false, message: 'the rule "kettle.price" is written in a way that is not edited' });
  });
});
