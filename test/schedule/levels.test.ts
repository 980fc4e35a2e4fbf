import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { problemsOf, expectation } from '../../src/definition/problem.ts';
import { checkSchedule, scheduleOf, sharedSchedule, scheduleShape } from '../../src/schedule/levels.ts';
import { strict } from '../../src/schema/strict.ts';

const Level = strict(scheduleShape).superRefine(checkSchedule);
const hourMs = 3_600_000;

/** What is wrong, as the loader of files would say it. */
function problems(given: unknown): string[] {
  const { error } = Level.safeParse(given, { error: expectation });
  const locate = () => ({ line: 1, column: 1 });
  return problemsOf(error?.issues ?? [], 'shop.yaml', locate).map(({ path, message }) => `${path}: ${message}`);
}

describe('schedule of a definition', () => {
  test('says one pace, in each of its forms', () => {
    const paces: readonly (readonly [given: object, pace: object | undefined])[] = [
      [{}, undefined],
      [{ every: '4h' }, { kind: 'interval', everyMs: 4 * hourMs }],
      [{ cron: '0 6 * * 1' }, { kind: 'cron', pattern: '0 6 * * 1', zone: 'UTC' }],
      [
        { cron: '0 6 * * 1', zone: 'Europe/Berlin' },
        { kind: 'cron', pattern: '0 6 * * 1', zone: 'Europe/Berlin' },
      ],
      [{ tokens: true }, { kind: 'tokens', start: 1, cap: 4, perDay: 3, zone: 'UTC' }],
      [{ tokens: { perDay: 1 } }, { kind: 'tokens', start: 1, cap: 4, perDay: 1, zone: 'UTC' }],
      [{ continuous: true }, { kind: 'continuous', sleepMs: hourMs, longestMs: 6 * hourMs }],
      [{ continuous: { sleep: '0s' } }, { kind: 'continuous', sleepMs: 0, longestMs: 6 * hourMs }],
      [{ continuous: { sleep: '12h' } }, { kind: 'continuous', sleepMs: 12 * hourMs, longestMs: 12 * hourMs }],
      [
        { objective: { warnAfter: '1h', errorAfter: '2h' } },
        { kind: 'objective', warnAfterMs: hourMs, errorAfterMs: 2 * hourMs },
      ],
    ];
    for (const [given, pace] of paces) assert.deepEqual(scheduleOf([Level.parse(given)], 0).pace, pace);
  });

  test('says when a source may be asked, across midnight and by several hours too (O43)', () => {
    const available = [
      { days: ['mon', 'wed', 'thu'], hours: '06:00-08:00' },
      { hours: ['22:00-04:00', '12:00-24:00'], zone: 'Europe/Berlin' },
      { days: ['sun'] },
    ];
    const week = [1, 2, 3, 4, 5, 6, 7];
    assert.deepEqual(scheduleOf([Level.parse({ available })], 0).hours, [
      { days: [1, 3, 4], fromMinute: 360, toMinute: 480, zone: 'UTC' },
      { days: week, fromMinute: 1_320, toMinute: 240, zone: 'Europe/Berlin' },
      { days: week, fromMinute: 720, toMinute: 1_440, zone: 'Europe/Berlin' },
      { days: [7], fromMinute: 0, toMinute: 1_440, zone: 'UTC' },
    ]);
    assert.equal(scheduleOf([Level.parse({ available: { days: ['sun'] } })], 0).hours.length, 1);
  });

  test('the nearest level that says a thing is the one that counts', () => {
    const [target, project, source, daemon] = [
      { cron: '0 6 * * *', objectives: { fields: { price: { warnAfter: '10m' } } } },
      { objectives: { errorAfter: '1d' } },
      {
        tokens: true,
        initialDelay: '5s',
        available: { hours: '06:00-08:00' },
        objectives: { warnAfter: '2d', fields: { price: { errorAfter: '1d' }, title: { errorAfter: '9d' } } },
      },
      { every: '4h', initialDelay: '1s' },
    ].map((level) => Level.parse(level));
    assert.deepEqual(scheduleOf([target ?? {}, project ?? {}, source ?? {}, daemon ?? {}], 0), {
      pace: { kind: 'cron', pattern: '0 6 * * *', zone: 'UTC' },
      initialDelayMs: 5_000,
      hours: [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 360, toMinute: 480, zone: 'UTC' }],
      objectives: [
        { field: '', errorAfterMs: 24 * hourMs },
        { field: 'price', warnAfterMs: 600_000 },
        { field: 'title', errorAfterMs: 216 * hourMs },
      ],
    });
    assert.equal(scheduleOf([{}, {}, source ?? {}, daemon ?? {}], 0).pace?.kind, 'tokens');
    assert.equal(scheduleOf([{}, {}, {}, daemon ?? {}], 0).pace?.kind, 'interval');
  });

  test('of several that watch one place, who asks most often sets the pace, and each promise is kept', () => {
    const of = (...levels: readonly object[]) =>
      sharedSchedule(levels.map((level) => scheduleOf([Level.parse(level)], 0)));
    const paces: readonly (readonly [one: object, other: object, first: boolean])[] = [
      [{ every: '1h' }, { every: '2h' }, true],
      [{ every: '1d' }, { cron: '0 6,18 * * *' }, false],
      [{ every: '1d' }, { cron: '0 6 * * 1' }, true],
      [{ cron: '*/30 * * * *' }, { continuous: { sleep: '1h' } }, true],
      [{ tokens: true }, { every: '2d' }, true],
      [{ tokens: true }, { every: '1d' }, true],
      [{ objective: { errorAfter: '10m' } }, { every: '15m' }, true],
      [{ every: '1h' }, { continuous: { sleep: '0s' } }, false],
    ];
    for (const [one, other, first] of paces) {
      const wanted = scheduleOf([Level.parse(first ? one : other)], 0).pace;
      assert.deepEqual(of(one, other).pace, wanted, JSON.stringify([one, other]));
    }
    const hours = { available: { hours: '06:00-08:00' } };
    assert.equal(of(hours, { available: { hours: '10:00-12:00' } }, hours).hours.length, 2);
    assert.deepEqual(of(hours, {}).hours, []);
    assert.equal(of({ initialDelay: '5s' }, { initialDelay: '1s' }, {}).initialDelayMs, 1_000);
    const fields = { price: { warnAfter: '10m', errorAfter: '1h' }, title: { errorAfter: '1d' } };
    assert.deepEqual(
      of({ objectives: { fields } }, { objectives: { warnAfter: '2h', fields: { price: { errorAfter: '10m' } } } })
        .objectives,
      [
        { field: '', warnAfterMs: 2 * hourMs },
        // A warning that comes no sooner than the breach is none.
        { field: 'price', errorAfterMs: 600_000 },
        { field: 'title', errorAfterMs: 24 * hourMs },
      ],
    );
  });

  const refused: readonly (readonly [what: string, given: object, problem: RegExp])[] = [
    [
      'two paces',
      { every: '4h', cron: '0 6 * * 1' },
      /^cron: expected one of every, cron, tokens, continuous, objective, got "cron" beside "every"$/,
    ],
    ['a zone for nothing', { every: '4h', zone: 'UTC' }, /^zone: expected "cron" beside it/],
    [
      'a cron pattern of a minute too many',
      { cron: '61 * * * *' },
      /^cron: expected a cron pattern like "0 6 \* \* 1", got "61 \* \* \* \*": invalid value for minute: 61$/,
    ],
    ['a cron pattern that never comes', { cron: '0 0 31 2 *' }, /no day of the calendar is meant$/],
    ['seconds in a cron pattern', { cron: '0 0 6 * * 1' }, /five fields are minute, hour, day, month and weekday$/],
    [
      'an unknown zone',
      { cron: '0 6 * * 1', zone: 'Europe/Berln' },
      /^zone: expected a time zone like "Europe\/Berlin", got "Europe\/Berln"; did you mean "Europe\/Berlin"\?$/,
    ],
    ['an abbreviation of a zone', { cron: '0 6 * * 1', zone: 'CET' }, /^zone: expected a time zone/],
    ['tokens that are off', { tokens: false }, /^tokens: expected true or a mapping, got false$/],
    ['more scrapes a day than hours', { tokens: { perDay: 25 } }, /^tokens\.perDay: expected at most 24, got 25$/],
    [
      'a sleep that is no duration',
      { continuous: { sleep: 'long' } },
      /^continuous\.sleep: expected a duration like .*, got "long"$/,
    ],
    ['an objective without ages', { objective: {} }, /^objective: expected warnAfter or errorAfter, got \{\}$/],
    [
      'a sleep that is a number',
      { continuous: { sleep: 0 } },
      /^continuous\.sleep: expected a duration like "15m" \(ms, s, m, h or d\), got 0$/,
    ],
    [
      'a sleep that is hardly one',
      { continuous: { sleep: '1ms' } },
      /^continuous\.sleep: expected "0s" or a duration of 1s at least, got "1ms"$/,
    ],
    [
      'a pause after failures that is shorter than the sleep',
      { continuous: { sleep: '1d', longest: '1h' } },
      /^continuous\.longest: expected a duration of 1d at least, as the sleep is, got 1h$/,
    ],
    [
      'a longest pause that is hardly one',
      { continuous: { sleep: '0s', longest: '1ms' } },
      /^continuous\.longest: expected a duration of 1s at least, got "1ms"$/,
    ],
    [
      'more tokens at the start than are ever kept',
      { tokens: { start: 100, cap: 1 } },
      /^tokens\.start: expected at most 1, as the cap is, got 100$/,
    ],
    ['a part of a scrape', { tokens: { perDay: 1.5 } }, /^tokens\.perDay: expected a whole number, got 1\.5$/],
    ['what is no number', { tokens: { cap: Number.NaN } }, /^tokens\.cap: expected a number, got \.nan$/],
    [
      'an endless number',
      { tokens: { cap: Number.NEGATIVE_INFINITY } },
      /^tokens\.cap: expected a number, got -\.inf$/,
    ],
    [
      'an objective that warns too late',
      { objective: { warnAfter: '2h', errorAfter: '1h' } },
      /^objective: expected a warnAfter that is shorter than errorAfter, got 2h and 1h$/,
    ],
    [
      'objectives that warn too late',
      { objectives: { warnAfter: '1h', errorAfter: '1h', fields: { price: { errorAfter: '1h' } } } },
      /^objectives: expected a warnAfter that is shorter than errorAfter, got 1h and 1h$/,
    ],
    [
      'an objective of next to nothing, for that reason alone',
      { objective: { warnAfter: '1ms', errorAfter: '1h' } },
      /^objective\.warnAfter: expected a duration of 1s at least, got "1ms"$/,
    ],
    ['objectives of nothing', { objectives: {} }, /^objectives: expected warnAfter, errorAfter or fields, got \{\}$/],
    [
      'a field without ages',
      { objectives: { fields: { price: {} } } },
      /^objectives\.fields\.price: expected warnAfter or errorAfter, got \{\}$/,
    ],
    [
      'hours that are none',
      { available: { hours: '06:00-06:00' } },
      /^available\.hours: expected hours that end at another time than they begin/,
    ],
    ['an unknown day', { available: { days: ['monday'] } }, /^available\.days\[0\]: expected one of mon, tue/],
    ['an opening of nothing', { available: {} }, /^available: expected/],
    [
      'a misspelt key',
      { objectives: { warnafter: '1h' } },
      /^objectives\.warnafter: unknown key "warnafter"; did you mean "warnAfter"\?$/,
    ],
  ];
  for (const [what, given, problem] of refused) {
    test(`refuses ${what}`, () => {
      const [first = 'nothing is refused', ...others] = problems(given);
      assert.match(first, problem);
      assert.deepEqual(others, []);
    });
  }

  test('an editor can check it as it is typed', () => {
    assert.doesNotThrow(() => z.toJSONSchema(Level, { io: 'input' }));
  });
});
