import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { top } from './fences.ts';

const source = globSync('src/**/*.ts', { cwd: top })
  .map((path) => readFileSync(join(top, path), 'utf8'))
  .join('\n');

/** The rows of the table of symptoms. */
const rows = readFileSync(join(top, 'docs/guide/operator.md'), 'utf8')
  .split('\n## When something is wrong\n')[1]
  ?.split('\n')
  .filter((line) => line.startsWith('| *'));

/** The message that a page quotes, with `…` or capitals for what differs, as it may stand in the source. */
function patternOf(quoted: string): RegExp {
  const parts = quoted.split(/…|\b[A-Z]{2,}\b/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join('.+'));
}

describe('the table of symptoms of the operator', () => {
  const quoted = rows?.flatMap((row) => Array.from(row.matchAll(/"([^"]+)"/g), ([, text = '']) => text)) ?? [];
  const codes = new Set(
    rows?.flatMap((row) => Array.from(row.matchAll(/`([a-z]+_[a-z]+)`/g), ([, code = '']) => code)),
  );

  test('quotes messages and codes', () => {
    assert.ok(quoted.length >= 3, 'expected messages in quotation marks');
    assert.ok(codes.size >= 2, 'expected codes such as `login_attempts`');
  });

  for (const text of quoted)
    test(`quotes "${text}" as the program says it`, () => {
      assert.ok(patternOf(text).test(source), 'expected it in a file of src');
    });
  for (const code of codes)
    test(`names ${code} as the program does`, () => {
      assert.ok(source.includes(`'${code}'`), 'expected it in a file of src');
    });
});
