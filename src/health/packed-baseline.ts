import type { Baseline, RuleDigests, Series } from './baseline.ts';
import { kindOf, measureId, type MeasureName, measureKinds } from './measure-kind.ts';
import { codeBytes, codeOf, type Scale, valueOf } from './scale.ts';
import { ByteReader, ByteWriter } from './packed-bytes.ts';

/** The names of measures by their numbers in a packed baseline: new ones come last. */
const names = Object.keys(measureKinds) as MeasureName[];
const numberOfName = new Map(names.map((name, number) => [name, number]));

const minuteMs = 60_000;

/** What stands before the values of a series. */
const flag = { lows: 1, highs: 2, isSame: 4, areLowsEqual: 8, areHighsEqual: 16 } as const;

/** What a baseline knows of the source as a whole, a record type or a field: `type`, or `type.field`. */
interface Place {
  /** By which a type comes before its fields, and these before the next type. */
  readonly order: string;
  readonly path: readonly string[];
  readonly series: Series[];
}

/**
 * Packs a baseline into bytes, some 30 for each measure: a name stands once for all measures of a field, values are one or two bytes each, and those
 * that are all equal stand once. Instants are to the minute.
 */
export function packBaseline({ version, rules, entries, series, suspects }: Baseline): Uint8Array {
  const places = placesOf(series.values(), rules);
  const writer = new ByteWriter();
  writer.text(version);
  writer.number(rules === undefined ? 0 : 1);
  writer.number(entries.length);
  let before = 0;
  for (const at of entries) {
    const minute = Math.floor(at / minuteMs);
    writer.number(Math.max(0, minute - before));
    before = Math.max(before, minute);
  }
  writer.number(places.length);
  for (const { path, series: of } of places) {
    writer.number(path.length);
    // A field stands behind its type.
    if (path.length > 0) writer.text(path.at(-1) ?? '');
    writeDigest(writer, rules?.[path.join('.')] ?? '');
    writer.number(of.length);
    for (const one of of) writeSeries(writer, one);
  }
  const ids = suspects.size === 0 ? [] : places.flatMap(({ series: of }) => of.map(measureId));
  const known = [...suspects].filter(([id]) => series.has(id));
  writer.number(known.length);
  for (const [id, since] of known) {
    writer.number(ids.indexOf(id));
    writer.number(Math.floor(since / minuteMs));
  }
  return writer.bytes();
}

/** Unpacks what `packBaseline` has packed. */
export function unpackBaseline(bytes: Uint8Array): Baseline {
  const reader = new ByteReader(bytes);
  const version = reader.text();
  const hasRules = reader.number() === 1;
  let minute = 0;
  const entries = Array.from({ length: reader.number() }, () => (minute += reader.number()) * minuteMs);
  const rules: Record<string, string> = {};
  const series = new Map<string, Series>();
  const ids: string[] = [];
  let record = '';
  for (let places = reader.number(); places > 0; places -= 1) {
    const depth = reader.number();
    const name = depth > 0 ? reader.text() : '';
    if (depth === 1) record = name;
    const digest = readDigest(reader);
    if (digest !== '') rules[depth === 2 ? `${record}.${name}` : name] = digest;
    const place = depth === 0 ? {} : depth === 1 ? { record } : { record, field: name };
    for (let count = reader.number(); count > 0; count -= 1) {
      const one = readSeries(reader, place);
      const id = measureId(one);
      ids.push(id);
      series.set(id, one);
    }
  }
  const suspects = new Map<string, number>();
  for (let count = reader.number(); count > 0; count -= 1) {
    const id = ids[reader.number()] ?? '';
    suspects.set(id, reader.number() * minuteMs);
  }
  return { version, rules: hasRules ? rules : undefined, entries, series, suspects };
}

