import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { queuesOf } from '../../../src/daemon/configured.ts';
import { plainError } from '../../../src/engine/bullmq/open-on-server.ts';
import { secretsFrom } from '../../../src/session/secret-store.ts';

test('an error of the connection is told without the command that failed, which may hold the password', () => {
  const error = Object.assign(new Error('WRONGPASS'), { command: { name: 'hello', args: ['AUTH', 'me', 'hunter2'] } });
  assert.equal(plainError(error).message, 'WRONGPASS');
  assert.doesNotMatch(inspect(plainError(error)), /hunter2/);
});

test('a secret that is no address is told by its name alone', async () => {
  const findSecrets = secretsFrom({ environment: { HERONRY_SECRET_QUEUE: 'redis://:ab/hunter2@host:6379' } });
  const queues = queuesOf({ url: { secret: 'QUEUE' }, cluster: 'c' }, findSecrets, new Uint8Array(32));
  await assert.rejects(queues.address(), (error) => {
    assert.doesNotMatch(inspect(error), /hunter2/);
    return error instanceof Error && error.message === 'the secret QUEUE is no URL';
  });
});
