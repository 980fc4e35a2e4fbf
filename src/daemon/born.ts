import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process began, in the system's own words: together with its number that tells it from any other. `undefined` when
 * there is no such process, and on Windows, which has no cheap way to say.
 */
export function bornOf(pid: number): string | undefined {
  if (process.platform === 'linux') return bornOnLinux(pid);
  if (process.platform === 'win32') return undefined;
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}

/** The boot, and the clock ticks from there: field 22 of proc(5)'s stat, behind a name that may hold anything. */
function bornOnLinux(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return ticks === undefined ? undefined : `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}
