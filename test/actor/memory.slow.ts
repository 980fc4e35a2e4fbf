import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('./memory-program.ts', import.meta.url));
/** What the engine itself may come and go with. */
const allowedBytes = 500_000;

/**
 * Without these V8 itself comes and goes with megabytes: it drops the code of functions, loads that of others from a cache as they are
 * called, and optimises some in the background.
 */
const steady = ['--no-flush-bytecode', '--no-opt', '--no-maglev'];
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };

async function assertFlat(t: TestContext, plan: string): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ...steady, program, plan], { env });
  const [early = 0, late = Infinity] = JSON.parse(stdout) as readonly number[];
  t.diagnostic(`heap ${(early / 1e6).toFixed(2)} MB after a tenth of it, ${(late / 1e6).toFixed(2)} MB after all`);
  assert.ok(late - early < allowedBytes);
}

test('ten million messages leave nothing behind', (t) => assertFlat(t, 'messages'));

test('a million starts and stops, half of them crashes, leave nothing behind', (t) => assertFlat(t, 'starts'));
