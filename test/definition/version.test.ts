import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { definitionVersion, type Source } from '../../src/definition/source.ts';

const fixtures = join(import.meta.dirname, '../fixtures/definitions');
const kickfund = readFileSync(join(fixtures, 'kickfund.yaml'), 'utf8');
const minimal = readFileSync(join(fixtures, 'minimal.yaml'), 'utf8');

function sourceOf(text: string, file: string): Source {
  const parsed = parseSource(text, file);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

describe('the version of a definition', () => {
  const version = definitionVersion(sourceOf(minimal, 'minimal.yaml'));

  test('is sixteen hexadecimal digits', () => {
    assert.match(version, /^[0-9a-f]{16}$/);
  });

  test('does not depend on the order of keys, on comments, or on defaults written out', () => {
    const same =
      'id: minimal\nprovider: html\nallowPrivate: false\npoliteness: { delay: 1000ms }\nrecords: { page: { fields: { title: { type: text, css: h1 } }, key: title } }\n';
    assert.equal(definitionVersion(sourceOf(same, 'minimal.yaml')), version);
  });

  for (const [what, from, to] of [
    ['a selector', 'css: h1 }', 'css: h2 }'],
    ['a type', 'type: integer, required: true', 'type: number, required: true'],
    ['an interval', 'every: 4h', 'every: 5h'],
    ['what finishes it', 'status == "ended"', 'status == "gone"'],
    ['the pulse', 'every: 5m', 'every: 6m'],
  ] as const) {
    test(`changes with ${what}`, () => {
      const changed = kickfund.replace(from, to);
      assert.notEqual(changed, kickfund);
      assert.notEqual(
        definitionVersion(sourceOf(changed, 'kickfund.yaml')),
        definitionVersion(sourceOf(kickfund, 'kickfund.yaml')),
      );
    });
  }
});
