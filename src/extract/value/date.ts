import { type DateOptions, dateOptions, formsOf } from './date-format.ts';
import { readDate } from './date-reading.ts';
import type { FieldType } from './field-type.ts';
import { shortText } from './plain-text.ts';

/** A calendar day, kept as ISO 8601; of a date with a time, the day as written. */
export const date: FieldType<{ readonly type: 'date' } & DateOptions> = {
  options: dateOptions,
  isKey: true,
  expected: (rule) => `a date ${formsOf(rule)}`,
  read(value, rule, _base, observedAt) {
    const text = shortText(value);
    return text === undefined ? undefined : readDate(text, 'day', rule, observedAt);
  },
  examples: [
    {
      field: '{ type: date }',
      note: 'ISO 8601 or RFC 2822 without options',
      text: '2026-03-14',
      gives: '"2026-03-14"',
    },
    { field: '{ type: date }', note: 'the first day of what is said', text: '2017-01', gives: '"2017-01-01"' },
    { field: '{ type: date }', text: '31 February 2026', gives: 'lost' },
    {
      field: '{ type: date, locale: de }',
      note: '`locale`: as people write it in that language; see "Dates"',
      text: 'Sa., 14. März 2026',
      gives: '"2026-03-14"',
    },
    {
      field: '{ type: date, locale: en, prefer: past }',
      note: '`prefer`: `past` or `future`, where a text leaves out the year',
      text: '20th March',
      gives: '"2025-03-20"',
    },
    { field: '{ type: date, locale: en }', note: 'two orders of numbers', text: '03/04/2026', gives: 'lost' },
    { field: '{ type: date, locale: en-GB }', text: '03/04/2026', gives: '"2026-04-03"' },
    {
      field: '{ type: date, formats: ["%d/%m/%Y", "MMMM yyyy"] }',
      note: '`formats`, the first that fits, in the tokens of Luxon or, with `%`, of strptime; `ISO`, `RFC2822`; `locale` for names; `zone`',
      text: '14/03/2026',
      gives: '"2026-03-14"',
    },
    { field: '{ type: date, formats: "d. MMMM yyyy", locale: de }', text: '14. März 2026', gives: '"2026-03-14"' },
  ],
};
