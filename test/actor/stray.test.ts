import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./stray-program.ts', import.meta.url));

function run(way: string): { status: number | null; stdout: string } {
  return spawnSync(process.execPath, [program, way], { encoding: 'utf8' });
}

describe('stray errors', () => {
  const ways = [
    'a rejection in a task',
    'a late rejection in a task',
    'an exception in a timer of a task',
    'a rejection in receive',
    'an exception in a microtask of receive',
  ];
  for (const way of ways) {
    test(`${way} ends the life it belongs to, and no other`, () => {
      assert.deepEqual(run(way).stdout, 'error Error: astray, 1 left');
    });
  }

  test('a stray exception that belongs to no life is not blamed on any', () => {
    assert.equal(run('none of them').status, 1);
  });
});
