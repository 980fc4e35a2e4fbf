import type { RecordDraft } from '../extract/draft.ts';
import { amountIn } from '../view/amount.ts';
import type { Value } from '../extract/value/value.ts';
import { isPlaceholder } from '../health/placeholder.ts';
import type { ExplainedField } from '../view/trial.ts';
import type { Cause } from '../view/ticket.ts';
import { countOf } from './count-text.ts';
import type { PageLook } from './page.ts';

/** The share of the compared records that must say the same of what changed. */
const most = 0.8;

/** Records that two readings of a page have both, by type and key. */
export type Pair = readonly [before: RecordDraft, after: RecordDraft];

/** Pairs the records of two readings. Where each has one record and the keys differ, these two are the pair. */
export function recordPairs(before: readonly RecordDraft[], after: readonly RecordDraft[]): Pair[] {
  const [only, other] = [before[0], after[0]];
  if (before.length === 1 && after.length === 1 && only?.type === other?.type && only && other) return [[only, other]];
  const known = new Map(before.map((draft) => [`${draft.type}\0${draft.key}`, draft]));
  return after.flatMap((draft): Pair[] => {
    const old = known.get(`${draft.type}\0${draft.key}`);
    return old === undefined ? [] : [[old, draft]];
  });
}

/**
 * Recognises what became of values that could be read: amounts in another currency or unit, or the same placeholder everywhere.
 *
 * @param isStillShown - whether the bad page still shows most of the values that the good one showed.
 */
export function valueCause(
  pairs: readonly Pair[],
  fields: readonly string[],
  isStillShown: (values: readonly Value[]) => boolean,
): Cause | undefined {
  for (const field of fields) {
    const changes = pairs.flatMap(([old, now]): (readonly [Value, Value])[] => {
      const [before, after] = [old.fields[field], now.fields[field]];
      return before === undefined || after === undefined || after === null ? [] : [[before, after]];
    });
    const found = changes.length === 0 ? undefined : changeCause(field, changes, isStillShown);
    if (found !== undefined) return found;
  }
  return undefined;
}

function changeCause(
  field: string,
  changes: readonly (readonly [Value, Value])[],
  isStillShown: (values: readonly Value[]) => boolean,
): Cause | undefined {
  const amounts = changes.flatMap(([before, after]) => {
    const [old, now] = [amountIn(before), amountIn(after)];
    return old === undefined || now === undefined ? [] : [{ old, now }];
  });
  const share = (is: (each: (typeof amounts)[number]) => boolean): boolean =>
    amounts.length > 0 && amounts.filter(is).length >= most * amounts.length;
  const [{ old, now } = { old: undefined, now: undefined }] = amounts;
  if (share((each) => each.now.of !== each.old.of && each.now.of !== undefined && each.old.of !== undefined))
    return {
      kind: 'currency_changed',
      says: [`${field} is in ${now?.of ?? 'none'} on ${countOf(amounts.length)}, and was in ${old?.of ?? 'none'}`],
    };
  if (share((each) => each.now.amount === 0 && each.old.amount !== 0))
    return { kind: 'placeholder', says: [`${field} is 0 on ${countOf(amounts.length)} that had an amount`] };
  for (const factor of unitFactors)
    if (share((each) => each.old.amount !== 0 && isNearFactor(each.now.amount / each.old.amount, factor)))
      return { kind: 'unit_changed', says: [`${field} is ${factor} times what it was on ${countOf(amounts.length)}`] };
  const texts = changes.map(([, after]) => JSON.stringify(after));
  const wereSame = new Set(changes.map(([before]) => JSON.stringify(before))).size === 1;
  if (changes.length < 5 || new Set(texts).size > 1 || wereSame) return undefined;
  const says = [`${field} is ${String(texts[0]).slice(0, 100)} on all ${countOf(changes.length)}`];
  if (isStillShown(changes.map(([before]) => before)))
    return {
      kind: 'rule_lost',
      says: [...says, 'the page still shows what it was, and the rule finds another element'],
    };
  return { kind: 'placeholder', says };
}

