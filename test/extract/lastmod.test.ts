import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latestChange } from '../../src/extract/lastmod.ts';

test('a lastmod counts to the end of what it says, by the clocks that are farthest behind where it names none', () => {
  const cases: Readonly<Record<string, string | undefined>> = {
    '2026-03-14': '2026-03-15T12:00:00Z',
    '2026-03': '2026-04-01T12:00:00Z',
    '2026': '2027-01-01T12:00:00Z',
    '2026-03-14T09:30Z': '2026-03-14T09:31:00Z',
    '2026-03-14T09:30:15.5+02:00': '2026-03-14T07:30:16Z',
    ' 2026-03-14T09:30:15-0500 ': '2026-03-14T14:30:16Z',
    '2026-03-14 09:30:15': '2026-03-14T21:30:16Z',
    '2026-02-30': undefined,
    '2026-03-14T25:00Z': undefined,
    '14 March 2026': undefined,
    '': undefined,
  };
  for (const [text, expected] of Object.entries(cases))
    assert.equal(latestChange(text), expected === undefined ? undefined : Date.parse(expected), text);
});
