import { RE2JS } from 're2js';
import { spend } from '../../work-budget.ts';

/** A phrase for what is wrong with a pattern; undefined if it compiles. RE2 has no look-around, no back-reference and no repeat over 1,000. */
export function patternFault(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    // The compiler has no other way to say that a pattern is wrong.
    return error instanceof Error ? error.message.replace('error parsing regexp: ', '') : String(error);
  }
}

/** Adds the work of searching so many characters: each may meet every instruction of the pattern. */
export function spendSearch(pattern: RE2JS, units: number): void {
  spend(200 + pattern.programSize() * units * 4);
}
