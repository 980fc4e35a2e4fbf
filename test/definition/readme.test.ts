import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';

for (const page of ['README.md', 'docs/fetching.md']) {
  const text = await readFile(new URL(`../../${page}`, import.meta.url), 'utf8');
  const definitions = Array.from(text.matchAll(/^```yaml\n(.*?)^```$/gms), ([, yaml = '']) => yaml);

  describe(page, () => {
    test('shows a definition', () => assert.notEqual(definitions.length, 0));

    for (const [index, yaml] of definitions.entries()) {
      test(`shows definition ${index + 1} as it may be written`, () => {
        const id = /^id: (\S+)/m.exec(yaml)?.[1] ?? '';
        const parsed = parseSource(yaml, `${id}.yaml`);
        assert.deepEqual(parsed.ok ? [] : parsed.problems, []);
      });
    }
  });
}
