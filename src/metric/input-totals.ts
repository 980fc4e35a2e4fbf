import { Exact } from '../expression/exact.ts';
import type { Figure, FigureKind } from '../expression/figure.ts';
import { Money, valueOf } from '../expression/values.ts';
import type { Value } from '../extract/value/value.ts';
import { compareFigures, productOf, sumOf } from './figures.ts';
import { FirstOf, type Removable } from './first-of.ts';
import type { MetricInput } from './metric.ts';

/** A record's value that a metric is taken from. */
export interface InputCell {
  readonly source: string;
  readonly type: string;
  readonly key: string;
  /** `undefined` where the record has no such field. */
  readonly value: Value | undefined;
  /** When this value was first observed, and when it was last verified. */
  readonly observedAt: number;
  readonly verifiedAt: number;
  /** Why the value may be out of date, as a sentence; missing where it is not. */
  readonly stale?: string;
}

/** The figure of some records, whose values are in one currency and were last verified on one day. */
export interface Subtotal {
  /** Missing for figures other than money. */
  readonly currency?: string;
  /** Counted from 1 January 1970; 0 for figures other than money. */
  readonly day: number;
  /** The sum of the values, the least or the greatest of them, or the only one, as the input takes them. */
  readonly figure: Figure;
}

/** Why the values of an input give no figure. */
export interface InputFault {
  readonly code: 'missing' | 'refused' | 'no_result';
  readonly message: string;
}

interface Entry extends Removable {
  readonly name: string;
  readonly cell: InputCell;
  /** Whether the cell has no value, or one that the bounds of the input refuse. */
  readonly fault: 'missing' | 'refused' | undefined;
  /** The figure of the value. Set only if the input compares figures; else it is read from the cell when needed, which takes less memory. */
  readonly figure: Figure | undefined;
}

/** The entries of one currency and day. */
interface Group extends Omit<Subtotal, 'figure'> {
  count: number;
  /** Missing where none is taken, or where it has too many digits. */
  sum: Figure | undefined;
  readonly extremes: FirstOf<Entry> | undefined;
}

const dayMs = 86_400_000;

/**
 * The values of the records that one metric is taken from, with running totals: setting or removing a record takes a time that grows with the
 * logarithm of their number, and reading a total one that does not grow with it. The totals do not depend on the order in which records were set.
 */
