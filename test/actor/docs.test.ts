import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../../docs', import.meta.url));

/** The programs in a document, and what it says that each prints. */
function examplesIn(file: string): readonly (readonly [program: string, prints: string])[] {
  const text = readFileSync(`${folder}/${file}`, 'utf8');
  const pairs = text.matchAll(/^```ts\n(.*?)^```\n(?:(?!^```).)*?^```text\n(.*?)^```$/gms);
  return [...pairs].map(([, program = '', prints = '']) => [program, prints] as const);
}

describe('docs/actors.md', () => {
  const examples = examplesIn('actors.md');

  test('has examples', () => {
    assert.equal(examples.length, 2);
  });

  for (const [index, [program, prints]] of examples.entries()) {
    test(`example ${index + 1} prints what the text says`, async () => {
      const words = ['--input-type=module-typescript', '--eval', program];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder });
      assert.equal(stdout, prints);
    });
  }
});
