/** What Linux tells of a process in /proc, by its number. */
import { readFileSync } from 'node:fs';

/** The unit of /proc on every Linux that Node runs on, in milliseconds. */
const tickMs = 10;

/** What a process has taken of the processor so far, all its threads, in its own code and in the system's, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // What comes before may have spaces in it; these are fields 14 and 15 of all.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** The memory of a process without the pages of its files, which the system takes back when it needs them. */
export function anonymousBytes(pid: number): number {
  return statusBytes(pid, 'RssAnon');
}

/** The most memory that a process had at one time, with the pages of its files. */
export function peakBytes(pid: number): number {
  return statusBytes(pid, 'VmHWM');
}

/** Not a number where the process has ended and nobody has yet asked how. */
function statusBytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
}

/** How many programs would run at once on this machine, on average over the last minute. */
export function load(): number {
  return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[0]);
}
