import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { eventReference } from './reference.ts';

test('docs/events.md tells the events as they are', async () => {
  const page = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');
  assert.equal(page, eventReference(), 'make it anew: node test/event/reference.ts > docs/events.md');
});
