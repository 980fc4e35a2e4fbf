import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

const program = `
  const { createLogger } = await import(${JSON.stringify(new URL('../src/log.ts', import.meta.url).href)});
  process.stdout.write('ready');
  process.stdin.once('end', () => {
    createLogger('info').info('the last line');
    process.exit();
  }).resume();
`;

test('a process whose log nobody reads any more ends all the same', async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.stderr.destroy();
  await once(child.stderr, 'close');
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
  child.stdin.end();
  assert.deepEqual(await ended, [0, null]);
});
