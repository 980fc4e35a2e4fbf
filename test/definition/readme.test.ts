import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const definitions = Array.from(readme.matchAll(/^```yaml\n(.*?)^```$/gms), ([, text = '']) => text);

describe('the README', () => {
  test('shows a definition', () => assert.notEqual(definitions.length, 0));

  for (const [index, text] of definitions.entries()) {
    test(`shows definition ${index + 1} as it may be written`, () => {
      const id = /^id: (\S+)/m.exec(text)?.[1] ?? '';
      const parsed = parseSource(text, `${id}.yaml`);
      assert.deepEqual(parsed.ok ? [] : parsed.problems, []);
    });
  }
});
