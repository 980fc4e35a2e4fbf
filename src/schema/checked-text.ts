import type * as Zod from 'zod';

/** Makes the check of a schema from a function that gives a sentence for what is wrong with a value, or undefined if nothing is. */
export function faultCheck<T>(
  faultOf: (value: T) => string | undefined,
): (value: T, context: Zod.RefinementCtx) => void {
  return (input, context) => {
    const message = faultOf(input);
    if (message !== undefined) context.addIssue({ code: 'custom', message, input });
  };
}

/**
 * The schema of a text of 1 to 1,000 characters in a language that some compiler knows.
 *
 * @param what - what is expected, for people: `an XPath`.
 * @param faultOf - what is wrong with a text, for people; undefined if nothing is.
 */
export function checkedText(z: typeof Zod, what: string, faultOf: (text: string) => string | undefined): Zod.ZodString {
  return z
    .string()
    .min(1)
    .max(1_000, { abort: true })
    .superRefine(faultCheck((text) => textFault(what, text, faultOf)));
}

/** Returns a sentence for what is wrong with a text in a language; undefined if it is valid. */
export function textFault(
  what: string,
  text: string,
  faultOf: (text: string) => string | undefined,
): string | undefined {
  const fault = faultOf(text);
  return fault === undefined ? undefined : `expected ${what}, got "${text}": ${fault}`;
}
