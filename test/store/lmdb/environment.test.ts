import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEnvironment } from '../../../src/store/lmdb/environment.ts';
import { temporaryFolder } from '../fixture.ts';

test('each change of an environment that was closed is refused, and none waits for ever', async (t) => {
  const environment = openEnvironment({ path: temporaryFolder(t) });
  await environment.commit(() => 1);
  await environment.close();
  for (const durable of [false, true, false]) await assert.rejects(environment.commit(() => 2, { durable }));
});
