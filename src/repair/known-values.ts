import { canonicalJson } from '../extract/value/json-text.ts';
import { isLacking, isList, type Value } from '../extract/value/value.ts';
import { amountIn } from '../view/amount.ts';
import type { FieldPlan, RecordPlan } from '../extract/rule/plan.ts';
import type { PageContext, Spot } from '../extract/rule/spot.ts';

/** A place of a new page that is one of the records that were known last. */
export interface KnownItem {
  /** The place on the new page. */
  readonly spot: Spot;
  readonly page: PageContext;
  /** The place on the last good page, and that page. */
  readonly before: { readonly spot: Spot; readonly page: PageContext };
  /** What the record said last. */
  readonly fields: Readonly<Record<string, Value>>;
}

/** A text that two values have in common if they are equal. */
export function identityOf(value: Value): string {
  return typeof value === 'object' ? canonicalJson(value) : JSON.stringify(value);
}

/** Whether a value says something: an empty text, null and an empty list say nothing. */
export function isTelling(value: Value | undefined): value is Value {
  return !isLacking(value) && value !== '';
}

/** What a rule reads, as `identityOf` tells it; `undefined` for what says nothing. */
export function tellingIdentity(value: Value | undefined): string | undefined {
  return isTelling(value) ? identityOf(value) : undefined;
}

/** The fields with one value for which repairs are searched, those of the key first. */
export function singleFields({ key, fields }: RecordPlan): FieldPlan[] {
  const single = fields.filter((field) => isRepairable(field) && field.rule.type !== 'array');
  return single.toSorted((one, other) => Number(key.includes(other.name)) - Number(key.includes(one.name)));
}

/** Whether repairs are searched for a field: one of text or of another type with one value, or a list of such. Constants and what is known of a page cannot be lost. */
export function isRepairable({ rule, whenFound, branches }: FieldPlan): boolean {
  if (whenFound !== undefined || branches.some(({ take }) => typeof take === 'function')) return false;
  if (branches.every(({ place }) => place.by === 'const' || place.by === 'page')) return false;
  const element = rule.type === 'array' ? rule.of : rule;
  return element.type !== 'object' && element.type !== 'array';
}

/** Whether what a rule reads at one element is a known value, or, for a list, one of its elements. */
export function isOfKnown(read: Value | undefined, known: Value): boolean {
  if (read === undefined) return false;
  if (!isList(known) || !isList(read)) return identityOf(read) === identityOf(known);
  const [only] = read;
  return read.length === 1 && only !== undefined && known.some((each) => identityOf(each) === identityOf(only));
}

/** How far a number may have moved since it was known for it to be taken for the same one, as a factor. */
const mostMoved = 2;

/** Whether a number is near one that was known, in the same currency or unit: it may have changed meanwhile, as counters do. */
export function isWithinFactorTwo(read: unknown, known: Value): boolean {
  const [now, before] = [amountIn(read), amountIn(known)];
  if (now === undefined || before === undefined || now.of !== before.of) return false;
  if (now.amount === before.amount) return true;
  const ratio = now.amount / before.amount;
  return ratio >= 1 / mostMoved && ratio <= mostMoved;
}
