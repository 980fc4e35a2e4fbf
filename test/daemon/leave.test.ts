import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../store/fixture.ts';

const program = fileURLToPath(new URL('./leave-program.ts', import.meta.url));

describe('a process that has to end', () => {
  for (const state of ['closing', 'busy'])
    test(`ends with its status while its store is ${state}`, { timeout: 30_000 }, async (t) => {
      // Whether it would hang is a matter of chance.
      const children = Array.from({ length: 5 }, () =>
        spawn(process.execPath, [program, temporaryFolder(t), state], { stdio: 'inherit' }),
      );
      t.after(() => children.forEach((child) => child.kill('SIGKILL')));
      const ends = await Promise.all(children.map((child) => once(child, 'exit')));
      assert.deepEqual(
        ends,
        children.map(() => [7, null]),
      );
    });
});
