import type { Measure, MeasureName } from '../../src/health/measure-kind.ts';
import { clamp, type Random } from './random.ts';

/** What a field of a simulated source is like. */
interface FieldTraits {
  readonly field: string;
  readonly type: 'text' | 'number' | 'stock' | 'choice';
  /** The share of records that have it. */
  readonly fill: number;
  /** The share that has it while a sale is on, as a price before the sale. */
  readonly saleFill?: number;
  /** The share of records that lose it in a day. */
  readonly lost: number;
  /** The share of empty values. */
  readonly empty: number;
  /** The share of the most frequent value. */
  readonly top: number;
  readonly level: number;
  /** The share of texts that change in a day; `everyDays` where nearly all change on one day of so many. */
  readonly altered: number;
  readonly everyDays?: number;
  readonly odd: number;
  /** How much the share that has it varies where each run has other records. */
  readonly unsteady: number;
}

/** What a run does to all fields. */
export interface FieldStep {
  readonly days: number;
  readonly day: number;
  readonly isNewDay: boolean;
  /** How much happens on this day, around 1. */
  readonly bustle: number;
  /** Known records before and their changes; missing where each run has other records. */
  readonly stock?: { readonly before: number; readonly added: number; readonly removed: number };
  /** The records that are seen. */
  readonly records: number;
  readonly isSale: boolean;
  /** Whether a sale began or ended with this run. */
  readonly isSaleTurn: boolean;
  /** By how much a sale lowers the mean logarithm of prices. */
  readonly cut: number;
}

function drawTraits(random: Random, field: string, hasSales: boolean): FieldTraits {
  const kind = random.pick([
    [40, 'full'],
    [25, 'nearly'],
    [25, 'optional'],
    [10, hasSales ? 'sale' : 'optional'],
  ]);
  const fill =
    kind === 'full'
      ? 1
      : kind === 'nearly'
        ? random.between(0.93, 0.999)
        : kind === 'sale'
          ? random.between(0.02, 0.2)
          : random.between(0.1, 0.9);
  const type = random.pick([
    [40, 'text'],
    [30, 'number'],
    [20, 'choice'],
    [10, 'stock'],
  ] as const);
  const everyDays = random.pick([
    [92, undefined],
    [4, 1],
    [4, 7],
  ]);
  return {
    field,
    type,
    fill,
    ...(kind === 'sale' && { saleFill: random.between(0.3, 0.9) }),
    lost: random.logBetween(1e-5, 0.004),
    empty:
      type === 'stock'
        ? random.between(0.05, 0.5)
        : type === 'number' && random.chance(0.1)
          ? random.between(0, 0.1)
          : 0,
    top: type === 'choice' ? random.between(0.3, 0.97) : 0,
    level: random.between(1, 6),
    altered: random.chance(0.15) ? random.between(0.02, 0.3) : random.logBetween(1e-5, 0.02),
    ...(everyDays !== undefined && { everyDays }),
    odd: random.logBetween(1e-5, 0.005),
    unsteady: random.between(0, 0.3),
  };
}

/** A field of a simulated source: how many records have it, and what they have. */
export class SimulatedField {
  readonly #random: Random;
  readonly #traits: FieldTraits;
  #filled: number;
  #empty: number;
  /** The share that had it before the sale. */
  #fillBefore: number;

  constructor(
    random: Random,
    field: string,
    { records, hasSales }: { readonly records: number; readonly hasSales: boolean },
  ) {
    this.#random = random;
    this.#traits = drawTraits(random, field, hasSales);
    this.#filled = random.binomial(records, this.#traits.fill);
    this.#empty = random.binomial(this.#filled, this.#traits.empty);
    this.#fillBefore = this.#traits.fill;
  }

  measures(step: FieldStep): Measure[] {
    return step.stock === undefined ? this.#fresh(step) : this.#stored(step, step.stock);
  }

