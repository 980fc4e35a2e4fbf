import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { startDaemon } from '../support/daemon.ts';

test('a daemon that asks and reads itself has no worker processes, and can tell none what to do', async (t) => {
  const { client } = await startDaemon(t, { sources: {} });
  assert.deepEqual(await client.call('worker.list', {}), { engine: 'local', workers: [] });
  await assert.rejects(
    client.call('worker.drain', { id: 'w1' }),
    (error) =>
      error instanceof ControlError && error.code === 'not_found' && error.message === 'no worker process "w1"',
  );
});
