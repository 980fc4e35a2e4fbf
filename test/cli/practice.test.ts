import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPracticeWeb } from '../../src/practice/web.ts';
import { run } from './terminal.ts';

test('practice says that its port is taken, and how to name another', async (t) => {
  const web = await openPracticeWeb({ port: 0 });
  t.after(() => web.close());
  const { port } = new URL(web.origin);
  const { status, err } = await run(['practice', '--port', port]);
  assert.deepEqual([status, err], [4, `heronry: practice: expected a free port, got ${port}: --port names another\n`]);
});
