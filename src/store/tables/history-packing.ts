import type { FieldChanges } from '../../view/fields.ts';
import type { HistoryView } from '../../view/record.ts';
import type { Packing } from '../lmdb/table.ts';
import type { Words } from './words.ts';

/** The members of a change that are neither in its key nor in the row of its record. */
export type HistoryRow = Omit<HistoryView, 'record' | 'at' | 'serial' | 'source' | 'type' | 'key'>;

type FieldChange = FieldChanges[string];

/** The new value of a field and the old one, where there was one; a change that says more is stored as it is. */
type PackedField = readonly [value: FieldChange['new'], old?: FieldChange['new']] | FieldChange;

/** The number of the record, the instant of the observation, and the id of the event that tells of it. */
export type HistoryKey = [record: number, at: number, serial: number];

/** The place of a change in the history of its record. */
export interface HistoryPlace {
  readonly at: number;
  readonly serial: number;
}

/** A change as a list, which has half the bytes of an object with names. */
export type PackedChange = readonly [
  target: number,
  /** Number of the scrape; 0 for a pulse and -1 for a re-check. */
  scrape: number,
  /** The number of the version of the definition. */
  version: number,
  kind: number,
  /** Empty for none. */
  page: string,
  fields: Readonly<Record<string, PackedField>>,
  /** 0 for a change whose value was held, which corrects none. */
  corrects?: number,
  /** Set where it takes back what a run told. */
  isRecall?: 1,
];

const kinds: readonly HistoryRow['kind'][] = ['added', 'changed', 'missing', 'gone'];

const recheck = -1;

/** The fields of a stored change, by name. */
export function fieldsOf([, , , , , fields]: PackedChange): PackedChange[5] {
  return fields;
}

/** How changes are stored. */
export function historyPacking(words: Words): Packing<HistoryKey, HistoryRow, PackedChange> {
  return {
    pack({ target, scrape, recheck: isRecheck, version, kind, page = '', fields, corrects, isRecall, wasHeld }) {
      const by = isRecheck === true ? recheck : scrape;
      const of = [target, by, words.numberOf(version), kinds.indexOf(kind), page, mapped(fields, packField)] as const;
      if (wasHeld === true) return [...of, 0];
      if (corrects === undefined) return of;
      return isRecall === true ? [...of, corrects, 1] : [...of, corrects];
    },
    unpack([target, by, version, kind, page, fields, corrects, isRecall]) {
      return {
        target,
        ...(by === recheck ? { scrape: 0, recheck: true } : { scrape: by }),
        version: words.textOf(version),
        ...(page !== '' && { page }),
        ...(corrects === 0 ? { wasHeld: true } : corrects !== undefined && { corrects }),
        ...(isRecall === 1 && { isRecall: true }),
        kind: kinds[kind] ?? 'changed',
        fields: mapped(fields, unpackField),
      };
    },
  };
}

function packField(change: FieldChange): PackedField {
  if (change.firstSeenAt !== undefined) return change;
  return change.old === undefined ? [change.new] : [change.new, change.old];
}

function unpackField(packed: PackedField): FieldChange {
  if (!isPair(packed)) return packed;
  const [value, old] = packed;
  return old === undefined ? { new: value } : { old, new: value };
}

function isPair(packed: PackedField): packed is Exclude<PackedField, FieldChange> {
  return Array.isArray(packed);
}

/** Maps the values of an object whose names may be any, also those that every object inherits. */
function mapped<V, W>(values: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
