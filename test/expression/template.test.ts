import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileTemplate } from '../../src/expression/template.ts';

const at = Date.UTC(2026, 2, 14);
const values = {
  title: 'a "bag" {x}',
  price: { amount: '12.50', currency: 'EUR' },
  old: { price: { amount: '15.00', currency: 'EUR' } },
  weight: { amount: 0.1, unit: 'kg' },
  stock: 3,
  share: 0.1,
  tags: ['new', 'blue'],
  isNew: true,
  nothing: null,
};

function filled(text: string): { readonly text: string; readonly json: unknown } {
  const compiled = compileTemplate(text);
  if (!compiled.ok) assert.fail(compiled.message);
  return { text: compiled.template.text(values, at), json: compiled.template.json(values, at) };
}

describe('a template', () => {
  const cases: readonly (readonly [template: string, text: string, json?: unknown])[] = [
    ['{title}', 'a "bag" {x}'],
    ['{price}', '12.50 EUR', { amount: '12.50', currency: 'EUR' }],
    ['{price.amount}', '12.50', 12.5],
    ['{weight}', '0.1 kg', { amount: 0.1, unit: 'kg' }],
    ['{old.price.amount - price.amount}', '2.5', 2.5],
    ['{stock * 2 + share + 0.2}', '6.3', 6.3],
    ['{tags}', 'new, blue', ['new', 'blue']],
    ['{isNew}', 'true', true],
    ['{price.amount < 10 ? "cheap" : "dear"}', 'dear'],
    ['{nothing}{missing}{old.missing}{stock / 0}', ''],
    ['{nothing}', '', null],
    ['{{{stock}}} of {stock}', '{3} of 3'],
    ['{stock == 3 ? "a } b" : \'}\'}', 'a } b'],
    ['{size(tags)}', '2', 2],
    ['{title.contains("bag") && like(title, "^a")}', 'true', true],
    ['plain', 'plain'],
  ];
  for (const [template, text, json = text] of cases)
    test(`${template} gives ${JSON.stringify(text)}`, () => assert.deepEqual(filled(template), { text, json }));

  const refused: readonly (readonly [template: string, message: RegExp])[] = [
    ['{title', /expected "}" at the end of the expression, at character 1/],
    ['title}', /expected "}}" for a brace that ends no expression, at character 6/],
    ['{}', /at character 1/],
    ['{matches(title, "a")}', /expected one of .*, got matches\(\)/],
    ['{[1].map(x, x)}', /expected one of .*, got map\(\)/],
    [`{${'('.repeat(200)}1${')'.repeat(200)}}`, /nested/],
    ['x'.repeat(5_000), /expected at most 4096 bytes/],
  ];
  for (const [template, message] of refused)
    test(`${template.slice(0, 30)} is refused`, () => {
      const compiled = compileTemplate(template);
      assert.match(compiled.ok ? 'compiled' : compiled.message, message);
    });

  test('cuts a value that is too long for a message', () => {
    const compiled = compileTemplate('{body}');
    assert.equal(compiled.ok && compiled.template.text({ body: 'x'.repeat(100_000) }, at).length, 16_384);
  });
});
