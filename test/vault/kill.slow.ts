import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import { Vault, vaultFolder } from '../../src/vault/vault.ts';
import { hourly, temporaryFolder } from '../store/fixture.ts';

const rounds = 12;

test(
  'a process killed while it keeps pages has lost none that it acknowledged, and all that the index names are whole',
  { timeout: 60_000 },
  async (t) => {
    const path = temporaryFolder(t);
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'keeping-program.ts'), path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      t.after(() => child.kill('SIGKILL'));
      let lines = 0;
      for await (const line of createInterface(child.stdout)) {
        if (line.length === 22) acknowledged.push(line);
        lines += 1;
        if (lines >= 10 + round * 7) child.kill('SIGKILL');
      }
      const store = await openStore({ path, now: () => 1, scheduling: hourly });
      try {
        const lost: string[] = [];
        const vault = await Vault.open({
          folder: vaultFolder(path),
          store,
          full: () => undefined,
          warn: (what) => lost.push(what),
        });
        assert.deepEqual(lost, []);
        for (const digest of [...store.vault.pages.keys()]) assert.ok((await vault.read(digest)).ok, digest);
        assert.deepEqual(
          acknowledged.filter((digest) => !store.vault.pages.has(digest)),
          [],
        );
      } finally {
        await store.close();
      }
    }
    assert.ok(acknowledged.length > rounds * 10);
  },
);
