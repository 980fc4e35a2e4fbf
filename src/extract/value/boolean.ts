import type { FieldType, Schemas } from './field-type.ts';
import { shortText } from './plain-text.ts';

export interface BooleanRule {
  readonly type: 'boolean';
  /** Words for true. Default: those of English, or every text that is none of `false` where only that is given. */
  readonly true?: readonly string[];
  /** Words for false. Default: those of English, or every text that is none of `true` where only that is given. */
  readonly false?: readonly string[];
}

/** True or false, by a word or by whether a place matches. */
export const boolean: FieldType<BooleanRule> = {
  options: (z) => ({ true: words(z).exactOptional(), false: words(z).exactOptional() }),
  /** `whenFound` is the value if the place matches, and its opposite the value if it does not. */
  placeOptions: (z) => ({ whenFound: z.boolean().exactOptional() }),
  expected: (rule) =>
    rule.true === undefined && rule.false === undefined
      ? 'a word for true or false'
      : `one of ${[...(rule.true ?? []), ...(rule.false ?? [])].join(', ')}`,
  read(value, rule) {
    if (typeof value === 'boolean') return value;
    const text = shortText(value);
    return text === undefined ? undefined : readBoolean(text, rule);
  },
  examples: [
    {
      field: '{ type: boolean }',
      note: '`true`, `false`: words; the usual ones of English without them',
      text: 'Yes',
      gives: 'true',
    },
    {
      field: '{ type: boolean, true: Ja }',
      note: 'with words for `true` alone, all else is false',
      text: 'Nein',
      gives: 'false',
    },
    {
      field: '{ type: boolean, whenFound: false }',
      note: 'whether the place is there: this where it is, the opposite where not',
      text: 'Sold out',
      gives: 'false',
    },
  ],
};

function words(z: Schemas) {
  const word = z.string().min(1).max(200);
  return z.union([word, z.array(word).min(1).max(50)]).transform((given) => [given].flat());
}

const trueWords: readonly string[] = ['true', 'yes', 'on', '1'];
const falseWords: readonly string[] = ['false', 'no', 'off', '0'];

function readBoolean(text: string, { true: whenTrue, false: whenFalse }: BooleanRule): boolean | undefined {
  if (isAmong(text, whenTrue ?? (whenFalse === undefined ? trueWords : []))) return true;
  if (isAmong(text, whenFalse ?? (whenTrue === undefined ? falseWords : []))) return false;
  if (whenTrue !== undefined && whenFalse === undefined) return false;
  return whenFalse !== undefined && whenTrue === undefined ? true : undefined;
}

/** Whether a text is one of some words, in capitals or not. */
function isAmong(text: string, among: readonly string[]): boolean {
  return among.some((word) => word.toLowerCase() === text.toLowerCase());
}
