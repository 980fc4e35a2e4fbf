import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';
import {
  dateFormatFault,
  type DateOptions,
  isZoneOrOffset,
  luxonFormat,
} from '../../../src/extract/value/date-format.ts';
import { isLocale } from '../../../src/extract/value/locale.ts';
import { readValue } from '../../../src/extract/value/all.ts';

function read(type: 'date' | 'datetime', text: string, options: DateOptions): unknown {
  const found = readValue(text, { type, ...options }, 'http://site.test/');
  return found.ok ? found.value : undefined;
}

describe('dates of a given form', () => {
  for (const [text, options, value] of [
    ['2017-01', { formats: ['%Y-%m'] }, '2017-01-01'],
    ['2017-01-01', { formats: ['%Y-%m'] }, undefined],
    ['2017-01', { formats: ['%Y-%m', '%Y-%m-%d'] }, '2017-01-01'],
    ['2017-01-31', { formats: ['%Y-%m', '%Y-%m-%d'] }, '2017-01-31'],
    ['March 5, 2016', { formats: ['%B %d, %Y'] }, '2016-03-05'],
    ['march  05, 2016', { formats: ['%B %d, %Y'] }, '2016-03-05'],
    ['Nov 3 2026', { formats: ['%b %-d %Y'] }, '2026-11-03'],
    ['21.11.26', { formats: ['%d.%m.%y'] }, '2026-11-21'],
    ['21. November 2026', { formats: ['d. MMMM yyyy'], locale: 'de' }, '2026-11-21'],
    ['21 févr. 2026', { formats: ['d MMM yyyy'], locale: 'fr' }, '2026-02-21'],
    ["o'clock 2026", { formats: ['%Y', "o'clock %Y"] }, '2026-01-01'],
    ['100% 2026', { formats: ['100%% %Y'] }, '2026-01-01'],
    ['2026-325', { formats: ['%Y-%j'] }, '2026-11-21'],
    ['30 February 2026', { formats: ['%d %B %Y'] }, undefined],
    ['2026-11-21T23:30:00-08:00', { formats: ['ISO'] }, '2026-11-21'],
    ['Sat, 21 Nov 2026 10:00:00 GMT', { formats: ['RFC2822'] }, '2026-11-21'],
  ] as const) {
    test(`${JSON.stringify(text)} as ${options.formats.join(' or ')} is ${value ?? 'refused'} (O8, O9, O10)`, () => {
      assert.equal(read('date', text, options), value);
    });
  }

  for (const [text, options, value] of [
    ['21/11/2026 10:05 PM', { formats: ['%d/%m/%Y %I:%M %p'] }, '2026-11-21T22:05:00.000Z'],
    ['21.11.2026 10:05', { formats: ['dd.MM.yyyy HH:mm'], zone: 'Europe/Berlin' }, '2026-11-21T09:05:00.000Z'],
    ['21.7.2026 10:05', { formats: ['d.M.yyyy HH:mm'], zone: 'Europe/Berlin' }, '2026-07-21T08:05:00.000Z'],
    ['2026-11-21 10:05:01 +0200', { formats: ['%Y-%m-%d %H:%M:%S %z'] }, '2026-11-21T08:05:01.000Z'],
    ['Sat, 21 Nov 2026 10:00:00 EST', { formats: ['RFC2822'] }, '2026-11-21T15:00:00.000Z'],
    ['2026-11-21', { formats: ['%Y-%m-%d'] }, '2026-11-21T00:00:00.000Z'],
    ['1763719200', { formats: ['%s'] }, '2025-11-21T10:00:00.000Z'],
  ] as const) {
    test(`${JSON.stringify(text)} as ${options.formats.join(' or ')} is the instant ${value} (O11)`, () => {
      assert.equal(read('datetime', text, options), value);
    });
  }

  for (const [text, day, instant] of [
    ['2017-01-05 10:00:01', '2017-01-05', '2017-01-05T10:00:01.000Z'],
    ['2017-01-05 10:00:01.25 UTC', '2017-01-05', '2017-01-05T10:00:01.250Z'],
    ['2017-01-05T10:00 GMT', '2017-01-05', '2017-01-05T10:00:00.000Z'],
    ['20170105', '2017-01-05', undefined],
    ['20170105T100001Z', '2017-01-05', '2017-01-05T10:00:01.000Z'],
    ['20170105T1000+0200', '2017-01-05', '2017-01-05T08:00:00.000Z'],
    ['2017/01/05', '2017-01-05', undefined],
    ['2017/01/05 10:00:01', '2017-01-05', '2017-01-05T10:00:01.000Z'],
    ['Thu, 05 Jan 2017 10:00:01 GMT', '2017-01-05', '2017-01-05T10:00:01.000Z'],
    ['Thursday, 05-Jan-17 10:00:01 GMT', '2017-01-05', '2017-01-05T10:00:01.000Z'],
    ['Thu Jan  5 10:00:01 2017', '2017-01-05', '2017-01-05T10:00:01.000Z'],
    ['Fri Jan  6 10:00:01 2017', '2017-01-06', '2017-01-06T10:00:01.000Z'],
    ['Thu Jan 05 2017 10:00:01 GMT+0100 (CET)', '2017-01-05', '2017-01-05T09:00:01.000Z'],
    ['Fri Jan  5 10:00:01 2017', undefined, undefined],
    ['Friday, 05-Jan-17 10:00:01 GMT', undefined, undefined],
    ['20171301', undefined, undefined],
    ['20170230', undefined, undefined],
    ['2017/13/05', undefined, undefined],
    ['05/01/2017', undefined, undefined],
    ['201701', undefined, undefined],
    ['1483610401', undefined, undefined],
  ] as const)
    test(`${JSON.stringify(text)} is read without options as programs write it: ${day ?? 'refused'} (O11)`, () => {
      assert.deepEqual([read('date', text, {}), read('datetime', text, {})], [day, instant]);
    });

  test('that fit no form are shown with all of them (O9)', () => {
    assert.deepEqual(readValue('soon', { type: 'date', formats: ['%B %Y', 'yyyy-MM-dd'] }, ''), {
      ok: false,
      text: 'soon',
      expected: 'a date of the form "%B %Y" or "yyyy-MM-dd"',
    });
  });

  for (const [format, fault] of [
    ['%Y-%m-%d', undefined],
    ['yyyy-MM-dd', undefined],
    ['ISO', undefined],
    ['%Q %Y', /"%Q" is no token/],
    ['%d %B', /no year/],
    ['HH:mm', /no year/],
    ["yyyy 'YYYY'", undefined],
    ['DDD', undefined],
    ['YYYY-MM', /"YYYY" is no token of Luxon: write "yyyy", or "'YYYY'"/],
    ['DD.MM.YYYY', /"DD" is no token of Luxon beside others: write "dd"/],
    ['dd.MM.YYYY', /"YYYY" is no token/],
    ['dd.MM.YY', /"YYYY" is no token|"YY" is no token of Luxon: write "yy"/],
    ['d de MMMM yyyy', /"e" is no token of Luxon: write "'e'"/],
    ['yyyy-MM-ddTHH:mm', /"T" is no token of Luxon beside others/],
    ['dd.mm.yyyy', /minutes \(mm\) and no hour; MM is the month/],
    ['%d.%M.%Y', /minutes \(%M\) and no hour; %m is the month/],
    ['dd yyyy', /a day and no month/],
    ['dd.MM.yyyy hh:mm', /an hour of 12 \(h\) and no "a"; H is one of 24/],
    ["'yyyy'", /no year/],
    ['%Y %', /"%" is no token/],
  ] as const) {
    test(`"${format}" is ${fault === undefined ? 'a format' : `no format: ${fault.source}`} (P19)`, () => {
      const found = dateFormatFault(format);
      if (fault === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', fault);
    });
  }

  test('what is written in a format of strptime is read as the same day by it and by its counterpart of Luxon', () => {
    const formats = ['%Y-%m-%d', '%d.%m.%Y', '%B %d, %Y', '%A, %d %b %Y', '%Y%j', 'on %m/%d/%Y', '%F'];
    const day = fc.date({ min: new Date('1970-01-01'), max: new Date('2069-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(day, fc.constantFrom(...formats), fc.constantFrom('en', 'de', 'fr'), (date, strptime, locale) => {
        const pattern = luxonFormat(strptime);
        assert.ok('format' in pattern);
        const luxon = pattern.format;
        const padded = strptime === '%Y%j' ? 'yyyyooo' : luxon;
        const text = DateTime.fromJSDate(date, { zone: 'utc' }).toFormat(padded, { locale });
        const expected = date.toISOString().slice(0, 10);
        if (strptime !== '%Y%j') assert.equal(read('date', text, { formats: [strptime], locale }), expected, text);
        assert.equal(read('date', text, { formats: [padded], locale }), expected, text);
      }),
    );
  });

  test('zones and languages are known by name', () => {
    assert.deepEqual(['Europe/Berlin', 'utc+2', 'UTC', 'Mars/Base', ''].map(isZoneOrOffset), [
      true,
      true,
      true,
      false,
      false,
    ]);
    assert.deepEqual(['de', 'en-GB', 'no tag'].map(isLocale), [true, true, false]);
  });

  test('a thousand texts that name zones are not kept by name', () => {
    const kept = IANAZone.create('Made/Up');
    for (let index = 0; index < 1_000; index += 1)
      assert.equal(read('datetime', `2026-01-01 10:00 Made/Up${index}`, { formats: ['%Y-%m-%d %H:%M %Z'] }), undefined);
    assert.notEqual(IANAZone.create('Made/Up'), kept);
  });
});