export class InputTotals {
  readonly #input: MetricInput;
  readonly #kind: FigureKind;
  readonly #entries = new Map<string, Entry>();
  readonly #groups = new Map<string, Group>();
  readonly #oldest = new FirstOf<Entry>(
    (one, other) => one.cell.verifiedAt - other.cell.verifiedAt || compareNames(one, other),
  );
  readonly #newest = new FirstOf<Entry>(
    (one, other) => other.cell.observedAt - one.cell.observedAt || compareNames(one, other),
  );
  readonly #missing = new FirstOf<Entry>(compareNames);
  readonly #refused = new FirstOf<Entry>(compareNames);
  /** The number of records by the reason why their values may be out of date. */
  readonly #stale = new Map<string, number>();

  /** @param kind - the type of the field */
  constructor(input: MetricInput, kind: FigureKind) {
    this.#input = input;
    this.#kind = kind;
  }

  /** The number of the records. */
  get size(): number {
    return this.#entries.size;
  }

  /** Sets the value of a record, which replaces the one that it had. */
  set(cell: InputCell): void {
    const name = nameOf(cell);
    this.remove(cell);
    const figure = this.#figureOf(cell);
    const fault =
      figure === undefined ? 'missing' : boundsFault(figure, this.#input) === undefined ? undefined : 'refused';
    const entry: Entry = { name, cell, fault, figure: this.#isCompared ? figure : undefined, isRemoved: false };
    this.#entries.set(name, entry);
    for (const heap of this.#heapsOf(entry)) heap.add(entry);
    if (cell.stale !== undefined) this.#stale.set(cell.stale, (this.#stale.get(cell.stale) ?? 0) + 1);
    if (figure !== undefined) this.#join(this.#groupOf(cell, figure), entry, figure);
  }

  /** Removes the value of a record, if there is one. */
  remove(record: Pick<InputCell, 'source' | 'type' | 'key'>): void {
    const name = nameOf(record);
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    entry.isRemoved = true;
    for (const heap of this.#heapsOf(entry)) heap.noteRemoved();
    const { cell } = entry;
    const figure = this.#figureOf(cell);
    if (cell.stale !== undefined) {
      const left = (this.#stale.get(cell.stale) ?? 0) - 1;
      if (left > 0) this.#stale.set(cell.stale, left);
      else this.#stale.delete(cell.stale);
    }
    if (figure !== undefined) this.#leave(this.#groupOf(cell, figure), figure);
  }

  /** The values that the metric is made of, up to `count`: those that were verified the longest ago, oldest first; of the last record its own alone. */
  inputs(count: number): InputCell[] {
    const entries = this.#input.take === 'last' ? this.#newest.first(1) : this.#oldest.first(count);
    return entries.map(({ cell }) => cell);
  }

  /** Why a value may be out of date; the first reason by its letters where there are several. */
  get stale(): string | undefined {
    return [...this.#stale.keys()].sort()[0];
  }

  /** What the values give, by currency and day in this order, or why they give no figure. */
  subtotals(): readonly Subtotal[] | InputFault {
    const { take, field } = this.#input;
    const [single] = take === 'last' ? this.#newest.first(1) : take === 'only' ? this.#entries.values() : [];
    const [faulty] = single === undefined ? [...this.#missing.first(1), ...this.#refused.first(1)] : [single];
    const figure = faulty && this.#figureOf(faulty.cell);
    if (faulty?.fault === 'missing') return { code: 'missing', message: `${faulty.name} has no ${field}` };
    if (faulty?.fault === 'refused' && figure !== undefined)
      return { code: 'refused', message: `the ${field} of ${faulty.name} is ${boundsFault(figure, this.#input)}` };
    if (single !== undefined && figure !== undefined) return [{ ...placeOf(single.cell, figure), figure }];
    try {
      return [...this.#groups.values()].map((group) => this.#subtotal(group)).sort(compareGroups);
    } catch (error) {
      if (error instanceof RangeError) return { code: 'no_result', message: error.message };
      throw error;
    }
  }

  #subtotal(group: Group): Subtotal {
    const { extremes, sum, count: _, ...place } = group;
    const figure = extremes === undefined ? (sum ?? this.#sumAnew(group)) : extremes.first(1)[0]?.figure;
    if (figure === undefined) throw new Error('expected a group with values');
    return { ...place, figure };
  }

  /** Adds up the values of a group anew, after its running sum had too many digits. */
  #sumAnew(group: Group): Figure | undefined {
    let sum: Figure | undefined;
    for (const { cell } of this.#entries.values()) {
      const figure = this.#figureOf(cell);
      if (figure !== undefined && this.#groupOf(cell, figure) === group)
        sum = sum === undefined ? figure : sumOf(sum, figure);
    }
    group.sum = sum;
    return sum;
  }

  #figureOf({ value }: InputCell): Figure | undefined {
    return valueOf(value, this.#kind, 'UTC') as Figure | undefined;
  }

  #heapsOf({ fault }: Entry): FirstOf<Entry>[] {
    return [
      this.#oldest,
      ...(this.#input.take === 'last' ? [this.#newest] : []),
      ...(fault === 'missing' ? [this.#missing] : []),
      ...(fault === 'refused' ? [this.#refused] : []),
    ];
  }

  #groupOf(cell: InputCell, figure: Figure): Group {
    const place = placeOf(cell, figure);
    const name = groupName(place);
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const sign = this.#input.take === 'min' ? 1 : -1;
    const extremes = this.#isCompared
      ? new FirstOf<Entry>(
          (one, other) =>
            (one.figure && other.figure ? sign * compareFigures(one.figure, other.figure) : 0) ||
            compareNames(one, other),
        )
      : undefined;
    const group = { ...place, count: 0, sum: undefined, extremes };
    this.#groups.set(name, group);
    return group;
  }

  #join(group: Group, entry: Entry, figure: Figure): void {
    group.extremes?.add(entry);
    const isFirst = group.count === 0;
    group.count += 1;
    if (!this.#isSummed) return;
    if (isFirst) group.sum = figure;
    else if (group.sum !== undefined) group.sum = orUndefined(group.sum, figure);
  }

  #leave(group: Group, figure: Figure): void {
    group.extremes?.noteRemoved();
    group.count -= 1;
    if (group.count === 0) this.#groups.delete(groupName(group));
    else if (group.sum !== undefined) group.sum = orUndefined(group.sum, productOf(figure, new Exact(-1n)));
  }

  get #isCompared(): boolean {
    return this.#input.take === 'min' || this.#input.take === 'max';
  }

  get #isSummed(): boolean {
    return this.#input.take === 'sum' || this.#input.take === 'mean';
  }
}

/** A sum; `undefined` where it has too many digits. */
function orUndefined(sum: Figure, figure: Figure): Figure | undefined {
  try {
    return sumOf(sum, figure);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function nameOf({ source, type, key }: Pick<InputCell, 'source' | 'type' | 'key'>): string {
  return `${source} ${type} ${key}`;
}

function compareNames({ name: one }: Entry, { name: other }: Entry): number {
  return one < other ? -1 : Number(one > other);
}

function placeOf({ verifiedAt }: InputCell, figure: Figure): Omit<Subtotal, 'figure'> {
  return figure instanceof Money ? { currency: figure.currency, day: Math.floor(verifiedAt / dayMs) } : { day: 0 };
}

function groupName({ currency = '', day }: Omit<Subtotal, 'figure'>): string {
  return `${currency} ${day}`;
}

function compareGroups(one: Subtotal, other: Subtotal): number {
  const [left = '', right = ''] = [one.currency, other.currency];
  return left === right ? one.day - other.day : left < right ? -1 : 1;
}

/** Why the bounds of an input refuse a figure; `undefined` where they do not. */
function boundsFault(figure: Figure, { min, max }: MetricInput): string | undefined {
  const amount = figure instanceof Money ? figure.amount : figure;
  if (!(amount instanceof Exact)) return undefined;
  const isBeyond = (bound: number | undefined, sign: number): boolean => {
    const limit = bound === undefined ? undefined : Exact.of(String(bound));
    return limit !== undefined && amount.compare(limit) * sign < 0;
  };
  if (isBeyond(min, 1)) return `${amount.text()}, expected at least ${min}`;
  return isBeyond(max, -1) ? `${amount.text()}, expected at most ${max}` : undefined;
}
