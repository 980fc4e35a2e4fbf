import { spawnSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';

/**
 * Resolves once a process is gone, or is a zombie: one that was killed may run on for a moment on a busy machine, and nobody tells of the end of what nobody
 * is the parent of any more.
 */
export async function untilEnded(pid: number | string): Promise<void> {
  while (!/^Z?$/.test(stateOf(pid))) await setTimeout(20);
}

function stateOf(pid: number | string): string {
  return spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}
