import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readValue, type ScalarRule } from '../../../src/extract/value/all.ts';
import { dateOptions } from '../../../src/extract/value/date-format.ts';
import * as z from 'zod';

/** A Monday. */
const observedAt = Date.UTC(2026, 10, 23, 10, 30);

type Rule = Extract<ScalarRule, { readonly type: 'date' | 'datetime' }>;

/** What a text is read as, with its precision if it says less than the type; else what was expected in its place. */
function read(text: string, rule: Rule, at: number | undefined = observedAt): string {
  const found = readValue(text, rule, '', at);
  if (!found.ok) return `expected ${found.expected}`;
  return `${typeof found.value === 'string' ? found.value : ''}${found.precision === undefined ? '' : ` (${found.precision})`}`;
}

describe('dates as people write them', () => {
  for (const [locale, text, value] of [
    ['en', '9th March 2026', '2026-03-09'],
    ['en', 'Mon., Sept. 7, 2026', '2026-09-07'],
    ['en', '[Sept] 04, 2014.', '2014-09-04'],
    ['en', 'March 2017', '2017-03-01 (month)'],
    ['en', '2017-01', '2017-01-01 (month)'],
    ['en', '3 days ago', '2026-11-20'],
    ['en', 'the day before yesterday', '2026-11-21'],
    ['en', '2 weeks ago', '2026-11-09 (week)'],
    ['en', '2 months ago', '2026-09-23 (month)'],
    ['de', 'Sa., 14. März 2026', '2026-03-14'],
    ['de', '18.10.2026', '2026-10-18'],
    ['de', 'vor einem Tag', '2026-11-22'],
    ['de', 'übermorgen', '2026-11-25'],
    ['fr', 'le 1er février 2026', '2026-02-01'],
    ['fr', '11 DECEMBRE 2026', '2026-12-11'],
    ['fr', 'avant-hier', '2026-11-21'],
    ['es', 'Martes 21 de Octubre de 2014', '2014-10-21'],
    ['es', 'mar 3 mar 2026', '2026-03-03'],
    ['ru', '13 авг. 2005г.', '2005-08-13'],
    ['ru', 'неделю назад', '2026-11-16 (week)'],
    ['ru', '2000 год', '2000-01-01 (year)'],
    ['ja', '2016年3月20日(日)', '2016-03-20'],
    ['ko', '2026년 3월 9일 월요일', '2026-03-09'],
    ['zh', '3天前', '2026-11-20'],
    ['ar', 'قبل ٣ أيام', '2026-11-20'],
    ['he', '9 במרץ 2026', '2026-03-09'],
    ['sv', 'för 3 dagar sedan', '2026-11-20'],
    ['en-US', '03/04/2026', '2026-03-04'],
    ['en-GB', '03/04/2026', '2026-04-03'],
    ['en', '13/03/2026', '2026-03-13'],
  ] as const) {
    test(`"${text}" in ${locale} is the day ${value}`, () => {
      assert.equal(read(text, { type: 'date', locale }), value);
    });
  }

  for (const [locale, text, value] of [
    ['en', 'yesterday 14:05', '2026-11-22T14:05:00.000Z (minute)'],
    ['en', 'today at noon', '2026-11-23T12:00:00.000Z (minute)'],
    ['en', 'April 9, 2013 at 6:11 a.m.', '2013-04-09T06:11:00.000Z (minute)'],
    ['en', '12:30 am 3 March 2026', '2026-03-03T00:30:00.000Z (minute)'],
    ['en', '2 days ago 5pm', '2026-11-21T17:00:00.000Z (hour)'],
    ['en', '1 hour and 5 minutes ago', '2026-11-23T09:25:00.000Z (minute)'],
    ['en', 'just now', '2026-11-23T10:30:00.000Z'],
    ['en', 'yesterday', '2026-11-22T00:00:00.000Z (day)'],
    ['en', '1.5 days ago', '2026-11-21T22:30:00.000Z (hour)'],
    ['en', '21 January 2012 13:11:23.678', '2012-01-21T13:11:23.678Z'],
    ['en', 'Wed Aug 05 12:00:00 2015', '2015-08-05T12:00:00.000Z'],
    ['en', 'Sep 03 2014 | 4:32 pm EDT', '2014-09-03T20:32:00.000Z (minute)'],
    ['en', '3 March 2026 10:00 GMT+2', '2026-03-03T08:00:00.000Z (minute)'],
    ['en', '15 May 2004 16:10 -0400', '2004-05-15T20:10:00.000Z (minute)'],
    ['de', '18. Oktober 2014 um 22.56 Uhr', '2014-10-18T22:56:00.000Z (minute)'],
    ['de', 'gestern, 9 Uhr', '2026-11-22T09:00:00.000Z (hour)'],
    ['fr', '22 janvier 2015 à 14h40', '2015-01-22T14:40:00.000Z (minute)'],
    ['fr', 'il y a 2 h 30 min', '2026-11-23T08:00:00.000Z (minute)'],
    ['es', '1 de mayo de 2026 a las 5 p. m.', '2026-05-01T17:00:00.000Z (hour)'],
    ['ru', '28 октября 2014 г. в 07:54', '2014-10-28T07:54:00.000Z (minute)'],
    ['fi', '28.5.2020 klo 16.45', '2020-05-28T16:45:00.000Z (minute)'],
    ['ko', '2026년 3월 9일 오후 2:05', '2026-03-09T14:05:00.000Z (minute)'],
    ['zh', '昨天 14:05', '2026-11-22T14:05:00.000Z (minute)'],
  ] as const) {
    test(`"${text}" in ${locale} is the instant ${value}`, () => {
      assert.equal(read(text, { type: 'datetime', locale }), value);
    });
  }

  test('are refused where a word of the text is no part of a date, or two readings differ', () => {
    for (const [locale, text] of [
      ['en', 'now in stock'],
      ['en', 'updated 5 minutes ago'],
      ['en', '5 minutes ago by John'],
      ['en', '10'],
      ['en', '2014'],
      ['en', '3-5 March 2026'],
      ['en', '3 March 2026 10:30-11:30'],
      ['en', '3 March 2026 to 5 March 2026'],
      ['en', 'Monday, 3 March 2026'],
      ['en', '30 February 2026'],
      ['en', '3 March 2026 10:00 CST'],
      ['en', '03/04/2026'],
      ['en-US', '13/03/2026'],
      ['en', '1-2 days ago'],
      ['en', '1,234 days ago'],
      ['en', 'hours ago'],
      ['en', '2 days 2 days ago'],
      ['en', '1.5 days ago 14:05'],
      ['en', 'March 2026 14:05'],
      ['en', 'in 8500 years'],
      ['en', '2000000000 seconds ago'],
      ['de', 'am Morgen'],
      ['de', 'seit 2 Tagen'],
      ['es', 'hace 5 m'],
      ['ru', '5 м назад'],
      ['hi', 'कल'],
      ['ja', '3日'],
    ] as const)
      for (const prefer of [undefined, 'past'] as const)
        assert.match(
          read(text, { type: 'date', locale, ...(prefer && { prefer }) }),
          /^expected /,
          `${locale}: ${text}`,
        );
  });

  test('tell what is missing: a region, a direction, an instant to count from', () => {
    const { en, de } = { en: { type: 'date', locale: 'en' }, de: { type: 'date', locale: 'de' } } as const;
    assert.match(read('03/04/2026', en), /not 2026-04-03 or 2026-03-04: give `formats`, or a `locale` with its region/);
    assert.match(read('9. März', de), /or `prefer: past`/);
    assert.match(read('3 days ago', en, Number.NaN), /expected/);
    const found = readValue('3 days ago', en, '');
    assert.match(found.ok ? '' : found.expected, /when the page came/);
    // `prefer` is what they lack first, whether it is known when the page came or not.
    for (const text of ['03.03.26', '3. März', 'Freitag', '14:05']) {
      const kept = readValue(text, de, '');
      assert.match(
        kept.ok ? '' : kept.expected,
        /its year with four digits, or `prefer: past` or `prefer: future`/,
        text,
      );
    }
  });

  test('tell what is wrong: the day of the week, or a day that there is none of', () => {
    const de = { type: 'date', locale: 'de' } as const;
    assert.equal(read('Mo, 3. März 2026', de), 'expected the day of the week to be right: 2026-03-03 is a Tuesday');
    for (const text of ['31. Februar 2026', '31. Februar']) assert.equal(read(text, de), 'expected a day that exists');
    assert.equal(read('31. Februar', { ...de, prefer: 'past' }), 'expected a day that exists');
    assert.equal(read('Di, 03.04.2026', { ...de, locale: 'en' }), 'expected a date as people write it in "en"');
  });

  test('take the one order of numbers in which the day of the week is right', () => {
    assert.equal(read('Friday, 03/04/2026', { type: 'date', locale: 'en' }), '2026-04-03');
  });

  for (const [text, past, future] of [
    ['9th March', '2026-03-09', '2027-03-09'],
    ['12 Sept', '2026-09-12', '2027-09-12'],
    ['Nov 23', '2026-11-23', '2026-11-23'],
    ['29 Feb', '2024-02-29', '2028-02-29'],
    ['Friday', '2026-11-20', '2026-11-27'],
    ['3/3/50', '1950-03-03', '2050-03-03'],
    ['5 days', '2026-11-18', '2026-11-28'],
    ['10:31', '2026-11-22', '2026-11-23'],
  ] as const) {
    test(`"${text}" is ${past} where the past is preferred, ${future} where the future is, and refused otherwise`, () => {
      const rule = { type: 'date', locale: 'en' } as const;
      assert.equal(read(text, { ...rule, prefer: 'past' }), past);
      assert.equal(read(text, { ...rule, prefer: 'future' }), future);
      assert.match(read(text, rule), /prefer/);
    });
  }

  test('find a leap day over a century that has none', () => {
    const rule = { type: 'date', locale: 'en', prefer: 'future' } as const;
    assert.equal(read('29 Feb', rule, Date.UTC(2096, 2, 1)), '2104-02-29');
  });

  test('that name the day of the week of today are refused: they may be a week away', () => {
    assert.match(read('Monday', { type: 'date', locale: 'en', prefer: 'past' }), /^expected/);
  });

  test('are of the zone, whose clocks show a time once or not at all', () => {
    const rule = { type: 'datetime', locale: 'de', zone: 'Europe/Berlin' } as const;
    assert.equal(read('14. Juli 2026, 12:00', rule), '2026-07-14T10:00:00.000Z (minute)');
    assert.equal(read('gestern', rule), '2026-11-21T23:00:00.000Z (day)');
    assert.match(read('29. März 2026, 02:30', rule), /clocks of its zone show once/);
    assert.match(read('25. Oktober 2026, 02:30', rule), /clocks of its zone show once/);
    assert.match(read('2026-10-25 02:30', rule), /clocks of its zone show once/);
    assert.equal(read('2026-07-14 12:00', rule), '2026-07-14T10:00:00.000Z (minute)');
    const formats = ['d.M.yyyy H:mm'];
    assert.match(read('29.3.2026 2:30', { ...rule, formats }), /clocks of its zone show once/);
    assert.match(read('25.10.2026 2:30', { ...rule, formats }), /clocks of its zone show once/);
    assert.equal(read('25.10.2026 3:30', { ...rule, formats }), '2026-10-25T02:30:00.000Z (minute)');
  });

  test('tell by their formats how much they say', () => {
    assert.equal(read('2017-01', { type: 'date', formats: ['%Y-%m'] }), '2017-01-01 (month)');
    assert.equal(read('2017', { type: 'date', formats: ['yyyy'] }), '2017-01-01 (year)');
    assert.equal(read('2017-01', { type: 'date', formats: ['ISO'] }), '2017-01-01 (month)');
    assert.equal(read('21.11.2026', { type: 'datetime', formats: ['dd.MM.yyyy'] }), '2026-11-21T00:00:00.000Z (day)');
  });

  test('need a language with the calendar of the common era', () => {
    const { locale } = dateOptions(z);
    assert.match(locale.safeParse('th').error?.issues[0]?.message ?? '', /"buddhist": write "th-u-ca-gregory"/);
    assert.ok(locale.safeParse('th-u-ca-gregory').success);
    assert.equal(read('9 มีนาคม 2026', { type: 'date', locale: 'th-u-ca-gregory' }), '2026-03-09');
  });

  const locales =
    'en-US en-GB de fr es it pt nl sv da nb fi pl cs sk hu ro bg uk ru el tr he ar ja ko zh vi id hr lt et'.split(' ');
  const day = fc.date({ min: new Date('1980-01-01'), max: new Date('2080-12-31'), noInvalidDate: true });

  test('are read back as the day that Intl has written in any of 30 languages', () => {
    fc.assert(
      fc.property(
        day,
        fc.constantFrom(...locales),
        fc.constantFrom('full', 'long', 'medium'),
        (date, locale, dateStyle) => {
          const text = new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' }).format(date);
          const found = read(text, { type: 'date', locale });
          const isShort = !text.normalize('NFKC').includes(String(date.getUTCFullYear())) && !/[٠-٩]/.test(text);
          if (!isShort) assert.equal(found, date.toISOString().slice(0, 10), `${locale}: ${text}`);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('are never read as another amount of time than the one that Intl has written', () => {
    const units = ['year', 'month', 'week', 'day', 'hour', 'minute'] as const;
    const styles = ['long', 'short', 'narrow'] as const;
    let [told, all] = [0, 0];
    for (const locale of locales)
      for (const unit of units)
        for (const style of styles)
          for (const amount of [-30, -5, -2, -1, 1, 2, 5]) {
            const text = new Intl.RelativeTimeFormat(locale, { style }).format(amount, unit);
            const expected = new Date(observedAt);
            if (unit === 'year') expected.setUTCFullYear(2026 + amount);
            if (unit === 'month') expected.setUTCMonth(10 + amount);
            const ms = { week: 604_800_000, day: 86_400_000, hour: 3_600_000, minute: 60_000 }[unit as 'day'];
            const at = ms === undefined ? expected : new Date(observedAt + amount * ms);
            const found = read(text, { type: 'date', locale });
            all += 1;
            if (found.startsWith('expected')) continue;
            told += 1;
            assert.ok(found.startsWith(at.toISOString().slice(0, 10)), `${locale}: ${text} was read as ${found}`);
          }
    assert.ok(told / all > 0.9, `${told} of ${all}`);
  });
});
