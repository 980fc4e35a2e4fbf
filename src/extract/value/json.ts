import { isValueTooDeep, jsonDepth, jsonOf } from './json-text.ts';
import type { FieldType } from './field-type.ts';
import { longLength } from './plain-text.ts';

/** Any JSON: the value itself, or the text of one. */
export const json: FieldType<{ readonly type: 'json' }> = {
  options: () => ({}),
  take: 'raw',
  expected: () => `JSON of at most ${longLength} characters, nested no deeper than ${jsonDepth}`,
  read(value) {
    if (typeof value === 'string') return value.length > longLength ? undefined : jsonOf(value);
    return isValueTooDeep(value) || JSON.stringify(value).length > longLength ? undefined : value;
  },
  examples: [{ field: '{ type: json }', text: '{"a": [1]}', gives: '{ "a": [1] }' }],
};
