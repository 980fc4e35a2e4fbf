import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { recordNames } from '../definition/figure-fields.ts';
import type { Source } from '../definition/source.ts';
import { type InputCell, InputTotals } from '../metric/input-totals.ts';
import type { InputMetric } from '../metric/plan.ts';
import { inSlices } from '../store/slices.ts';
import type { Store } from '../store/store.ts';
import type { RecordSlice } from '../store/tables/records.ts';
import type { TargetRow } from '../store/tables/rows.ts';
import type { RecordView } from '../view/record.ts';
import { isGone } from '../view/record-state.ts';
import { readCondition, staleReason, type TargetCondition } from './target-condition.ts';

/** Records of a project that are looked at for its metrics, at most: those that each of its targets has seen, of all types. */
export const mostRecords = 100_000;

/** Values that the metrics of a project are taken from, at most: a record has one for each metric of its type. They take some 300 MB. */
const mostValues = 1_000_000;

/** Records that are read before other work has its turn. */
const recordsAtOnce = 500;

/** Metrics would be taken from more records or values than are read. */
export class TooManyInputs extends Error {
  override readonly name = 'TooManyInputs';
}

/** The name of a record. */
export type RecordName = Pick<RecordView, 'source' | 'type' | 'key'>;

/** The parts of a project that may have changed since its totals were read. */
export interface TouchedParts {
  readonly records: ReadonlyMap<string, RecordName>;
  /** Targets whose condition may be another, by number, each with its scrapes that ended. */
  readonly targets: ReadonlyMap<number, ReadonlySet<number>>;
  /** The number of records that were added. */
  readonly added: number;
}

/** The inputs of a read of the totals of a project. */
export interface TotalsFacts {
  readonly store: Store;
  /** The id of the project. */
  readonly project: string;
  readonly targets: readonly TargetRow[];
  readonly sources: readonly Source[];
  readonly metrics: readonly InputMetric[];
}

/** A metric with the totals of its records. */
interface MetricTotals {
  readonly metric: InputMetric;
  readonly totals: InputTotals;
}

/**
 * The values of the records that the metrics of a project are taken from: each record that one of its targets has seen, once. A record that is gone is left
 * out. Each record counts as one of its own target or, if the project has that not, of the first target that has seen it.
 */
export class ProjectTotals {
  readonly #store: Store;
  readonly #conditions = new Map<number, TargetCondition>();
  /** By source, then by the type of the record. */
  readonly #bySource = new Map<string, Map<string, MetricTotals[]>>();
  readonly #totals = new Map<string, InputTotals>();
  /** Records that were read, and those that were added since, of which some may be gone again. */
  #count = 0;
  readonly #mostValues: number;

  private constructor({ store, targets, sources, metrics }: TotalsFacts, most: number) {
    this.#store = store;
    this.#mostValues = most;
    const all = metrics.map((metric) => ({ metric, totals: new InputTotals(metric.input, metric.kind) }));
    for (const { metric, totals } of all) this.#totals.set(metric.name, totals);
    for (const source of sources) this.#bySource.set(source.id, byType(source, all));
    for (const target of targets) this.#conditions.set(target.target, readCondition(store, target));
  }

