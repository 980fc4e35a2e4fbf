import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dayOf, plusDays, resumeDay, type Window, windowsBetween } from '../../src/scrape/windows.ts';

const day = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const length = fc.integer({ min: 1, max: 400 });

function daysOf({ from, to }: Window): string[] {
  const days: string[] = [];
  for (let each = from; each <= to; each = plusDays(each, 1)) days.push(each);
  return days;
}

describe('windows', () => {
  test('of 100 days take a year in four, the last cut at its end (O30)', () => {
    assert.deepEqual(
      [...windowsBetween('2008-01-01', '2008-12-31', 100)],
      [
        { from: '2008-01-01', to: '2008-04-10' },
        { from: '2008-04-11', to: '2008-07-20' },
        { from: '2008-07-21', to: '2008-10-29' },
        { from: '2008-10-30', to: '2008-12-31' },
      ],
    );
  });

  test('cover every day once, in order, whatever their length', () => {
    fc.assert(
      fc.property(day, fc.nat(2_000), length, (from, span, days) => {
        const to = plusDays(from, span);
        const covered = [...windowsBetween(from, to, days)].flatMap(daysOf);
        assert.deepEqual(covered, daysOf({ from, to }));
      }),
    );
  });

  test('are none when the first day lies behind the last (O32)', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 500 }), length, (from, before, days) => {
        assert.deepEqual([...windowsBetween(from, plusDays(from, -before), days)], []);
      }),
    );
  });
});

describe('the day to go on from', () => {
  const start = { start: '2008-01-01', overlap: 0 };

  test('is the start where nothing is known (O28)', () => {
    assert.equal(resumeDay({}, start), '2008-01-01');
    assert.equal(resumeDay({}, { ...start, overlap: 9 }), '2008-01-01');
  });

  test('is the newest day that is known (O28)', () => {
    assert.equal(resumeDay({ published: '2016-03-05T23:59:00.000Z' }, start), '2016-03-05');
  });

  test('is the lesser of the newest of two (O29)', () => {
    assert.equal(resumeDay({ published: '2016-03-05', updated: '2016-02-01T00:00:00.000Z' }, start), '2016-02-01');
  });

  test('lies so many days before that as are read again', () => {
    assert.equal(resumeDay({ published: '2016-03-05' }, { ...start, overlap: 5 }), '2016-02-29');
  });
});

describe('a day', () => {
  test('is that of UTC, whatever the time', () => {
    assert.equal(dayOf(Date.UTC(2026, 0, 1, 23, 59)), '2026-01-01');
  });
});
