import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { playAll } from './conformance/suite.ts';

const ownFolder = fileURLToPath(new URL('../fixtures/conformance', import.meta.url));
const otpFolder = process.env['OTP_SCENARIOS'];

async function assertAllPass(t: TestContext, folder: string): Promise<void> {
  const failures: string[] = [];
  let passed = 0;
  for await (const outcome of playAll(folder)) {
    if (outcome.verdict === 'passed') passed += 1;
    else if (outcome.verdict === 'failed') failures.push(`${outcome.id}: ${outcome.reason}`);
    else t.diagnostic(`skipped ${outcome.id}: ${outcome.reason}`);
  }
  assert.deepEqual(failures, []);
  assert.ok(passed > 0, 'the folder has no scenario that could be played');
}

test('what happens is what happens in OTP', async (t) => {
  if (otpFolder === undefined || otpFolder === '') {
    t.diagnostic(
      'OTP_SCENARIOS is not set: it names a folder of scenarios and of the traces that OTP produced for them',
    );
    t.skip('OTP_SCENARIOS is not set');
    return;
  }
  await assertAllPass(t, otpFolder);
});

test('what OTP does not have happens as our own scenarios say', (t) => assertAllPass(t, ownFolder));
