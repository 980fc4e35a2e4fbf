import type { RepairChange, RepairKept } from '../view/repair.ts';
import type { RankedPlace } from './rank-places.ts';

/** Records, and different values among them, that a repair must give as they were to be made without a person. */
const [leastRecords, leastDistinct] = [5, 3];

/** The share of values that must be the known ones: others may have changed meanwhile. */
const leastKept = 0.9;

/** A rule of a field that a repair changes, with how it was found. */
export interface RepairedField {
  readonly change: RepairChange;
  readonly chosen: RankedPlace;
  /** Other places that give as many of the known values. */
  readonly rivals: readonly RankedPlace[];
}

/** What is known of the records that a repair reads. */
export interface ReadKeys {
  /** Known records that are read with their keys, all known ones, and records that were not known. */
  readonly kept: number;
  readonly of: number;
  readonly added: number;
}

/**
 * Whether a repair may be made without a person: all known records are read by their keys and no others, each changed field gives at least five
 * known values of which three differ and hardly any other, and no other place gives as many of them and says something else of a record.
 */
export function isSafeForAuto(
  fields: readonly RepairedField[],
  keys: readonly ReadKeys[],
  kept: readonly RepairKept[],
): boolean {
  const areKeysEqual = keys.every(({ kept: same, of, added }) => same === of && added === 0 && of >= leastRecords);
  const areAllRead = kept.every(({ kept: same, other, of }) => of === 0 || same + other >= leastKept * of);
  return areKeysEqual && areAllRead && areAlike(fields, kept) && fields.every(isSure);
}

/** Whether the rules that stay read what was known in most of their fields: on another page, they would not. */
function areAlike(fields: readonly RepairedField[], kept: readonly RepairKept[]): boolean {
  const changed = new Set(fields.map(({ change: { record, field } }) => `${record}.${field ?? ''}`));
  const stay = kept.filter(({ record, field }) => field !== undefined && !changed.has(`${record}.${field}`));
  return 2 * stay.filter(({ kept: same, of }) => 2 * same > of).length >= stay.length;
}

function isSure({ chosen, rivals }: RepairedField): boolean {
  const { kept, other, of, extra, distinct } = chosen;
  if (kept < leastRecords || distinct < leastDistinct) return false;
  if (kept < leastKept * of || kept + other < of || extra > 0) return false;
  return rivals.every(
    (rival) => rival.kept < kept || rival.reads.every((read, at) => read === undefined || read === chosen.reads[at]),
  );
}
