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

  const blocks: readonly (readonly [name: string, rule: readonly string[], left: readonly string[]])[] = [
    ['a block of `from` first', ['from:', '  column: Price', 'type: number'], ['type: number']],
    ['a block of `from` second', ['css: .a', 'from:', '  column: Price', 'type: number'], ['type: number']],
    ['a list of `from` first', ['from:', '  - column: Price', 'type: number'], ['type: number']],
    ['`from` in braces first', ['from: { column: Price }', 'type: number'], ['type: number']],
    ['a block of `in` first', ['in:', '  script: "#d"', 'json: $.a', 'type: number'], ['type: number']],
    ['folded text first', ['css: >-', '  .a', '  .b', 'type: number'], ['type: number']],
    [
      'folded text and a comment',
      ['css: |-', '  .a', '# of the lamp', 'type: number'],
      ['# of the lamp', 'type: number'],
    ],
    ['folded text alone', ['css: >', '  .a', '  .b'], []],
  ];
  for (const eol of ['\n', '\r\n'])
    for (const [name, rule, left] of blocks)
      test(`gives a rule with ${name} another place, in lines that end in ${JSON.stringify(eol)}`, () => {
        const written = (lines: readonly string[], last: readonly string[]): string =>
          ['records:', '  p:', '    fields:', '      price:', ...lines.map((line) => `        ${line}`), ...last].join(
            eol,
          );
        for (const last of [['      name: .n', ''], ['']]) {
          const result = editRules(written(rule, last), [
            { record: 'p', field: 'price', before: '', to: { css: '.b' } },
          ]);
          assert.ok(result.ok, result.ok ? '' : result.message);
          assert.equal(result.text, written(['css: .b', ...left], last));
        }
        const after = ['      price:', '        type: number', '        from:', '          column: Price', ''];
        const text = ['records:', '  p:', '    fields:', ...after].join(eol);
        const result = editRules(text, [{ record: 'p', field: 'price', before: '', to: { css: '.b' } }]);
        const expected = ['records:', '  p:', '    fields:', ...after.slice(0, 2), '        css: .b', ''].join(eol);
        assert.deepEqual(result, { ok: true, text: expected });
      });

  for (const eol of ['\n', '\r\n'])
    test(`ends the lines that it adds as the others of the file, in ${JSON.stringify(eol)}`, () => {
      const fields = [
        '      a:',
        '        css: .a',
        '      b:',
        '        any:',
        '          - .b',
        '      c:',
        '        - .c',
      ];
      const changes = ['a', 'b', 'c'].map((field) => ({
        record: 'p',
        field,
        before: '',
        to: { css: '.new', attr: 'data-v' },
      }));
      const result = editRules(['records:', '  p:', '    fields:', ...fields, ''].join(eol), changes);
      assert.ok(result.ok, result.ok ? '' : result.message);
      const expected = [
        '        css: .new',
        '        attr: data-v',
        '      b:',
        '        any:',
        "          - '.new @data-v'",
        '          - .b',
      ];
      assert.ok(result.text.includes(expected.join(eol)), result.text);
      assert.deepEqual(
        result.text
          .split(eol)
          .join('')
          .match(/[\r\n]/g),
        null,
      );
    });

  test('says how a rule is written that it does not change', () => {
    const refusalOf = (...lines: readonly string[]) => {
      const text = ['records:', '  p:', '    fields:', ...lines.map((line) => `      ${line}`), ''].join('\n');
      const result = editRules(text, [{ record: 'p', field: 'price', before: '', to: { css: '.b' } }]);
      return result.ok ? result.text : result.message;
    };
    const refused = (how: string): string => `the rule "p.price" is written with ${how}, which is not edited`;
    assert.equal(refusalOf('name: &a .n', 'price: *a'), refused('the alias *a'));
    assert.equal(refusalOf('price: &a .p', 'name: *a'), refused('the anchor &a, which other rules refer to'));
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

  test('changes a rule of the page that an item leads to, where the list has none for the field', () => {
    const leading = `${shop}    page:
      url: a
      fields:
        weight[]: .weight # in grams
`;
    assert.equal(
      edited('weight', { css: '.mass' }, leading),
      leading.replace('weight[]: .weight #', 'weight[]: .mass #'),
    );
    assert.equal(edited('name', { css: 'b' }, leading), leading.replace('name: h2 > a', 'name: b'));
  });

  test('is refused where the file has no such rule, or writes it through an alias', () => {
    const none = editRules(shop, [{ record: 'kettle', field: 'colour', before: '', to: { css: 'i' } }]);
    assert.deepEqual(none, { ok: false, message: 'it has no rule "kettle.colour" of its own' });
    const alias = shop
      .replace('price: { css: .price', 'cost: &cost { css: .price')
      .replace('sizes[]: .sizes li', 'price: *cost');
    const through = editRules(alias, [{ record: 'kettle', field: 'price', before: '', to: { css: 'i' } }]);
    assert.deepEqual(through, {
      ok: false,
      message: 'the rule "kettle.price" is written with the alias *cost, which is not edited',
    });
  });
});
