import { playAll } from './suite.ts';

/** Plays the scenarios of a folder, given as an argument or as `OTP_SCENARIOS`, and prints what became of them. */
const folder = process.argv[2] ?? process.env['OTP_SCENARIOS'];
const counts = { passed: 0, failed: 0, skipped: 0 };

if (folder === undefined || folder === '') {
  console.log(
    'No scenarios were played: name the folder that holds scenarios/ and expected/, or set OTP_SCENARIOS to it.',
  );
} else {
  for await (const outcome of playAll(folder)) {
    counts[outcome.verdict] += 1;
    if (outcome.verdict !== 'passed') console.log(`${outcome.verdict} ${outcome.id}: ${outcome.reason}`);
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
