import { InvalidArgumentError } from 'commander';
import { durationMs, longestMs, shortestMs } from './duration.ts';

/** Reads an option that is a duration; milliseconds. */
export function durationOption(text: string): number {
  return durationLike(text, '500ms, 90s, 15m, 6h or 1d');
}

/** Reads an option that says how often. */
export function intervalOption(text: string): number {
  const ms = durationLike(text, '90s, 15m, 6h or 1d');
  if (ms < shortestMs) throw new InvalidArgumentError('Expected a duration of 1s at least.');
  return ms;
}

/** The same where the caller says which durations are good examples. */
export function durationLike(text: string, examples: string): number {
  const ms = durationMs(text);
  if (ms === undefined) throw new InvalidArgumentError(`Expected a duration such as ${examples}.`);
  if (ms > longestMs) throw new InvalidArgumentError('Expected a duration of 366d at most.');
  return ms;
}

/** Reads an option that counts. */
export function countOption(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** Reads an option that counts no less and no more than so much. */
export function countIn(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = countOption(text);
    if (count < least || count > most)
      throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
    return count;
  };
}

/** Reads an option that multiplies a priority. */
export function multiplierOption(text: string): number {
  const number = /^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(number > 0 && number <= 100)) throw new InvalidArgumentError('Expected a number above 0, up to 100.');
  return number;
}

/** Reads an option that is a calendar day. */
export function dayOption(text: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text);
  if (!isDay) throw new InvalidArgumentError('Expected a day such as 2016-03-05.');
  return text;
}

/** Reads an option that may be repeated. */
export function repeatedOption(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Reads `name=value`, repeated. */
export function pairOption(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
