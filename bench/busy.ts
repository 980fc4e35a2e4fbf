/** Programs that keep the processor busy, as others on a shared machine do. */
import { spawn } from 'node:child_process';

/** Looks up from its work every 20 ms, so that it ends when who started it does. */
const program = `process.stdin.on('close', () => process.exit()).resume();
(function work() { for (const until = Date.now() + 20; Date.now() < until;); setImmediate(work); })();`;

/** Starts so many, of the same priority as this one. */
export function busyPrograms(count: number): { end(): void } {
  const programs = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  return {
    end() {
      for (const each of programs) each.kill('SIGKILL');
    },
  };
}
