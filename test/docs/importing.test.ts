import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Watch } from '../../src/import/changedetection/schema.ts';
import { idleKeys, Job, lostKeys } from '../../src/import/urlwatch/schema.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/importing.md'), 'utf8');
const [ofChangedetection = '', ofUrlwatch = ''] =
  text.split('\n## changedetection.io\n')[1]?.split('\n## urlwatch\n') ?? [];

/** The names in code of the first column of the tables in a text. */
function namesIn(part: string): ReadonlySet<string> {
  const cells = Array.from(part.matchAll(/^\| (?!there|---)(.*?) \|/gm), ([, cell = '']) => cell);
  return new Set(cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)));
}

test('the docs say of each setting of a watch of changedetection.io what becomes of it', () => {
  const told = namesIn(ofChangedetection);
  assert.deepEqual(
    Object.keys(Watch.shape).filter((key) => !told.has(key)),
    [],
  );
});

test('the docs say of each key of a job of urlwatch what becomes of it', () => {
  const told = namesIn(ofUrlwatch);
  const keys = [...Object.keys(Job.shape), ...Object.keys(lostKeys), ...idleKeys];
  assert.deepEqual(
    keys.filter((key) => !told.has(key)),
    [],
  );
});
