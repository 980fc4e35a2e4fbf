import { type DateOptions, dateOptions, formsOf } from './date-format.ts';
import { readDate } from './date-reading.ts';
import type { FieldType } from './field-type.ts';
import { shortText } from './plain-text.ts';

/** An instant, kept as ISO 8601 in UTC with milliseconds. */
export const datetime: FieldType<{ readonly type: 'datetime' } & DateOptions> = {
  options: dateOptions,
  expected: (rule) => `a date and time ${formsOf(rule)}`,
  read(value, rule, _base, observedAt) {
    const text = shortText(value);
    return text === undefined ? undefined : readDate(text, 'instant', rule, observedAt);
  },
  examples: [
    {
      field: '{ type: datetime, formats: "dd.MM.yyyy HH:mm", zone: Europe/Berlin }',
      note: 'in UTC',
      text: '14.03.2026 12:00',
      gives: '"2026-03-14T11:00:00.000Z"',
    },
    {
      field: '{ type: datetime, locale: en }',
      note: 'counted from when the page came',
      text: 'yesterday 14:05',
      gives: '"2026-03-13T14:05:00.000Z"',
    },
    {
      field: '{ type: datetime, locale: en, zone: Europe/Berlin }',
      text: 'March 14th, 2026 at 12 noon',
      gives: '"2026-03-14T11:00:00.000Z"',
    },
  ],
};
