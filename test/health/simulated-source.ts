import type { Measure, MeasureName } from '../../src/health/measure-kind.ts';
import { clamp, Random } from './random.ts';
import { type FieldStep, SimulatedField } from './simulated-field.ts';

/**
 * The kinds of healthy sources: a shop's catalogue; a board of advertisements, most of which stay a few days; a register each of whose scrapes has
 * records of its own; a list of the newest; and many pages of a record each, scraped in rounds.
 */
export type SourceKind = 'catalogue' | 'board' | 'register' | 'newest' | 'pages';

/** A run of a simulated source. */
export interface SimulatedRun {
  readonly at: number;
  readonly measures: readonly Measure[];
}

export interface SimulatedSource {
  readonly kind: SourceKind;
  readonly runsPerDay: number;
  /** Whether its records change little: at most 1 % a day, and no day of the week differs. */
  readonly isSteady: boolean;
  runs(): Generator<SimulatedRun>;
}

const dayMs = 86_400_000;
const startAt = Date.UTC(2026, 0, 1);

function drawTraits(random: Random) {
  const kind: SourceKind = random.pick([
    [45, 'catalogue'],
    [20, 'board'],
    [15, 'register'],
    [10, 'newest'],
    [10, 'pages'],
  ] as const);
  const runsPerDay = random.pick([
    [45, 1],
    [15, 2],
    [30, 6],
    [10, 24],
  ]);
  const sizes: Readonly<Record<SourceKind, () => number>> = {
    catalogue: () => clamp(200 * random.factor(1.3), 10, 20_000),
    board: () => clamp(200 * random.factor(1.3), 10, 20_000),
    register: () => random.logBetween(5, 500) / Math.sqrt(runsPerDay),
    newest: () => random.between(10, 50),
    pages: () => random.logBetween(10, 500),
  };
  const growth = random.pick([
    [70, 0.001 * random.normal()],
    [20, random.between(0, 0.01)],
    [10, random.between(0.01, 0.03)],
  ]);
  return {
    kind,
    runsPerDay,
    records: sizes[kind](),
    /** The share of records that are replaced in a day, and by which they grow. */
    churn: kind === 'board' ? random.between(0.03, 0.25) : random.logBetween(5e-4, 0.04),
    growth: kind === 'catalogue' ? growth : 0,
    /** What happens on a day at the weekend, as a part of that of another day. */
    weekend: random.chance(0.6) ? random.between(0.05, 0.8) : 1,
    /** The day of the week of its first day, 0 for a Monday. */
    firstWeekday: Math.floor(random.between(0, 7)),
    /** Everything that happens in a day shows in one of its runs. */
    isNightly: random.chance(0.4),
    hours: random.between(0, 0.9),
    bustle: random.between(0.1, 0.7),
    /** The share of records that are out of the list for a run. */
    flicker: random.chance(0.5) ? random.logBetween(1e-4, 0.02) : 0,
    hasSales: random.chance(0.4),
    changed: random.logBetween(0.002, 0.15),
    unsteady: random.between(0.05, 0.5),
    pageSize: kind === 'pages' ? 1 : Math.round(random.between(10, 60)),
    pageBytes: random.logBetween(0.005, 0.08),
    requestMs: random.between(0.05, 0.4),
    failed: random.logBetween(1e-4, 0.03),
    refused: random.chance(0.5) ? random.logBetween(1e-5, 0.02) : 0,
    fields: Math.round(random.between(3, 10)),
  };
}

type Traits = ReturnType<typeof drawTraits>;

/** Makes a healthy source: its records grow, are replaced, go on sale, are fewer at the weekend or at night, and its host is slow on some days. */
export function simulatedSource(seed: number, days: number): SimulatedSource {
  const random = new Random(seed);
  const traits = drawTraits(random);
  const { kind, runsPerDay, churn, weekend, growth, flicker, bustle } = traits;
  const isStock = kind === 'catalogue' || kind === 'board';
  return {
    kind,
    runsPerDay,
    isSteady:
      isStock && weekend === 1 && churn <= 0.01 && flicker <= 0.005 && Math.abs(growth) <= 0.01 && bustle <= 0.4,
    *runs() {
      const source = new Source(random, traits);
      const phase = random.next() / runsPerDay;
      for (let run = 0; run < days * runsPerDay; run += 1) {
        const day = phase + (run + random.between(-0.05, 0.05)) / runsPerDay;
        yield { at: Math.round(startAt + day * dayMs), measures: source.measures(Math.max(0, day)) };
      }
    },
  };
}

