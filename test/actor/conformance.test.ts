import assert from 'node:assert/strict';
import { test } from 'node:test';
import { playAll } from './conformance/suite.ts';

const folder = process.env['OTP_SCENARIOS'];

test('what happens is what happens in OTP', async (t) => {
  if (folder === undefined || folder === '') {
    t.diagnostic(
      'OTP_SCENARIOS is not set: it names a folder of scenarios and of the traces that OTP produced for them',
    );
    t.skip('OTP_SCENARIOS is not set');
    return;
  }
  const failures: string[] = [];
  let passed = 0;
  for await (const outcome of playAll(folder)) {
    if (outcome.verdict === 'passed') passed += 1;
    else if (outcome.verdict === 'failed') failures.push(`${outcome.id}: ${outcome.reason}`);
    else t.diagnostic(`skipped ${outcome.id}: ${outcome.reason}`);
  }
  assert.deepEqual(failures, []);
  assert.ok(passed > 0, 'the folder has no scenario that could be played');
});
