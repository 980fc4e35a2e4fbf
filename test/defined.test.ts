import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defined } from '../src/defined.ts';

test('a property without a value is left out, and every other value is kept', () => {
  const fields = { missing: undefined, none: null, empty: '', zero: 0, no: false, name: 'a' };
  assert.deepEqual(Object.keys(defined(fields)), ['none', 'empty', 'zero', 'no', 'name']);
  assert.deepEqual({ id: 1, ...defined(fields) }, { id: 1, none: null, empty: '', zero: 0, no: false, name: 'a' });
});
