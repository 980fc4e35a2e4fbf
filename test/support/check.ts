import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs the checkers of `npm run check` side by side and prints the whole output of each as it ends. The exit status is 1 if
 * any of them failed, or could not be run.
 */
const scripts = ['check:types', 'check:lint', 'check:format', 'check:unused'];

async function check(script: string): Promise<void> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--run', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const outcome = await once(child, 'close').then(
    ([status, signal]) => (status === 0 ? 'passed' : `failed with ${status ?? signal}`),
    (error: Error) => `failed: ${error.message}`,
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${script}: ${outcome} after ${seconds} s\n${output}`);
  if (outcome !== 'passed') process.exitCode = 1;
}

await Promise.all(scripts.map(check));
