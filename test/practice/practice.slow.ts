import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser } from '../support/browser.ts';
import { startPractice } from './practicing.ts';
import { sorted, sayings } from '../../src/practice/sayings.ts';

test(
  'sites whose scripts show what they have are read whole, by rules alone',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const { read } = await startPractice(t, ['scroll', 'late']);
    assert.deepEqual(await read('late', 'text'), sorted(sayings.slice(0, 10)));
    assert.deepEqual(await read('scroll', 'text'), sorted(sayings));
  },
);