const unitFactors = [100, 1_000, 0.01, 0.001, 10, 0.1, 12, 60, 24];

/**
 * Recognises amounts that could not be read, as their sign is that of several currencies or of another one than before.
 *
 * @param good - the records of the last good page.
 */
export function unreadCurrency(
  good: readonly RecordDraft[],
  { items }: Pick<PageLook, 'items'>,
  fields: readonly string[],
): Cause | undefined {
  for (const field of fields) {
    const [was] = good.flatMap(({ fields: values }) => amountIn(values[field])?.of ?? []);
    const seen = items.flatMap(({ fields: all }) => all.filter(({ name }) => name === field));
    const texts = seen.flatMap(({ lost }) => lost.slice(0, 1).map(({ text }) => text.trim()));
    const others = was === undefined ? [] : texts.filter((text) => isOfOther(text, was));
    if (was === undefined || others.length === 0 || others.length < most * seen.length) continue;
    const says = `${field} says ${JSON.stringify(others[0]?.slice(0, 100))} on ${countOf(others.length)}, and was in ${was}`;
    return {
      kind: 'currency_changed',
      says: [says, 'a rule with "currency" or "locale" says which currency that is'],
    };
  }
  return undefined;
}

/** Whether a text is an amount with the sign of another currency. */
function isOfOther(text: string, currency: string): boolean {
  const sign = /\p{Sc}/u.exec(text)?.[0];
  return sign !== undefined && /\d/.test(text) && !signsOf(currency).includes(sign);
}

/** How the amounts of a currency are marked. */
function signsOf(currency: string): string {
  // What is known as a unit is no currency.
  if (!/^[A-Z]{3}$/.test(currency)) return currency;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  return format.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency;
}

/** Recognises texts that could not be read as placeholders. */
export function placeholderOf({ items }: PageLook, fields: readonly string[]): Cause | undefined {
  for (const field of fields) {
    const seen = items.flatMap(({ fields: all }) => all.filter(({ name }) => name === field));
    const texts = seen.flatMap(textsBehind);
    const marks = texts.map((text) => text.trim()).filter(isPlaceholder);
    if (marks.length > 0 && 2 * marks.length >= texts.length)
      return { kind: 'placeholder', says: [`${field} says ${JSON.stringify(marks[0])} on ${countOf(marks.length)}`] };
  }
  return undefined;
}

/** The texts that a field was read from where it has no value, and the text that is its value. */
function textsBehind({ value, lost, filters }: ExplainedField): string[] {
  if (typeof value === 'string') return [value];
  const [first] = filters;
  const unread = value === null && typeof first?.before === 'string' ? [first.before] : [];
  return [...lost.map(({ text }) => text), ...unread];
}

/** Recognises another page than the one that was asked for: its one record has another key, or nearly all of its texts are others. */
export function otherPage(pairs: readonly Pair[], isSingle: boolean): Cause | undefined {
  const [pair] = pairs;
  if (!isSingle || pair === undefined) return undefined;
  const [old, now] = pair;
  if (old.key !== now.key)
    return {
      kind: 'wrong_page',
      says: [
        `the page shows ${now.type} ${JSON.stringify(now.key.slice(0, 80))}, not ${JSON.stringify(old.key.slice(0, 80))}`,
      ],
    };
  const texts = Object.entries(old.fields).filter(
    ([name, value]) => typeof value === 'string' && value.length > 3 && value !== old.key && name in now.fields,
  );
  const others = texts.filter(([name, value]) => now.fields[name] !== value);
  return texts.length >= 2 && others.length === texts.length
    ? { kind: 'wrong_page', says: [`all ${texts.length} texts of the record are others`] }
    : undefined;
}

/** Whether amounts differ by a factor; far factors also where the amounts have changed a little besides. */
function isNearFactor(ratio: number, factor: number): boolean {
  const isFar = factor >= 100 || factor <= 0.01;
  return Math.abs(ratio / factor - 1) < (isFar ? 0.12 : 0.01);
}
