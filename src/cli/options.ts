import { InvalidArgumentError } from 'commander';
import { durationMs, longestMs, shortestMs } from '../time-text.ts';

/**
 * Reads a duration such as `15m`, in milliseconds. Throws an `InvalidArgumentError` for anything else, which says
 * what was expected.
 */
export function durationOption(text: string): number {
  return durationLike(text, '500ms, 90s, 15m, 6h or 1d');
}

/** Reads an interval of at least a second, in milliseconds. Throws an `InvalidArgumentError` for a shorter one or no duration. */
export function intervalOption(text: string): number {
  const ms = durationLike(text, '90s, 15m, 6h or 1d');
  if (ms < shortestMs) throw new InvalidArgumentError('Expected a duration of 1s at least.');
  return ms;
}

/** Reads a duration of at most 366 days, in milliseconds. Throws an `InvalidArgumentError` for any other text; its message gives `examples`. */
export function durationLike(text: string, examples: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw new InvalidArgumentError(`Expected a duration such as ${examples}.`);
  if (ms > longestMs) throw new InvalidArgumentError('Expected a duration of 366d at most.');
  return ms;
}

/** The longest name of a person, in characters, as the daemon takes it. */
const longestName = 100;

/** Reads the name of a person, which may be empty. Throws an `InvalidArgumentError` for a longer one than the daemon takes. */
export function personOption(text: string): string {
  if (text.length > longestName)
    throw new InvalidArgumentError(`Expected a name of at most ${longestName} characters, got ${text.length}.`);
  return text;
}

/** Reads a whole number of at most 15 digits. Throws an `InvalidArgumentError` for any other text. */
export function countOption(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** Creates a reader of whole numbers from `least` to `most`. The reader throws an `InvalidArgumentError` for any other text. */
export function countIn(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = countOption(text);
    if (count < least || count > most)
      throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
    return count;
  };
}

/** Reads the most rows that a command prints: a whole number from 1 on. */
export const limitOption = countIn(1, 999_999_999_999_999);

/** Reads the multiplier of a priority: a number above 0, up to 100. Throws an `InvalidArgumentError` for any other text. */
export function multiplierOption(text: string): number {
  const number = /^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(number > 0 && number <= 100)) throw new InvalidArgumentError('Expected a number above 0, up to 100.');
  return number;
}

/** Reads a calendar day such as `2016-03-05`. Throws an `InvalidArgumentError` for any other text. */
export function dayOption(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text);
  if (!isDay) throw new InvalidArgumentError('Expected a day such as 2016-03-05.');
  return text;
}

/** Reads an instant in UTC such as `2016-03-05` or `2016-03-05T14:00:00Z`, in milliseconds since 1970. Throws an `InvalidArgumentError` for any other text. */
export function instantOption(text: string): number {
  const [, day, time = 'T00:00:00'] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d{3})?)?Z?$/.exec(text) ?? [];
  const instant = new Date(`${day}${time}Z`);
  if (day === undefined || Number.isNaN(instant.getTime()) || !instant.toJSON().startsWith(day + time))
    throw new InvalidArgumentError('Expected an instant such as 2016-03-05 or 2016-03-05T14:00:00Z.');
  return instant.getTime();
}

/** Reads an option that may be repeated, and returns its values in their order. */
export function repeatedOption(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Reads `name=value`, which may be repeated, and returns the values by name. Throws an `InvalidArgumentError` without a name or `=`. */
export function pairOption(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Reads a list such as `a,b`. Throws an `InvalidArgumentError` for one with an empty entry. */
export function listOption(text: string): readonly string[] {
  const entries = text.split(',').map((each) => each.trim());
  if (entries.includes('')) throw new InvalidArgumentError('Expected a list such as a,b.');
  return entries;
}
