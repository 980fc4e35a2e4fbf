import { writeSync } from 'node:fs';
import { claim } from '../../src/store/claim.ts';
import { openStore } from '../../src/store/store.ts';
import { hourly } from './fixture.ts';

// Claims the store in a folder, says whether that went well, and lives until it is killed.
const [path = ''] = process.argv.slice(2);
const store = await openStore({ path, now: Date.now, scheduling: hourly });
const result = claim(store, { pid: process.pid, socket: path, startedAt: 1 }, ({ pid }) => isRunning(pid));
writeSync(1, `${JSON.stringify(result)}\n`);
process.stdin.resume();

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // Nobody has that id.
    return false;
  }
}
