import type { Value } from '../extract/value/value.ts';
import { amountIn } from '../view/amount.ts';
import { isPlaceholder } from './placeholder.ts';

/** How far a number may move from one observation to the next: by a part of what it was, or by a factor either way. */
export type Jump = { readonly part: number } | { readonly factor: number };

/** A new value becomes current once `times` of the last `of` observations of the field showed it. */
export interface Confirm {
  readonly times: number;
  readonly of: number;
}

/** What guards a field. */
export interface FieldGuard {
  readonly confirm?: Confirm | undefined;
  readonly jump?: Jump | undefined;
  /** Whether values that become empty on nearly all records at once are held. Default: that of the source. */
  readonly empty?: boolean | undefined;
  /** Whether values are held while what the source gives in the field is unusual. Default: that of the source. */
  readonly unusual?: boolean | undefined;
}

/** What guards the values of a source, as plain data. A source without guards publishes all that it reads. */
export interface Guards {
  /** Whether most records missing at once are held. */
  readonly missing: boolean;
  /** Whether a field that becomes empty on nearly all records of a scrape is held. */
  readonly empty: boolean;
  /** Whether values of a field are held while what the source gives in it is unusual. Default: they are. */
  readonly unusual?: boolean | undefined;
  /** By the type of the record, then by field; only fields that have a guard of their own. */
  readonly fields: Readonly<Record<string, Readonly<Record<string, FieldGuard>>>>;
}

/** The least number of records whose values say anything of all. */
export const fewRecords = 5;

/** The least number of records or pages of which more than half may not be missing at once, and by which a part of a target says anything of fields. From so many on, a target is judged by its own runs. */
export const manyRecords = 10;

/** Whether a value says nothing: null, zero, an amount of zero, a text, a list or an object with nothing in it, or a text such as "Loading…" or "n/a". */
export function isEmptyValue(value: Value): boolean {
  if (value === null || value === 0 || value === '') return true;
  if (typeof value === 'string') return isPlaceholder(value);
  if (typeof value !== 'object') return false;
  const number = amountIn(value);
  return number === undefined ? Object.keys(value).length === 0 : number.amount === 0;
}

/** Whether so many values became empty that they are nearly all of those that the records had before: nine of ten, and five at least. */
export function isNearlyAll(emptied: number, had: number): boolean {
  return emptied >= fewRecords && 10 * emptied >= 9 * had;
}

/** Whether so many records or pages are missing at once that it is no chance: more than half of ten or more. */
export function isMostMissing(missing: number, known: number, fewest = manyRecords): boolean {
  return known >= fewest && 2 * missing > known;
}

/**
 * Whether a number or an amount moved further than a jump allows. An amount in another currency or unit always did. Nothing is known of the step
 * from zero, nor from or to what is no number.
 */
export function isJump(jump: Jump, before: Value, after: Value): boolean {
  const [from, to] = [amountIn(before), amountIn(after)];
  if (from === undefined || to === undefined) return false;
  if (from.of !== to.of) return true;
  const [old, now] = [from.amount, to.amount];
  if (old === 0) return false;
  if ('part' in jump) return Math.abs(now - old) > jump.part * Math.abs(old);
  const ratio = now / old;
  return ratio > jump.factor || ratio < 1 / jump.factor;
}
