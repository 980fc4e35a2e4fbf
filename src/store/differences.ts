import { setImmediate } from 'node:timers/promises';
import type { Value } from '../extract/value/value.ts';
import type { RecordDifference } from '../view/record.ts';
import { differenceBy } from './record-difference.ts';
import type { Store } from './store.ts';

/** What is compared of some targets. */
export interface WantedDifferences {
  /** The two instants: what was observed at one of them belongs to it. */
  readonly from: number;
  readonly to: number;
  readonly type?: string | undefined;
  readonly key?: string | undefined;
  /** The place behind which a slice begins. */
  readonly after?: DifferencePlace | undefined;
  readonly limit: number;
}

/** The last record that was looked at, and the target in whose turn that was. */
export interface DifferencePlace {
  readonly target: number;
  readonly record: number;
}

/** A slice of the records that differ, target by target. */
export interface DifferenceSlice {
  readonly differences: readonly RecordDifference[];
  /** Missing where no record is left to be looked at. */
  readonly next?: DifferencePlace;
}

/** Records that one call looks at, however few differ, and those between two turns of the event loop. */
const perCall = 20_000;
const perTurn = 200;

/** Finds the records of some targets that differ from one instant to another, by their history. */
export async function differencesOf(
  { records, history }: Pick<Store, 'records' | 'history'>,
  targets: readonly number[],
  { from, to, type, key, after, limit }: WantedDifferences,
): Promise<DifferenceSlice> {
  const differences: RecordDifference[] = [];
  let looked = 0;
  const first = after === undefined ? 0 : Math.max(0, targets.indexOf(after.target));
  for (const [place, target] of targets.slice(first).entries()) {
    let last = place === 0 ? (after?.record ?? 0) : 0;
    for (;;) {
      const numbers = numbersAfter(target, last);
      for (const record of numbers) {
        last = record;
        const difference = isFirstTarget(record, target) ? differenceOf(record) : undefined;
        if (difference !== undefined) differences.push(difference);
        looked += 1;
        if (differences.length === limit || looked === perCall) return { differences, next: { target, record } };
      }
      if (numbers.length < perTurn) break;
      await setImmediate();
    }
  }
  return { differences };

  /** The next records of a target in the order of their numbers, removed ones among them. */
  function numbersAfter(target: number, last: number): readonly number[] {
    const range = { after: last, limit: perTurn };
    const numbers = [...records.numbersOfTarget(target, range), ...records.removedOfTarget(target, range)];
    return numbers.sort((one, other) => one - other).slice(0, perTurn);
  }

  /** Whether no target before this one has seen the record too. */
  function isFirstTarget(record: number, target: number): boolean {
    return targets.find((each) => each === target || records.seenByNumber(each, record) !== undefined) === target;
  }

  function differenceOf(record: number): RecordDifference | undefined {
    const range = { after: { at: from, serial: Infinity }, before: { at: to, serial: Infinity } };
    const name = records.nameOf(record);
    if (name === undefined || (type ?? name.type) !== name.type || (key ?? name.key) !== name.key) return undefined;
    const [firstChange] = history.ofRecord(record, { ...range, limit: 1 });
    if (firstChange === undefined) return undefined;
    const [before] = history.ofRecord(record, { before: firstChange, newestFirst: true, limit: 1 });
    // A change before the first instant may have been corrected since.
    const oldOf = history.hasCorrections() ? oldOfRecord(record) : undefined;
    const difference = differenceBy(history.ofRecord(record, range), before, oldOf);
    const { source, type: ofType, key: itsKey } = name;
    return difference && { record, source, type: ofType, key: itsKey, ...difference };
  }

  function oldOfRecord(record: number) {
    return (field: string, told: Value | undefined): Value | undefined => {
      const range = { before: { at: from, serial: Infinity }, newestFirst: true, field, limit: 1 };
      for (const { fields } of history.ofRecord(record, range)) return fields[field]?.new;
      return told;
    };
  }
}
