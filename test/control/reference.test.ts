import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { controlReference } from './reference.ts';

test('docs/control.md tells the methods as they are', async () => {
  const page = await readFile(new URL('../../docs/control.md', import.meta.url), 'utf8');
  assert.equal(page, controlReference(), 'make it anew: node test/control/reference.ts > docs/control.md');
});