/** Nearly all digests are eight hexadecimal digits. */
function writeDigest(writer: ByteWriter, digest: string): void {
  const isHex = /^[0-9a-f]{8}$/.test(digest);
  writer.number(isHex ? 1 : 0);
  if (isHex) writer.fixed(Number.parseInt(digest, 16), 4);
  else writer.text(digest);
}

function readDigest(reader: ByteReader): string {
  return reader.number() === 1 ? reader.fixed(4).toString(16).padStart(8, '0') : reader.text();
}

/** The source, then each type and behind it its fields. */
function placesOf(series: Iterable<Series>, rules: RuleDigests = {}): readonly Place[] {
  const places = new Map<string, Place>();
  const placeAt = (path: readonly string[]): Place => {
    const order = path.join('\u0000');
    const known = places.get(order);
    if (known !== undefined) return known;
    if (path.length > 0) placeAt(path.slice(0, -1));
    const place = { order, path, series: [] };
    places.set(order, place);
    return place;
  };
  let place = placeAt([]);
  for (const one of series) {
    const { record, field } = one;
    // Those of a place mostly stand together.
    if (record !== place.path[0] || field !== place.path[1])
      place = placeAt(record === undefined ? [] : field === undefined ? [record] : [record, field]);
    place.series.push(one);
  }
  for (const name of Object.keys(rules)) placeAt(name === '' ? [] : name.split('.'));
  return [...places.values()].toSorted((one, other) => (one.order < other.order ? -1 : 1));
}

function writeSeries(writer: ByteWriter, { name, lows, highs }: Series): void {
  const { scale } = kindOf(name);
  const isSame = lows !== undefined && highs !== undefined && lows.every((low, at) => Object.is(low, highs[at]));
  const [areLowsEqual, areHighsEqual] = [areEqual(lows), areEqual(highs)];
  writer.number(numberOfName.get(name) ?? 0);
  writer.number(
    (lows === undefined ? 0 : flag.lows) +
      (highs === undefined ? 0 : flag.highs) +
      (isSame ? flag.isSame : 0) +
      (areLowsEqual ? flag.areLowsEqual : 0) +
      (areHighsEqual ? flag.areHighsEqual : 0),
  );
  writer.number((lows ?? highs)?.length ?? 0);
  if (lows !== undefined) writeValues(writer, scale, lows, areLowsEqual);
  if (highs !== undefined && !isSame) writeValues(writer, scale, highs, areHighsEqual);
}

function areEqual(values: readonly number[] | undefined): boolean {
  return values !== undefined && values.every((value) => Object.is(value, values[0]));
}

function writeValues(writer: ByteWriter, scale: Scale, values: readonly number[], areEqual: boolean): void {
  const written = areEqual ? Math.min(1, values.length) : values.length;
  const bytes = codeBytes(scale);
  for (let at = 0; at < written; at += 1) writer.fixed(codeOf(scale, values[at] ?? Number.NaN), bytes);
}

function readSeries(reader: ByteReader, place: Pick<Series, 'record' | 'field'>): Series {
  const name = names[reader.number()];
  if (name === undefined) throw new Error('expected a baseline of this version of the program');
  const { scale } = kindOf(name);
  const flags = reader.number();
  const length = reader.number();
  const series: Writable<Series> = { name, ...place };
  if ((flags & flag.lows) !== 0) series.lows = readValues(reader, scale, length, (flags & flag.areLowsEqual) !== 0);
  if ((flags & flag.isSame) !== 0 && series.lows !== undefined) series.highs = series.lows;
  else if ((flags & flag.highs) !== 0)
    series.highs = readValues(reader, scale, length, (flags & flag.areHighsEqual) !== 0);
  return series;
}

function readValues(reader: ByteReader, scale: Scale, length: number, areEqual: boolean): number[] {
  const bytes = codeBytes(scale);
  const values: number[] = [];
  let value = 0;
  // A loop, as very many values are read.
  for (let at = 0; at < length; at += 1) {
    if (at === 0 || !areEqual) value = valueOf(scale, reader.fixed(bytes));
    values.push(value);
  }
  return values;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
