import { readInstant } from '../extract/value/date-reading.ts';
import type { Value } from '../extract/value/value.ts';
import { dayNumber } from '../schedule/time/zone.ts';
import { Exact } from './exact.ts';

/** The type of a field as an expression sees it: the name of its type, or what a list holds. */
export type FieldKind = string | { readonly list: FieldKind };

/** A calendar day, which begins and ends by the clocks of a zone. */
export class Day {
  /** Counted from 1 January 1970. */
  readonly number: number;
  readonly zone: string;

  constructor(number: number, zone: string) {
    this.number = number;
    this.zone = zone;
  }

  /** The number of days from the day of an instant to this day. */
  since(at: Date): number {
    return this.number - dayNumber(this.zone, at.getTime());
  }
}

/** An amount with its currency. */
export class Money {
  readonly amount: Exact;
  readonly currency: string;

  constructor(amount: Exact, currency: string) {
    this.amount = amount;
    this.currency = currency;
  }

  /** Throws a `RangeError` where the currencies differ, as `plus` and `per` do. */
  compare(other: Money): number {
    return this.amount.compare(this.#same(other));
  }

  plus(other: Money): Money {
    return new Money(this.amount.plus(this.#same(other)), this.currency);
  }

  times(factor: Exact): Money {
    return new Money(this.amount.times(factor), this.currency);
  }

  /**
   * How often another amount fits into this one. Throws a `DivisionByZero` where that is 0, and a `NegativeDivisor` where it is less: a spend or a price below
   * 0 is a wrong one.
   */
  per(other: Money): Exact {
    const divisor = this.#same(other);
    if (divisor.compare(new Exact(0n)) < 0) throw new NegativeDivisor(other);
    return this.amount.times(divisor.inverted());
  }

  #same({ amount, currency }: Money): Exact {
    if (currency !== this.currency) throw new RangeError(`amounts in ${this.currency} and ${currency}`);
    return amount;
  }
}

/** A division by a negative amount of money, which has no result. */
export class NegativeDivisor extends RangeError {
  override readonly name = 'NegativeDivisor';

  constructor({ amount, currency }: Money) {
    super(`the divisor is ${amount.text()} ${currency}: expected no negative amount`);
  }
}

/** A measured amount with its unit, so many times: 1 where nothing else is said. Its parts compare, as units differ. */
export class Quantity {
  readonly amount: Exact;
  readonly unit: string;
  readonly count: Exact;

  constructor(amount: Exact, unit: string, count: Exact) {
    this.amount = amount;
    this.unit = unit;
    this.count = count;
  }
}

/** The names of types in the library, by those of fields. */
export const types: ReadonlyMap<string, string> = new Map([
  ['text', 'string'],
  ['url', 'string'],
  ['file', 'string'],
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'bool'],
  ['date', 'date'],
  ['datetime', 'google.protobuf.Timestamp'],
  ['money', 'money'],
  ['quantity', 'quantity'],
]);

/** The library's name of a field's type; `undefined` for a type that expressions do not see. */
export function typeOf(kind: FieldKind): string | undefined {
  if (typeof kind === 'string') return types.get(kind);
  const of = typeOf(kind.list);
  return of === undefined ? undefined : `list<${of}>`;
}

/** What a stored value is to an expression; `undefined` where it is not known: for null, and for a value of another type. */
export function valueOf(value: unknown, kind: FieldKind, zone: string): unknown {
  if (typeof kind !== 'string') {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((item) => valueOf(item, kind.list, zone));
    return items.includes(undefined) ? undefined : items;
  }
  return readers[types.get(kind) ?? '']?.(value, zone);
}

const readers: Readonly<Record<string, (value: unknown, zone: string) => unknown>> = {
  string: (value) => (typeof value === 'string' ? value : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : undefined),
  number: numberOf,
  date: (value, zone) => (typeof value === 'string' ? dayOf(value, zone) : undefined),
  'google.protobuf.Timestamp': (value) => (typeof value === 'string' ? instantOf(value) : undefined),
  money: (value) => (isMoney(value) ? moneyOf(value) : undefined),
  quantity: (value) => (isQuantity(value) ? quantityOf(value) : undefined),
};

function numberOf(value: unknown): Exact | undefined {
  return typeof value === 'number' ? Exact.of(String(value)) : undefined;
}

/** The day of a text such as `2026-03-14`. */
export function dayOf(text: string, zone: string): Day | undefined {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? instantOf(`${text}T00:00:00Z`) : undefined;
  return instant && new Day(instant.getTime() / 86_400_000, zone);
}

/** The instant of a text such as `2026-03-14T09:30:00Z`, in UTC where it has no offset. */
export function instantOf(text: string): Date | undefined {
  const read = readInstant(text);
  return read === undefined ? undefined : new Date(read);
}

function isMoney(value: unknown): value is { readonly amount: Value; readonly currency: Value } {
  return typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value;
}

function moneyOf({ amount, currency }: { readonly amount: Value; readonly currency: Value }): Money | undefined {
  const exact = typeof amount === 'string' ? Exact.of(amount) : undefined;
  return exact === undefined || typeof currency !== 'string' ? undefined : new Money(exact, currency);
}

function isQuantity(value: unknown): value is { readonly amount: Value; readonly unit: Value; readonly count?: Value } {
  return typeof value === 'object' && value !== null && 'amount' in value && 'unit' in value;
}

function quantityOf({
  amount,
  unit,
  count = 1,
}: {
  readonly amount: Value;
  readonly unit: Value;
  readonly count?: Value;
}) {
  const [exact, times] = [numberOf(amount), numberOf(count)];
  return exact === undefined || times === undefined || typeof unit !== 'string'
    ? undefined
    : new Quantity(exact, unit, times);
}
