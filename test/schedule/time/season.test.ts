import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { objectivesAt } from '../../../src/schedule/time/in-season.ts';
import { seasonAt, seasonEndedAt, seasonFault } from '../../../src/schedule/time/season.ts';

const hourMs = 3_600_000;
const at = (text: string): number => Date.parse(text);
const spanText = (span: ReturnType<typeof seasonAt>): readonly string[] | undefined =>
  span && [span.from, span.to].map((each) => new Date(each).toISOString().slice(0, 16));

describe('a season', () => {
  test('holds from the begin of its first day to the end of its last, by the clocks of its zone', () => {
    const year = { from: '2026-11-20', to: '2026-12-31' };
    const whole = ['2026-11-20T00:00', '2027-01-01T00:00'];
    assert.deepEqual(spanText(seasonAt(year, at('2026-01-01'))), whole);
    assert.deepEqual(spanText(seasonAt(year, at('2026-12-31T23:59:59Z'))), whole);
    assert.equal(seasonAt(year, at('2027-01-01')), undefined);
    assert.equal(seasonEndedAt(year, at('2027-01-01')), at('2027-01-01'));
    assert.equal(seasonEndedAt(year, at('2026-12-01')), undefined);
    const berlin = { from: '2026-03-29', to: '2026-03-29', zone: 'Europe/Berlin' };
    assert.deepEqual(spanText(seasonAt(berlin, at('2026-03-01'))), ['2026-03-28T23:00', '2026-03-29T22:00']);
  });

  test('of each year comes again, also one that goes over new year, or to a day that not each year has', () => {
    const winter = { from: '11-20', to: '01-06' };
    assert.deepEqual(spanText(seasonAt(winter, at('2027-01-06T23:00Z'))), ['2026-11-20T00:00', '2027-01-07T00:00']);
    assert.deepEqual(spanText(seasonAt(winter, at('2027-01-07'))), ['2027-11-20T00:00', '2028-01-07T00:00']);
    assert.equal(seasonEndedAt(winter, at('2027-05-01')), at('2027-01-07'));
    const leap = { from: '02-01', to: '02-29' };
    assert.deepEqual(spanText(seasonAt(leap, at('2027-02-28T12:00Z'))), ['2027-02-01T00:00', '2027-03-01T00:00']);
    assert.deepEqual(spanText(seasonAt(leap, at('2028-02-29T12:00Z'))), ['2028-02-01T00:00', '2028-03-01T00:00']);
  });

  test('is refused without its begin or its end, in two forms, and where it ends before it begins', () => {
    for (const [season, fault] of [
      [{ from: '11-20' }, /expected "to" beside "from"/],
      [{ zone: 'UTC' }, /expected "from" and "to" beside "zone"/],
      [{ from: '2026-11-20', to: '12-31' }, /two days with a year, or two of each year/],
      [{ from: '2026-12-31', to: '2026-11-20' }, /on the day of "to" or before/],
    ] as const)
      assert.match(seasonFault(season) ?? '', fault);
    assert.equal(seasonFault({ from: '2026-11-20', to: '2026-11-20' }), undefined);
  });
});

describe('several objectives', () => {
  const given = [
    { warnAfter: 24 * hourMs, fields: { price: { errorAfter: 12 * hourMs } } },
    { fields: { price: { warnAfter: hourMs } }, from: '11-20', to: '12-31' },
    { fields: { price: { warnAfter: 2 * hourMs } }, from: '12-01', to: '12-01' },
  ];

  test('hold in their seasons: of one field the shortest that does', () => {
    const { objectives, resting, changesAt } = objectivesAt(given, at('2026-12-01T08:00Z'));
    assert.deepEqual(objectives, [
      { field: '', warnAfterMs: 24 * hourMs },
      { field: 'price', warnAfterMs: hourMs, errorAfterMs: 12 * hourMs, since: at('2026-11-20') },
    ]);
    assert.deepEqual([resting, changesAt], [[], at('2026-12-02')]);
    const before = objectivesAt(given, at('2026-11-19T23:00Z'));
    assert.deepEqual(before.objectives, [
      { field: '', warnAfterMs: 24 * hourMs },
      { field: 'price', errorAfterMs: 12 * hourMs },
    ]);
    assert.equal(before.changesAt, at('2026-11-20'));
    assert.deepEqual(
      before.resting.map(({ field, endedAt, beginsAt }) => [field, endedAt, beginsAt]),
      [
        ['price', at('2026-01-01'), at('2026-11-20')],
        ['price', at('2025-12-02'), at('2026-12-01')],
      ],
    );
  });
});
