import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeExtractFailure } from '../../src/extract/describe.ts';

test('every failure of an extraction is told in a sentence', () => {
  assert.equal(describeExtractFailure({ code: 'not_html', mediaType: 'image/png' }), 'not an HTML page: image/png');
  assert.equal(describeExtractFailure({ code: 'empty' }), 'the page is empty');
  assert.equal(
    describeExtractFailure({ code: 'no_record', missing: ['a.b', 'a.c'] }),
    'no record on the page: missing a.b, a.c',
  );
  assert.equal(
    describeExtractFailure({ code: 'extract_timeout', afterMs: 5_000 }),
    'reading the page took longer than 5000 ms',
  );
  assert.equal(
    describeExtractFailure({ code: 'extract_crashed', cause: 'out of memory' }),
    'reading the page crashed: out of memory',
  );
});
