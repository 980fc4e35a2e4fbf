import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serve } from '../control/daemon.ts';
import { run } from './terminal.ts';

describe('dashboard', () => {
  test('prints an address that logs in, and nothing else', async (t) => {
    const url = 'http://127.0.0.1:7437/login#code=abc';
    const { path } = await serve(t, { 'login.invite': () => ({ url, expiresAt: 120_000 }) });
    assert.equal((await run(['dashboard', '--socket', path])).out, `${url}\n`);
  });

  test('--log-out ends all log-ins', async (t) => {
    const { path } = await serve(t, { 'login.end': () => ({ logIns: 2 }) });
    assert.equal((await run(['dashboard', '--log-out', '--socket', path])).out, 'ended 2 log-ins\n');
  });
});
