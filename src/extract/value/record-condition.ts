import { TooMuchWork, WorkBudget } from '../../work-budget.ts';
import { compileJsonCondition, filterStart } from './json-path.ts';
import { isList, type Value } from './value.ts';

/** Whether a condition holds for the values of a record's fields; `too long` where that takes more work than one record may. */
export type RecordCondition = (fields: Readonly<Record<string, Value>>) => boolean | 'too long';

/** The work of a condition on one record, at most: some 10 ms. */
const maxSteps = 1_000_000;

/** Compiles a condition on records. Throws where `conditionFault` names a fault. */
export function compileRecordCondition(text: string): RecordCondition {
  const holds = compileJsonCondition(text);
  return (fields) => {
    try {
      return new WorkBudget(maxSteps).run(() => holds(withNumbers(fields)));
    } catch (error) {
      if (error instanceof TooMuchWork) return 'too long';
      throw error;
    }
  };
}

/** Makes the amounts of money numbers, as texts would be compared letter by letter. Values are nested no deeper than stored ones. */
function withNumbers(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(withNumbers);
  const { amount, currency } = value;
  if (typeof amount === 'string' && typeof currency === 'string' && /^-?\d+(?:\.\d+)?$/.test(amount))
    return { ...value, amount: Number(amount) };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withNumbers(each)]));
}

/** Returns a phrase for what is wrong with a condition, and at which of its characters, from 1; undefined if it is valid. */
export function conditionFault(text: string): string | undefined {
  try {
    compileJsonCondition(text);
    return undefined;
  } catch (error) {
    const { message, token } = error as Error & { readonly token?: { readonly index: number } };
    // Patterns are told how definitions match them.
    if (token === undefined) return message.replace(/: take .*/, '');
    return placedFault(message, token.index - filterStart.length, text);
  }
}

/** Puts a message of the parser into plain words. `before` is how many characters of the condition stand before the fault, or before the end of a word that is one. */
function placedFault(message: string, before: number, text: string): string {
  const bare = message.replace(/ \('[^]*$/, '').replace(/ starting at index \d+$/, '');
  const [, letter] = /^unexpected .* '(\w)'$/.exec(bare) ?? [];
  const [word = ''] = letter === undefined ? [] : (/\w+$/.exec(text.slice(0, before)) ?? []);
  if (letter !== undefined && word.startsWith(letter))
    return `unexpected "${word}" at character ${before - word.length + 1}`;
  // The place of a text is that of its first character.
  if (/["']/.test(text[before - 1] ?? '') && bare.startsWith('expected token'))
    return placedFault(message, before - 1, text);
  const place = before >= 0 && before < text.length ? ` at character ${before + 1}` : '';
  if (bare.startsWith('expected token')) return `expected "&&", "||" or the end${place}`;
  if (bare.startsWith('non-singular'))
    return `expected a path to one value to compare, as each of several is tested by @.tags[?@ == "new"],${place}`;
  return `${bare.replace('filter selector token ', '').replaceAll("'", '"').replaceAll('  ', ' ')}${place}`;
}
