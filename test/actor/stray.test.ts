import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./stray-program.ts', import.meta.url));

interface Outcome {
  readonly way: string;
  readonly lastExit: string;
  /** Of the culprit and of a bystander. */
  readonly restarts: readonly number[];
  /** Reported of lives that had ended. */
  readonly strays: readonly string[];
}

function outcomes(): readonly Outcome[] {
  const { stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);
}

describe('stray errors', () => {
  for (const { way, ...outcome } of outcomes()) {
    if (way.endsWith(', late')) {
      test(`${way.replace(', late', '')} after the end of its life is reported, and harms nobody`, () => {
        assert.deepEqual(outcome, { lastExit: 'normal', restarts: [1, 0], strays: ['Error: astray'] });
      });
    } else {
      test(`${way} ends the life it belongs to, and no other, and the tree has the reason`, () => {
        assert.deepEqual(outcome, { lastExit: 'error: astray', restarts: [1, 0], strays: [] });
      });
    }
  }

  test('a stray exception that belongs to no life is not blamed on any', () => {
    assert.equal(spawnSync(process.execPath, [program, 'outside']).status, 1);
  });
});