  /**
   * Reads all records. Rejects with `TooManyInputs` for more than `mostRecords`, and for more than so many values; leaves the event loop free
   * between slices of records.
   *
   * @param most - the values, at most. Default: 1,000,000.
   */
  static async read(facts: TotalsFacts, most = mostValues): Promise<ProjectTotals> {
    const totals = new ProjectTotals(facts, most);
    for (const number of totals.#conditions.keys()) {
      totals.#count += await totals.#readTarget(number, mostRecords - totals.#count);
      if (totals.#count > mostRecords)
        throw new TooManyInputs(`project "${facts.project}" has more than ${mostRecords} records`);
      if (totals.size > most)
        throw new TooManyInputs(`project "${facts.project}" has more than ${most} values that metrics are taken from`);
    }
    return totals;
  }

  /** The totals by the names of their metrics. */
  get totals(): ReadonlyMap<string, InputTotals> {
    return this.#totals;
  }

  /** The number of the values that are kept. */
  get size(): number {
    let sum = 0;
    for (const { size } of this.#totals.values()) sum += size;
    return sum;
  }

  /** Returns, by the name of a metric, a sentence that names a target which may have records for it and was never read. */
  unread(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const [number, { source, isUnread }] of this.#conditions) {
      if (!isUnread) continue;
      for (const { metric } of [...(this.#bySource.get(source)?.values() ?? [])].flat())
        if (!found.has(metric.name)) found.set(metric.name, `target ${number} of ${source} was never read`);
    }
    return found;
  }

  /** Reads again what may have changed. Resolves with false if there may be more records or values now than are read; then all has to be read, which finds out. */
  async refresh({ records, targets, added }: TouchedParts): Promise<boolean> {
    this.#count += added;
    if (this.#count > mostRecords) return false;
    for (const [number, scrapes] of targets) {
      const before = this.#conditions.get(number);
      const target = this.#store.targets.get(number);
      if (before === undefined || target === undefined) continue;
      const now = readCondition(this.#store, target);
      this.#conditions.set(number, now);
      // How old each value is depends on the condition; otherwise only what a scrape saw was verified.
      if (!isDeepStrictEqual(before, now)) await this.#readTarget(number);
      else for (const scrape of scrapes) await this.#readSeenIn(scrape, number);
    }
    for (const name of records.values()) {
      const record = this.#store.records.get(name.source, name.type, name.key);
      if (record === undefined) this.#remove(name);
      else this.#set(record);
    }
    return this.size <= this.#mostValues;
  }

  /** Reads up to `limit` records of a target, and one more to say that there are more. Returns their number. */
  async #readTarget(number: number, limit = Infinity): Promise<number> {
    let count = 0;
    const { records } = this.#store;
    const slices = inSlices<RecordView>(
      (last, atOnce) => records.ofTarget(number, { after: last?.record, limit: atOnce }),
      recordsAtOnce,
    );
    for await (const slice of slices) {
      count += slice.length;
      if (count > limit || this.size > this.#mostValues) break;
      for (const record of slice) this.#set(record);
    }
    return count;
  }

  /** Reads the records of a target that a scrape has seen. */
  async #readSeenIn(scrape: number, number: number): Promise<void> {
    let after: RecordSlice['after'];
    do {
      const { rows, last } = this.#store.records.seenLastIn(scrape, number, { after, limit: recordsAtOnce });
      for (const record of rows) this.#set(record);
      after = last;
      if (after !== undefined) await setImmediate();
    } while (after !== undefined);
  }

  #set(record: RecordView): void {
    const wanted = this.#wanted(record);
    if (wanted.length === 0) return;
    const condition = this.#conditionOf(record);
    if (condition === undefined || isGone(record)) return this.#remove(record);
    // Metrics of one field share its cell, which saves memory.
    const cells = new Map<string | undefined, InputCell>();
    for (const { metric, totals } of wanted) {
      const { field } = metric.input;
      const cell = cells.get(field) ?? cellOf(record, field, condition);
      cells.set(field, cell);
      totals.set(cell);
    }
  }

  #remove(name: RecordName): void {
    for (const { totals } of this.#wanted(name)) totals.remove(name);
  }

  #wanted({ source, type }: RecordName): readonly MetricTotals[] {
    return this.#bySource.get(source)?.get(type) ?? [];
  }

  /** The condition of the target as one of which a record counts. */
  #conditionOf({ record, source, target }: RecordView): TargetCondition | undefined {
    const own = this.#conditions.get(target);
    if (own !== undefined) return own;
    for (const [number, condition] of this.#conditions)
      if (condition.source === source && this.#store.records.seenByNumber(number, record) !== undefined)
        return condition;
    return undefined;
  }
}

/** The metrics that are taken from records of a source, by the type of the record. */
function byType(source: Source, all: readonly MetricTotals[]): Map<string, MetricTotals[]> {
  const found = new Map<string, MetricTotals[]>();
  for (const each of all) {
    const { input } = each.metric;
    if (input.source !== undefined && input.source !== source.id) continue;
    for (const type of recordNames(source, input.of)) found.set(type, [...(found.get(type) ?? []), each]);
  }
  return found;
}

function cellOf(
  { type, key, fields, firstSeenAt, updatedAt }: RecordView,
  field: string | undefined,
  condition: TargetCondition,
): InputCell {
  const cell = field !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
  const { observedAt, verifiedAt } = cell ?? { observedAt: firstSeenAt, verifiedAt: updatedAt };
  const stale = staleReason(condition, { field, verifiedAt });
  return {
    source: condition.source,
    type,
    key,
    value: cell?.value,
    observedAt,
    verifiedAt,
    ...(stale !== undefined && { stale }),
  };
}
