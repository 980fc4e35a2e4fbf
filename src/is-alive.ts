import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether a process runs on this machine, of whichever user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The start of a process as the system writes it, which with the process number identifies the process. `undefined` when there is no such
 * process, and on Windows, where it is not cheap to find out.
 */
export function processStart(pid: number): string | undefined {
  if (process.platform === 'linux') return processStartOnLinux(pid);
  if (process.platform === 'win32') return undefined;
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && stdout.trim() !== '' ? stdout.trim() : undefined;
}

/**
 * The boot's id, and the clock ticks from the boot to the start: field 22 of `/proc/PID/stat`; see proc(5). Field 2 may hold any characters.
 * A process that has ended and whose parent never asked how, as in a container without an init, is no process any more.
 */
function processStartOnLinux(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', ticks] = [fields[0], fields[19]];
    return ticks === undefined || 'ZX'.includes(state) ? undefined : `${boot} ${ticks}`;
  } catch {
    return undefined;
  }
}
