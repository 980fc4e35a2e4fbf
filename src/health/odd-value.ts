import type { Value } from '../extract/value/value.ts';
import { amountIn } from '../view/amount.ts';
import { isEmptyValue } from './guard.ts';
import type { MeasureName } from './measure-kind.ts';
import { isGarbled, textShape } from './text-shape.ts';

/**
 * How a new value differs from the known one as true changes hardly ever do, named by the measure that counts it. `altered` is any change where all texts of
 * a record change at once.
 */
export type Oddity = Extract<MeasureName, 'emptied' | 'currency' | 'garbled' | 'shape' | 'rescaled' | 'altered'>;

/** A number that moved by more than this factor either way may have another unit or decimal point. No sale at half price does. */
const farFactor = 2.1;

/** Whether an odd value is no true change though it is seen twice. A number that is 0 may be one, as a stock is. */
export function isLasting(oddity: Oddity, now: Value): boolean {
  return oddity === 'currency' || oddity === 'garbled' || (oddity === 'emptied' && now !== 0);
}

/** Whether true changes are such ones so often, as those of a stock are, that healthy rounds must have shown that there are hardly any. */
export function isCommon(oddity: Oddity, now: Value): boolean {
  return oddity === 'rescaled' || (oddity === 'emptied' && now === 0);
}

/** Whether a number moved so far, from one that is not 0 to another, or to one of the other sign, that it may have another unit or decimal point. */
export function isFar(factor: number): boolean {
  return Number.isFinite(factor) && factor !== 0 && (factor > farFactor || factor < 1 / farFactor);
}

/** How a value differs from the one before it as true changes hardly ever do; `undefined` where it does not. */
export function oddityOf(before: Value, now: Value): Exclude<Oddity, 'altered'> | undefined {
  if (before === null || now === null || isEmptyValue(before)) return undefined;
  if (isEmptyValue(now)) return 'emptied';
  const [from, to] = [amountIn(before), amountIn(now)];
  if (from !== undefined && to !== undefined) {
    if (from.of !== to.of) return 'currency';
    return isFar(to.amount / from.amount) ? 'rescaled' : undefined;
  }
  if (typeof before !== 'string' || typeof now !== 'string' || before === now) return undefined;
  if (isGarbled(now)) return isGarbled(before) ? undefined : 'garbled';
  return textShape(before) === textShape(now) ? undefined : 'shape';
}
