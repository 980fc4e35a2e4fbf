import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Environment } from '../lmdb/environment.ts';
import { type Range, table } from '../lmdb/table.ts';
import type { HistoryKey, HistoryPlace, PackedChange } from './history-packing.ts';

/** A change with its key. */
export interface PackedEntry {
  readonly key: HistoryKey;
  readonly row: PackedChange;
}

/** A part of the history of a record: from one place on, or behind it, up to another. */
export interface PlaceRange {
  readonly from: HistoryPlace;
  readonly isBehind: boolean;
  readonly before: HistoryPlace;
}

/** Changes of one record that share a row, at most, and the characters of their JSON, unless one alone has more. */
const [mostChanges, mostCharacters] = [256, 65_536];

/** Bytes of the JSON of a run, at most: a change names no more than a page does. */
const mostBytes = 268_435_456;

/**
 * Old changes of records, in runs: up to 256 changes of one record in a row, one after the other, which are compressed together. All changes of a
 * record that are not sealed come behind its runs.
 */
export function sealedHistory(environment: Environment) {
  /** The runs, by the place of their last change. */
  const runs = table<HistoryKey, Uint8Array>(environment, 'history.sealed', 'binary');
  /** The latest instant of any run, under `at`. */
  const latest = table<'at', number>(environment, 'history.sealed_to');
  let known: number | undefined;
  environment.onUndone(() => {
    known = undefined;
  });
  /** The run that was read last. */
  let decoded: { readonly bytes: Uint8Array; readonly entries: readonly PackedEntry[] } | undefined;

  return {
    latestAt,
    *ofRecord(record: number, { from, isBehind, before }: PlaceRange): Generator<PackedEntry> {
      if (from.at > latestAt()) return;
      for (const { key, row } of runs.entries({ from: [record, from.at, from.serial], before: [record + 1, 0, 0] }))
        for (const entry of read(key, row)) {
          if (order(entry.key, before) >= 0) return;
          if (order(entry.key, from) >= Number(isBehind)) yield entry;
        }
    },
    /** The sealed changes of a record within a range, the newest first. */
    *ofRecordBackwards(record: number, { from, isBehind, before }: PlaceRange): Generator<PackedEntry> {
      if (from.at > latestAt()) return;
      const end: HistoryKey = [record, before.at, before.serial];
      const over = runs.entries({ from: end, before: [record + 1, 0, 0], limit: 1 });
      const below = runs.entries({ from: [record, from.at, from.serial], before: end, newestFirst: true });
      for (const some of [over, below])
        for (const { key, row } of some)
          for (const entry of read(key, row).toReversed()) {
            if (order(entry.key, before) >= 0) continue;
            if (order(entry.key, from) < Number(isBehind)) return;
            yield entry;
          }
    },
    /** The sealed changes of all records, from a place on or behind it. */
    *all({ from, after }: Pick<Range<HistoryKey>, 'from' | 'after'>): Generator<PackedEntry> {
      const first = after ?? from ?? [0, 0, 0];
      for (const { key, row } of runs.entries({ from: first }))
        for (const entry of read(key, row)) {
          const isBefore = entry.key[0] === first[0] && order(entry.key, placeOf(first)) < Number(after !== undefined);
          if (!isBefore) yield entry;
        }
    },
    get(record: number, place: HistoryPlace): PackedChange | undefined {
      const run = runOf(record, place);
      return run?.entries.find(({ key }) => order(key, place) === 0)?.row;
    },
    /** Adds a change that comes before the end of the runs of its record. Returns `false`, and does nothing, for one that comes behind. */
    add(entry: PackedEntry): boolean {
      const [record, at, serial] = entry.key;
      const run = at > latestAt() ? undefined : runOf(record, { at, serial });
      if (run === undefined) return false;
      const others = run.entries.filter(({ key }) => order(key, { at, serial }) !== 0);
      replace(
        run.key,
        [...others, entry].sort((one, other) => order(one.key, placeOf(other.key))),
      );
      return true;
    },
    /** Adds changes of a record behind those of its runs, in order. */
    append(record: number, entries: readonly PackedEntry[]): void {
      const [last] = runs.entries({ from: [record, 0, 0], before: [record + 1, 0, 0], newestFirst: true, limit: 1 });
      const before = last === undefined ? [] : read(last.key, last.row);
      const isOpen = last !== undefined && before.length < mostChanges;
      if (isOpen) replace(last.key, [...before, ...entries]);
      else write(entries);
    },
    /** Removes changes of a record; places that it does not have are passed over. */
    remove(record: number, places: readonly HistoryPlace[]): void {
      const leaving = new Set(places.map(nameOf));
      for (const place of places) {
        if (!leaving.has(nameOf(place))) continue;
        const run = runOf(record, place);
        if (run === undefined) return;
        const left = run.entries.filter(({ key }) => !leaving.delete(nameOf(placeOf(key))));
        if (left.length < run.entries.length) replace(run.key, left);
      }
    },
    /** How many changes of a record are sealed at most, without reading them. */
    mostOf(record: number): number {
      return [...runs.keys({ from: [record, 0, 0], before: [record + 1, 0, 0] })].length * mostChanges;
    },
    /** The number of all sealed changes, which reads them. */
    count(): number {
      let count = 0;
      for (const { key, row } of runs.entries()) count += read(key, row).length;
      return count;
    },
  };

  /** The latest instant of any sealed change, or a later one; `-Infinity` where there is none. */
  function latestAt(): number {
    return (known ??= latest.get('at') ?? -Infinity);
  }

  /** The run of a record to which a place belongs; `undefined` for one behind all of them. */
  function runOf(record: number, { at, serial }: HistoryPlace) {
    for (const { key, row } of runs.entries({ from: [record, at, serial], before: [record + 1, 0, 0], limit: 1 }))
      return { key, entries: read(key, row) };
    return undefined;
  }

  function replace(key: HistoryKey, entries: readonly PackedEntry[]): void {
    runs.remove(key);
    write(entries);
  }

  function write(entries: readonly PackedEntry[]): void {
    for (const run of partsOf(entries)) {
      const last = run.at(-1)?.key;
      if (last === undefined) continue;
      const rows = run.map(({ key: [, at, serial], row }) => [at, serial, ...row]);
      runs.put(last, zstdCompressSync(JSON.stringify(rows)));
      if (last[1] <= latestAt()) continue;
      [, known] = last;
      latest.put('at', known);
    }
  }

  function read(key: HistoryKey, bytes: Uint8Array): readonly PackedEntry[] {
    if (decoded !== undefined && decoded.entries[0]?.key[0] === key[0] && isSame(decoded.bytes, bytes))
      return decoded.entries;
    const text = zstdDecompressSync(bytes, { maxOutputLength: mostBytes }).toString();
    const rows = JSON.parse(text) as readonly [at: number, serial: number, ...row: PackedChange][];
    const entries = rows.map(([at, serial, ...row]): PackedEntry => ({ key: [key[0], at, serial], row }));
    decoded = { bytes, entries };
    return entries;
  }
}

/** Parts changes into runs. */
function partsOf(entries: readonly PackedEntry[]): readonly (readonly PackedEntry[])[] {
  const parts: PackedEntry[][] = [];
  let characters = Infinity;
  for (const entry of entries) {
    const size = JSON.stringify(entry.row).length;
    characters += size;
    const part = parts.at(-1);
    if (part !== undefined && part.length < mostChanges && characters <= mostCharacters) part.push(entry);
    else {
      parts.push([entry]);
      characters = size;
    }
  }
  return parts;
}

/** Compares the place of a key with another place. */
function order([, at, serial]: HistoryKey, other: HistoryPlace): number {
  return at - other.at || serial - other.serial;
}

function placeOf([, at, serial]: HistoryKey): HistoryPlace {
  return { at, serial };
}

function nameOf({ at, serial }: HistoryPlace): string {
  return `${at} ${serial}`;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
