import type { FieldType } from './field-type.ts';
import { longLength, trimmedText } from './plain-text.ts';
import type { Value } from './value.ts';

/** An http or https address, made absolute. */
export const url: FieldType<{ readonly type: 'url' }> = {
  options: () => ({}),
  isKey: true,
  take: 'link',
  expected: () => `an http or https URL of at most ${longLength} characters`,
  read: (value, _rule, base) => readAddress(value, base)?.href,
  examples: [{ field: '{ type: url }', text: '/a?b#c', gives: '"https://site.example/a?b#c"' }],
};

/** Reads an http or https address, resolved against `base`. */
export function readAddress(value: NonNullable<Value>, base: string): URL | undefined {
  const text = trimmedText(value);
  if (text === undefined || text.length > longLength) return undefined;
  const address = URL.parse(text.replaceAll(/\s+/g, ' '), base);
  return address !== null && /^https?:$/.test(address.protocol) ? address : undefined;
}
