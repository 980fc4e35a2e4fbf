import { readInstant } from './date.ts';
import { type DateOptions, dateOptions, formsOf, readFormattedInstant } from './date-format.ts';
import type { FieldType } from './field-type.ts';
import { shortText } from './plain-text.ts';

/** An instant, kept as ISO 8601 in UTC with milliseconds. */
export const datetime: FieldType<{ readonly type: 'datetime' } & DateOptions> = {
  options: dateOptions,
  expected: (rule) => `a date and time ${formsOf(rule)}`,
  read(value, rule) {
    const text = shortText(value);
    if (text === undefined) return undefined;
    return rule.formats === undefined ? readInstant(text) : readFormattedInstant(text, rule);
  },
  examples: [
    {
      field: '{ type: datetime, formats: "dd.MM.yyyy HH:mm", zone: Europe/Berlin }',
      note: 'in UTC',
      text: '14.03.2026 12:00',
      gives: '"2026-03-14T11:00:00.000Z"',
    },
  ],
};