/** What happens on a day, drawn as it begins. */
interface Day {
  readonly day: number;
  readonly bustle: number;
  readonly isHoliday: boolean;
  /** The share of records that are imported or cleared at once. */
  readonly imported: number;
  readonly cleared: number;
}

/** When a run is: the days since the one before by which everything moves, and how slow and how busy its hour is. */
interface RunTime {
  readonly days: number;
  readonly isNewDay: boolean;
  readonly slow: number;
  readonly busyHour: number;
}

/** What a run finds: the records, those that were known, and its counts. */
interface Found extends Pick<FieldStep, 'stock'> {
  readonly known: number;
  readonly records: number;
  readonly measures: readonly Measure[];
}

class Source {
  readonly #random: Random;
  readonly #traits: Traits;
  readonly #fields: readonly SimulatedField[];
  #records: number;
  readonly #usual: number;
  #day: Day = { day: -1, bustle: 1, isHoliday: false, imported: 0, cleared: 0 };
  #sale = { until: -1, share: 0, cut: 0, isOn: false };
  #slow = { from: 0, to: 0, by: 1 };
  #absent = 0;
  #drift = 0;

  constructor(random: Random, traits: Traits) {
    this.#random = random;
    this.#traits = traits;
    this.#records = Math.max(3, Math.round(traits.records));
    this.#usual = this.#records;
    const of = { records: this.#records, hasSales: traits.hasSales };
    this.#fields = Array.from({ length: traits.fields }, (_, at) => new SimulatedField(random, `field${at}`, of));
  }

  measures(at: number): Measure[] {
    const random = this.#random;
    const { kind, runsPerDay, hours, isNightly, failed, refused } = this.#traits;
    const isNewDay = Math.floor(at) !== this.#day.day;
    if (isNewDay) this.#beginDay(Math.floor(at));
    const { day, bustle } = this.#day;
    const busyHour = 1 + hours * Math.sin(2 * Math.PI * at);
    const days = isNightly && runsPerDay > 1 ? Number(isNewDay) : busyHour / runsPerDay;
    const isSale = day <= this.#sale.until;
    const isSaleTurn = isSale !== this.#sale.isOn;
    this.#sale.isOn = isSale;
    const slow = at >= this.#slow.from && at < this.#slow.to ? this.#slow.by : 1;
    const { known, records, measures, ...read } = this.#read({ days, isNewDay, slow, busyHour });
    const step: FieldStep = {
      ...{ days: 1 / runsPerDay, day, isNewDay, bustle, records, isSale, isSaleTurn, ...read },
      cut: isSale ? this.#sale.share * -Math.log(1 - this.#sale.cut) : 0,
    };
    const changes = isSaleTurn ? Math.round(this.#sale.share * known) : 0;
    const changed =
      known === 0
        ? []
        : shareOf('changed', Math.min(known, changes + this.#changed(known, days, isSale)), known, 'item');
    const pages = Math.max(1, Math.ceil(records / this.#traits.pageSize));
    const requests = kind === 'pages' ? this.#records : pages;
    const failures =
      kind === 'pages'
        ? this.#records - records
        : random.binomial(requests, clamp(failed * slow * random.factor(0.8), 0, 0.5));
    return [
      ...measures,
      ...changed,
      ...this.#fields.flatMap((field) => field.measures(step)),
      ...shareOf('refused', random.binomial(records, clamp(refused * random.factor(0.5), 0, 1)), records),
      ...shareOf('failed', failures, requests),
      { name: 'page_bytes', value: this.#pageBytes(records / pages, pages) },
      {
        name: 'request_ms',
        value: 800 * slow * random.factor(this.#traits.requestMs) * Math.exp(0.2 * (busyHour - 1)),
      },
    ];
  }

  #beginDay(day: number): void {
    const random = this.#random;
    const { hasSales, bustle } = this.#traits;
    this.#drift += 0.003 * random.normal();
    this.#day = {
      day,
      bustle: random.factor(bustle),
      isHoliday: random.chance(0.02),
      imported: random.chance(0.006) ? random.between(0.02, 0.12) : 0,
      cleared: random.chance(0.006) ? random.between(0.02, 0.1) : 0,
    };
    if (random.chance(0.02)) {
      const from = day + random.next();
      this.#slow = { from, to: from + random.logBetween(2, 30) / 24, by: random.between(1.5, 4) };
    }
    if (hasSales && day > this.#sale.until + 10 && random.chance(0.03)) {
      const until = day + Math.round(random.between(1, 10));
      this.#sale = { until, share: random.between(0.1, 0.9), cut: random.between(0.1, 0.5), isOn: false };
    }
  }

  /** Which records a run finds. */
  #read(at: RunTime): Found {
    const { kind } = this.#traits;
    if (kind === 'register') return this.#readRegister(at);
    if (kind === 'newest') return this.#readNewest(at);
    return kind === 'pages' ? this.#readPages(at) : this.#readStock(at);
  }

  #readRegister({ busyHour }: RunTime): Found {
    const { isNightly, unsteady } = this.#traits;
    const busy = this.#weekday() * (isNightly ? 1 : busyHour) * this.#random.factor(unsteady);
    const records = this.#random.poisson(this.#usual * busy);
    return { known: 0, records, measures: [count('records', records), count('new', records)] };
  }

  #readNewest({ days }: RunTime): Found {
    const records = this.#usual - Number(this.#random.chance(0.01));
    const fresh = this.#traits.churn * 20 * this.#usual * this.#weekday() * days * this.#day.bustle;
    const added = Math.min(records, this.#random.poisson(fresh));
    return { known: 0, records, measures: [count('records', records), count('new', added)] };
  }

  #readPages({ slow }: RunTime): Found {
    const share = clamp(this.#traits.failed * slow * this.#random.factor(0.5), 0, 0.3);
    const records = this.#usual - this.#random.binomial(this.#usual, share);
    const stock = { before: this.#usual, added: 0, removed: 0 };
    return { known: this.#usual, records, measures: shareOf('found', records, records, 'item'), stock };
  }

  #readStock({ days, isNewDay }: RunTime): Found {
    const random = this.#random;
    const { kind, churn, growth, flicker } = this.#traits;
    const { bustle, imported, cleared } = this.#day;
    const before = this.#records;
    const fresh = kind === 'board' ? churn * this.#usual * this.#weekday() : churn * before * this.#weekday();
    const added =
      random.poisson((fresh + Math.max(0, growth) * before) * days * bustle) +
      (isNewDay ? Math.round(imported * before) : 0);
    const gone = (churn + Math.max(0, -growth)) * before * days * (kind === 'board' ? 1 : bustle);
    const removed = clamp(
      random.poisson(gone) + (isNewDay ? Math.round(cleared * before) : 0),
      0,
      Math.max(0, before - 3),
    );
    this.#records = before - removed + added;
    const absent = random.binomial(this.#records, clamp(flicker * bustle, 0, 1));
    const missing = Math.min(before, removed + Math.max(0, absent - Math.round(this.#absent * 0.7)));
    this.#absent = absent;
    const records = this.#records - absent;
    const measures = [count('records', records), ...shareOf('missing', missing, before, 'item'), count('new', added)];
    return { known: before - removed, records, measures, stock: { before, added, removed } };
  }

  #changed(known: number, days: number, isSale: boolean): number {
    const rate = this.#traits.changed * days * this.#weekday() * this.#day.bustle * (isSale ? 2 : 1);
    return this.#random.binomial(known, clamp(rate, 0, 1));
  }

  /** How much happens on this day of the week. */
  #weekday(): number {
    const isWeekend = (this.#day.day + this.#traits.firstWeekday) % 7 >= 5;
    return isWeekend || this.#day.isHoliday ? this.#traits.weekend : 1;
  }

  #pageBytes(recordsEach: number, pages: number): number {
    const noise = (this.#traits.pageBytes * this.#random.normal()) / Math.sqrt(pages);
    return (20_000 + 500 * recordsEach) * Math.exp(this.#drift + noise);
  }
}

function count(name: MeasureName, value: number): Measure {
  return { name, record: 'item', value };
}

function shareOf(name: MeasureName, part: number, of: number, record?: string): Measure[] {
  return of > 0 ? [{ name, ...(record !== undefined && { record }), value: part / of, of }] : [];
}
