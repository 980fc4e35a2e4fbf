import { jsonDepth } from './depth.ts';
import type { DateOptions, ScalarRule } from './rule.ts';

/** Longest value of those that may be long, in characters: a record is kept, compared, told and shown whole. */
export const longLength = 100_000;

/** What a rule asks for, for people: `a whole number`. */
export function expectedOf(rule: ScalarRule): string {
  switch (rule.type) {
    case 'text':
      return `text of at most ${longLength} characters`;
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return rule.true === undefined && rule.false === undefined
        ? 'a word for true or false'
        : `one of ${[...(rule.true ?? []), ...(rule.false ?? [])].join(', ')}`;
    case 'date':
      return `a date ${formOf(rule)}`;
    case 'datetime':
      return `a date and time ${formOf(rule)}`;
    case 'money':
      return rule.currency === undefined ? 'an amount with its currency' : `an amount in ${rule.currency}`;
    case 'url':
      return `an http or https URL of at most ${longLength} characters`;
    case 'json':
      return `JSON of at most ${longLength} characters, nested no deeper than ${jsonDepth}`;
    default:
      return rule satisfies never;
  }
}

function formOf({ formats }: DateOptions): string {
  return formats === undefined ? 'of ISO 8601' : `of the form ${formats.map((format) => `"${format}"`).join(' or ')}`;
}
