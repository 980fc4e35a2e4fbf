import { test } from 'node:test';
import { assertCorrected } from './misread.ts';

test('a month of history that a wrong rule gave is right once its pages were read again', { timeout: 600_000 }, (t) =>
  assertCorrected(t, 86_400_000),
);
