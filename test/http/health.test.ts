import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { serveHttp } from './server.ts';
import { status } from '../control/status.ts';

describe('readiness', () => {
  test('is told without a token, with reasons where it is not given', async (t) => {
    let now = status;
    const { ask } = await serveHttp(t, { 'daemon.status': () => now });
    const ready = async () => {
      const { status: answered, json } = await ask('/readyz', { token: undefined });
      return [answered, json];
    };
    assert.deepEqual(await ready(), [200, { status: 'ready', reasons: [] }]);
    now = { ...status, state: 'starting', remaining: 3, paused: 'the disk is full' };
    assert.deepEqual(await ready(), [
      503,
      {
        status: 'not ready',
        reasons: ['starting: 3 actors are still to start', 'scraping is paused: the disk is full'],
      },
    ]);
  });

  test('fails while the store is not open', async (t) => {
    const { ask } = await serveHttp(t, {
      'daemon.status': () => {
        throw new ControlError('not_ready', 'the store is not open');
      },
    });
    const { status: answered, text } = await ask('/readyz');
    assert.equal(answered, 503);
    assert.match(text, /the store is not open/);
  });
});
