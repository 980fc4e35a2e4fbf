import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const file = join(import.meta.dirname, '../fixtures/plugins/impure.suite.ts');

test('the suite finds a plug-in out that keeps state, changes its input or takes any option', async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, ['--test', '--test-reporter=tap', file], { env }, (_error, stdout) => resolve(stdout));
  });
  const verdicts = Array.from(output.matchAll(/^ {4}(?:not )?ok \d+ - .*$/gm), ([line]) => line.trim());
  assert.deepEqual(
    verdicts.map((line) => line.replace(/ \d+ -/, ':')),
    [
      'ok: is a provider, and takes its options',
      'not ok: refuses options that it does not know',
      'not ok: finds the same parameters in an address each time',
      'not ok: asks for the same page each time, by the parameters of an address as by its own',
      'not ok: reads page 1, https://site.test/1, as expected, twice and on another thread',
      'not ok: reads its pages alike in any order',
    ],
  );
  assert.match(output, /Cannot add property 0, object is not extensible/);
});
