/** The units of time that texts count. */
export const timeUnits = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;
export type TimeUnit = (typeof timeUnits)[number];

/** An amount of time, such as `['day', -1]` for yesterday. */
export type Duration = readonly [unit: TimeUnit, amount: number];

/** The parts of a date that a word beside a number may name. */
export type NumberField = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

/** The values of the meanings of words, by kind. */
interface Meanings {
  readonly month: number;
  /** From 1 for Monday. */
  readonly weekday: number;
  readonly count: number;
  /** An hour with a name of its own. */
  readonly clock: number;
  /** Minutes before UTC's clocks. */
  readonly zone: number;
  /** Part of a day, with the hours that it may have as bits: 12 of them for AM. */
  readonly hours: number;
  readonly unit: Duration;
  /** A unit in the singular. */
  readonly one: TimeUnit;
  /** A phrase for an amount of time before or behind the present, as a whole. */
  readonly shift: Duration;
  /** A unit behind a number, with what then stands before the number and behind the unit. */
  readonly ago: { readonly by: Duration; readonly before: string; readonly behind: string };
  /** What stands before or behind an amount of time and tells its direction. */
  readonly mark: string;
  /** What follows the number of a field, or stands before it. */
  readonly label: { readonly field: NumberField; readonly isBefore: boolean };
  readonly ordinal: true;
  /** A word that changes nothing. */
  readonly fill: true;
}

/** One meaning of a word or phrase. */
export type Meaning = {
  readonly [K in keyof Meanings]: { readonly kind: K; readonly value: Meanings[K] };
}[keyof Meanings];

/** The orders in which a language writes a date in numbers. */
export type NumberOrder = 'dmy' | 'mdy' | 'ymd';

/** The words of the dates of one language. */
export interface DateLexicon {
  readonly words: ReadonlyMap<string, readonly Meaning[]>;
  /** The lengths of `words`, the longest first. */
  readonly lengths: readonly number[];
  /** The signs of amounts of time by what stands before and behind them, as `before|behind`. */
  readonly signs: ReadonlyMap<string, ReadonlySet<number>>;
  readonly orders: readonly NumberOrder[];
  /** Whether a point may stand between hours and minutes. */
  readonly hasPointTimes: boolean;
  fold(text: string): string;
}

/** Scripts without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}]/u;

/** Whether two letters beside each other may be of different words. */
export function mayPart(before: string, after: string): boolean {
  return !/[\p{L}\p{M}]/u.test(before) || !/[\p{L}\p{M}]/u.test(after) || unspaced.test(before) || unspaced.test(after);
}
