import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Value } from '../../../src/extract/value/value.ts';
import { jsonFaultAt, parseJson } from '../../../src/extract/value/json-text.ts';
import { compileJsonPath, isSingularPath, jsonPathFault } from '../../../src/extract/value/json-path.ts';

describe('a JSON document', () => {
  test('is its value, with or without a mark of byte order', () => {
    assert.deepEqual(parseJson('\ufeff{"a":[1]}'), { ok: true, value: { a: [1] } });
  });

  for (const [text, message] of [
    ['{"a":1,}', /^Expected .* at line 1 column 8$/],
    ['{\n "a": b}', /^Unexpected token 'b' at line 2 column 7$/],
    ['', /^Unexpected end of JSON input at line 1 column 1$/],
    [`["${'x'.repeat(10_000_000)}",]`, /^Unexpected token '\]' at line 1 column 10000005$/],
    ['["\\x"]', /^Bad escaped character at line 1 column 2$/],
    ['["a\nb"]', /^Bad control character in string literal at line 1 column 2$/],
    ['['.repeat(65) + ']'.repeat(65), /^nested deeper than 64$/],
    ['['.repeat(1_000_000), /^nested deeper than 64$/],
  ] as const) {
    test(`${JSON.stringify(text.slice(0, 20))} is refused: ${message.source}`, () => {
      const parsed = parseJson(text);
      assert.match(parsed.ok ? 'it was read' : parsed.message, message);
    });
  }

  test('that is cut off or spoilt is said to be so at that place', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (text, place) => {
        const at = place % (text.length + 1);
        assert.equal(jsonFaultAt(text), text.length);
        assert.ok(jsonFaultAt(text.slice(0, at)) <= at);
        assert.ok(jsonFaultAt(`${text.slice(0, at)}\u0000${text.slice(at)}`) <= at);
      }),
    );
  });

  test('may be 64 deep, and have any number of brackets in its texts', () => {
    assert.ok(parseJson('['.repeat(64) + ']'.repeat(64)).ok);
    assert.ok(parseJson(JSON.stringify('["\\'.repeat(100))).ok);
  });

  test('is what was written', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 10 }), (text) => {
        assert.deepEqual(parseJson(text), { ok: true, value: JSON.parse(text) });
      }),
    );
  });
});

describe('a JSON path', () => {
  const store: Value = {
    items: [
      { id: 1, price: { eur: 5 } },
      { id: 2, tags: ['a', 'b'] },
    ],
    'a b': null,
    toString: 1,
  };
  for (const [path, found, isSingular] of [
    ['$', [store], true],
    ['$.items[0].price.eur', [5], true],
    ['$["a b"]', [null], true],
    ['$.items[-1].id', [2], true],
    ['$.items[9]', [], true],
    ['$.items.length', [], true],
    ['$.nothing.id', [], true],
    ['$.items[*].id', [1, 2], false],
    ['$.items[1].tags.*', ['a', 'b'], false],
    [
      '$.items[*]',
      [
        { id: 1, price: { eur: 5 } },
        { id: 2, tags: ['a', 'b'] },
      ],
      false,
    ],
    ['$.items[1].tags', [['a', 'b']], true],
    ['$..id', [1, 2], false],
    ['$.items[?@.id > 1].id', [2], false],
    ['$.items[?length(@.tags) == 2].id', [2], false],
    ['$.items[0,1].id', [1, 2], false],
    ['$.items[::-1].id', [2, 1], false],
    ['$[0]', [], true],
  ] as const) {
    test(`${path} gives ${JSON.stringify(found).slice(0, 40)}`, () => {
      assert.deepEqual(compileJsonPath(path)(store), found);
      assert.equal(isSingularPath(path), isSingular);
    });
  }

  for (const [path, fault] of [
    ['items', /expected '\$'/],
    ['$.items[', /unclosed bracketed selection/],
    ['$.a[?match(@.b, "x*")]', /^match\(\) is not available/],
    ['$[?@.a == 1 && (search(@.b, "x") || @.c)]', /^search\(\) is not available/],
    ['$[?foo(@)]', /no function "foo", expected one of length, count, value/],
  ] as const) {
    test(`${path} is refused: ${fault.source} (P19)`, () => {
      assert.match(jsonPathFault(path) ?? '', fault);
      assert.throws(() => compileJsonPath(path), SyntaxError);
    });
  }

  test('of names finds what is there, whatever the names are', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), fc.jsonValue(), (names, leaf) => {
        const value = names.reduceRight<unknown>(
          (inner, name) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(inner)}}`),
          leaf,
        );
        const path = `$${names.map((name) => `[${JSON.stringify(name.toWellFormed())}]`).join('')}`;
        if (names.some((name) => !name.isWellFormed())) return;
        assert.deepEqual(compileJsonPath(path)(value as Value), [JSON.parse(JSON.stringify(leaf))]);
      }),
    );
  });
});
