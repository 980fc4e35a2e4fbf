import type { FieldType } from './field-type.ts';
import { longLength, plainText } from './plain-text.ts';

/** Text as it is written, white space included. */
export const text: FieldType<{ readonly type: 'text' }> = {
  options: () => ({}),
  isKey: true,
  expected: () => `text of at most ${longLength} characters`,
  read(value) {
    const given = plainText(value);
    return given === undefined || given.length > longLength ? undefined : given.toWellFormed();
  },
  examples: [{ field: '{ type: text }', text: 'a  b', gives: '"a b"' }],
};
