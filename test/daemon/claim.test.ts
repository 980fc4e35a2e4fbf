import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { claimData, ClaimedError, type Identity, ownIdentity } from '../../src/daemon/claim.ts';
import { temporaryStore } from '../store/fixture.ts';

const program = new URL('claim-program.ts', import.meta.url).pathname;

test('a daemon that was killed keeps no data folder, though its parent never asks how it ended', async (t) => {
  if (process.platform !== 'linux') return t.skip('asks /proc');
  const { store } = await temporaryStore(t);
  // The shell starts the daemon, then becomes a program that waits for no child.
  const parent = spawn('sh', ['-c', '"$0" "$1" & exec sleep 60', process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => parent.kill('SIGKILL'));
  const [line] = await once(createInterface(parent.stdout), 'line');
  const killed: Identity = JSON.parse(String(line));
  claimData(store, killed, '/data');
  const own = ownIdentity('/nowhere.sock', 1);
  assert.throws(() => claimData(store, own, '/data'), ClaimedError);

  process.kill(killed.pid, 'SIGKILL');
  await t.waitFor(() => claimData(store, own, '/data'), { timeout: 30_000 });
  const { place, ...holder } = store.meta.holder() ?? {};
  assert.deepEqual(holder, own);
  assert.equal(place?.folder, store.environment.path);
  assert.equal(place.machine, hostname());
});