  /** A run whose records are all new ones. */
  #fresh({ records, isSale, cut }: FieldStep): Measure[] {
    const { fill, unsteady, empty, top } = this.#traits;
    const seen = this.#random.binomial(records, this.#around(fill, unsteady));
    return [
      ...this.#share('fill', seen, records),
      ...this.#share('empty', this.#random.binomial(seen, empty), seen),
      ...this.#share('one_value', this.#topCount(seen, isSale), seen),
      ...this.#levels(seen, top, cut),
    ];
  }

  /** A run that reads what a source has in stock. */
  #stored(step: FieldStep, stock: NonNullable<FieldStep['stock']>): Measure[] {
    const random = this.#random;
    const { days, day, isNewDay, bustle, records, isSale, cut } = step;
    const { type, altered, everyDays, odd } = this.#traits;
    const { had, lost } = this.#turnOver(step, stock);
    const pairs = had - lost;
    const emptied = this.#emptied(step, pairs);
    const total = stock.before - stock.removed + stock.added;
    const seen = Math.min(records, Math.round((this.#filled * records) / Math.max(1, total)));
    const empty = Math.min(seen, Math.round((this.#empty * seen) / Math.max(1, this.#filled)));
    const common = [
      ...this.#share('fill', seen, records),
      ...this.#share('lost', lost, had),
      ...this.#share('empty', empty, seen),
      ...this.#share('emptied', emptied, pairs),
      ...this.#share('one_value', this.#topCount(seen, isSale), seen),
    ];
    const isOdd = clamp(odd * days * bustle, 0, 1);
    if (type === 'number' || type === 'stock')
      return [
        ...common,
        ...this.#share('currency', 0, pairs),
        ...this.#share('rescaled', random.binomial(pairs, isOdd), pairs),
        ...this.#levels(seen, 0.3, cut),
      ];
    const isRenewed = everyDays !== undefined && isNewDay && day % everyDays === 0;
    const differ = random.binomial(pairs, isRenewed ? random.between(0.8, 1) : clamp(altered * days * bustle, 0, 1));
    return [
      ...common,
      ...this.#share('shape', random.binomial(pairs, isOdd), pairs),
      ...this.#share('garbled', 0, pairs),
      ...this.#share('altered', differ, pairs),
      ...this.#levels(seen, 0.1, 0),
    ];
  }

  /** Has records come, go, lose the field and gain it. */
  #turnOver(
    { days, isNewDay, isSale, isSaleTurn }: FieldStep,
    { before, added, removed }: NonNullable<FieldStep['stock']>,
  ): { readonly had: number; readonly lost: number } {
    const random = this.#random;
    const { fill, saleFill, lost: rate, empty } = this.#traits;
    const others = before - this.#filled;
    const gone = clamp(
      random.binomial(removed, before > 0 ? this.#filled / before : 1),
      removed - others,
      Math.min(removed, this.#filled),
    );
    const had = this.#filled - gone;
    const total = before - removed + added;
    const isEmpty = this.#filled > 0 ? this.#empty / this.#filled : 0;
    let lost = random.binomial(had, clamp(rate * days * random.factor(0.8), 0, 1));
    // An editor takes the field from a part of the catalogue.
    if (isNewDay && random.chance(0.002)) lost += Math.round(had * random.between(0.005, 0.05));
    let gained = random.binomial(
      Math.max(0, before - removed - had),
      fill >= 1 ? 0.3 * days : clamp((rate * days * fill) / (1 - fill), 0, 1),
    );
    if (saleFill !== undefined && isSaleTurn && isSale) {
      this.#fillBefore = had / Math.max(1, before - removed);
      gained += Math.round(Math.max(0, before - removed - had - gained) * saleFill);
    } else if (saleFill !== undefined && isSaleTurn)
      lost += Math.max(0, had - Math.round((before - removed) * this.#fillBefore));
    lost = Math.min(lost, had);
    const fresh = random.binomial(added, fill >= 1 ? 1 : this.#around(fill, 0.5));
    this.#filled = clamp(had - lost + gained + fresh, 0, total);
    this.#empty = clamp(Math.round(isEmpty * (had - lost)) + random.binomial(gained + fresh, empty), 0, this.#filled);
    return { had, lost };
  }

  /** Has values run out and be filled again; returns how many ran out. */
  #emptied({ days, bustle, isSale }: FieldStep, pairs: number): number {
    const { type, empty } = this.#traits;
    const rate = type === 'stock' ? 0.02 * days * bustle * (isSale ? 2 : 1) : 0.0005 * days;
    const emptied = this.#random.binomial(Math.min(pairs, this.#filled - this.#empty), clamp(rate, 0, 1));
    const refilled =
      empty > 0 ? this.#random.binomial(this.#empty, clamp((rate * (1 - empty)) / empty, 0, 1)) : this.#empty;
    this.#empty = clamp(this.#empty + emptied - refilled, 0, this.#filled);
    return emptied;
  }

  #topCount(seen: number, isSale: boolean): number {
    const { top, type } = this.#traits;
    if (type !== 'choice') return Math.min(seen, 1);
    return this.#random.binomial(seen, clamp(top + 0.02 * this.#random.normal() + (isSale ? 0.05 : 0), 0, 1));
  }

  #levels(seen: number, deviation: number, cut: number): Measure[] {
    const { field, level, type } = this.#traits;
    if (seen === 0) return [];
    const name = type === 'number' || type === 'stock' ? 'level' : 'length';
    const value = level - (type === 'number' ? cut : 0) + (deviation * this.#random.normal()) / Math.sqrt(seen);
    return [{ name, record: 'item', field, value, of: seen }];
  }

  #share(name: MeasureName, count: number, of: number): Measure[] {
    return of > 0 ? [{ name, record: 'item', field: this.#traits.field, value: count / of, of }] : [];
  }

  /** A share that varies by a deviation of its logit. */
  #around(share: number, deviation: number): number {
    if (share >= 1) return 1;
    return 1 / (1 + ((1 - share) / share) * this.#random.factor(deviation));
  }
}
