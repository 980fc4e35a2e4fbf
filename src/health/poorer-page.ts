import { emptyTally, type FieldTally, type RunTally } from './tally.ts';
import { topShare } from './top-values.ts';

/** From so many values of a page on, most of them may move alike only where the page says something else. */
const fewestAlike = 5;

/**
 * Whether a page gives less than the one before it: half of its known records have lost a field, or its value has become empty, is in
 * another currency or unit, or was decoded by a wrong charset; or most of several values moved by one factor, or became one value.
 */
export function isPagePoorer({ types }: RunTally = emptyTally): boolean {
  return Object.values(types).some(({ fields }) => Object.values(fields).some(isFieldPoorer));
}

function isFieldPoorer(field: FieldTally): boolean {
  const { had, lost, filled, emptied, numbers, currency, read, garbled, texts, shape, factors, pairs } = field;
  const isMerged = topShare(field.before) <= 0.5 && topShare(field.values) >= 0.95;
  return (
    isMost(lost, had) ||
    isMost(emptied, filled) ||
    isMost(currency, numbers) ||
    isMost(garbled, read) ||
    (texts >= fewestAlike && isMost(shape, texts)) ||
    (numbers >= fewestAlike && isMost(topShare(factors) * factors.total, numbers)) ||
    (pairs >= fewestAlike && isMerged)
  );
}

function isMost(count: number, of: number): boolean {
  return of > 0 && 2 * count >= of;
}
