import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { compileJsonPath, isSingularPath, jsonPathFault } from '../../../src/extract/value/json-path.ts';
import type { Value } from '../../../src/extract/value/value.ts';

interface Case {
  readonly name: string;
  readonly selector: string;
  readonly document?: Value;
  readonly result?: readonly Value[];
  /** Any of these is right. */
  readonly results?: readonly (readonly Value[])[];
  readonly invalid_selector?: true;
}

const suite: readonly Case[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../fixtures/jsonpath/cts.json'), 'utf8'),
);

/** Whether a path calls a function that matches patterns, which definitions do not have. */
function matchesPatterns({ selector }: Case): boolean {
  return /(?:match|search)\(/.test(selector);
}

describe('a JSON path', () => {
  test("finds what the standard's whole suite says", () => {
    const valid = suite.filter((each) => each.invalid_selector !== true && !matchesPatterns(each));
    assert.equal(valid.length, 406);
    const wrong = valid.filter(({ selector, document = null, result = [], results = [result] }) => {
      const found = compileJsonPath(selector)(document);
      return !results.some((each) => isDeepStrictEqual(found, each));
    });
    assert.deepEqual(wrong, []);
  });

  test("is refused where the standard's whole suite says that it is none, or where it matches patterns", () => {
    const invalid = suite.filter((each) => each.invalid_selector === true || matchesPatterns(each));
    assert.ok(invalid.length > 250);
    assert.deepEqual(
      invalid.filter(({ selector }) => jsonPathFault(selector) === undefined),
      [],
    );
    assert.match(jsonPathFault('$[?search(@.a, "x")]') ?? '', /search\(\) is not available: take all values and use a/);
  });

  test('holds three conditions to each other', () => {
    assert.deepEqual(
      compileJsonPath('$[?@.a && @.b && @.c]')([
        { a: 1, b: 2 },
        { a: 1, b: 2, c: 3 },
      ]),
      [{ a: 1, b: 2, c: 3 }],
    );
  });

  test('goes through lists that are longer than a call may have arguments', () => {
    const long = Array.from({ length: 300_000 }, () => 0);
    assert.equal(compileJsonPath('$..*')([long]).length, 300_001);
    assert.equal(compileJsonPath('$[?@[*]]')([long, 1]).length, 1);
  });

  test('finds one value at most where it is of names and indexes alone', () => {
    assert.ok(isSingularPath('$.a[0]["b"]'));
    for (const path of ['$[*]', '$..a', '$.a[0,1]', '$[0:1]', '$[?@.a]']) assert.ok(!isSingularPath(path), path);
  });
});
