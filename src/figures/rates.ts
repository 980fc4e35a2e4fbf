import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { defined } from '../defined.ts';
import { systemText } from '../definition/file.ts';
import { Exact } from '../expression/exact.ts';
import { type Rate, rateFields, RateTable } from '../metric/rates.ts';
import { inSlices } from '../store/slices.ts';
import type { RecordView } from '../view/record.ts';
import type { Store } from '../store/store.ts';

/** Where rates of currencies come from, and how old one may be that is used, in days. */
export type RatesFrom = { readonly maxAgeDays: number } & (
  | { readonly file: string }
  /** Records of a source, with the fields `base`, `quote`, `day` and `rate`. */
  | { readonly source: string; readonly of: string }
);

/** The rates of currencies as they are known now. */
export interface KnownRates {
  readonly table: RateTable;
  /** Why there are none, or not all; missing where nothing is wrong with them. */
  readonly problem?: string;
}

/** Reads the rates of currencies, again whenever they may have changed. */
export type ReadRates = () => Promise<KnownRates>;

const noRates: KnownRates = { table: new RateTable([]) };

/** Rates that are read, at most; of a source, those whose keys come first. */
const mostRates = 500_000;

/** Creates the reader of the rates of a daemon; without a place they come from, there are none. */
export function createRates(
  from: RatesFrom | undefined,
  store: () => Store,
): { readonly rates: ReadRates; readonly maxRateAge: number | undefined } {
  if (from === undefined) return { rates: () => Promise.resolve(noRates), maxRateAge: undefined };
  return { rates: 'file' in from ? ratesOfFile(from.file) : ratesOfSource(from, store), maxRateAge: from.maxAgeDays };
}

/** A CSV file with the columns `base`, `quote`, `day` and `rate`, and perhaps `source`; others are for people. */
function ratesOfFile(file: string): ReadRates {
  let read: { readonly version: string; readonly rates: KnownRates } | undefined;
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (read?.version !== version) read = { version, rates: readTable(await readFile(file, 'utf8'), file) };
      return read.rates;
    } catch (error) {
      return { ...noRates, problem: `${file}: ${systemText(error)}` };
    }
  };
}

/**
 * Reads the text of a table of rates. A table that lacks a column, has no row, too many, one that cannot be read, or two of a pair and a
 * day has no rates: half of one would be wrong without a word.
 */
export function readTable(text: string, file: string): KnownRates {
  try {
    return { table: new RateTable(readRows(text, basename(file))) };
  } catch (error) {
    if (error instanceof CsvError || error instanceof RangeError)
      return { ...noRates, problem: `${file}: ${error.message}` };
    throw error;
  }
}

/**
 * Reads the rows of a table. A rate whose row has nothing in a column `source` is from `file`. Throws a `RangeError` or a `CsvError` that says which row
 * is wrong.
 */
function readRows(text: string, file: string): Rate[] {
  const [header = [], ...rows]: string[][] = parse(text, { bom: true, trim: true, skip_empty_lines: true });
  const missing = rateFields.filter((name) => !header.includes(name));
  if (missing.length > 0)
    throw new RangeError(
      `expected the columns ${rateFields.join(', ')} in the first row, got no ${missing.join(', ')}`,
    );
  if (rows.length === 0) throw new RangeError('expected a row for each rate, got none');
  if (rows.length > mostRates) throw new RangeError(`expected at most ${mostRates} rows, got ${rows.length}`);
  const seen = new Map<string, number>();
  /** One text for all rates of a source, as there may be many. */
  const sources = new Map<string, string>();
  const sourceAt = header.indexOf('source');
  return rows.map((cells, index) => {
    const row = Object.fromEntries(rateFields.map((name) => [name, cells[header.indexOf(name)]]));
    const source = cells[sourceAt] || file;
    if (!sources.has(source)) sources.set(source, source);
    const rate = rateOf(row, sources.get(source) ?? source);
    if (rate === undefined)
      throw new RangeError(
        `row ${index + 1}: expected base and quote as codes like "EUR", day like "2026-03-14" and rate from 1e-12 to 1e12, got ${JSON.stringify(row)}`,
      );
    const key = `${rate.base} ${rate.quote} ${rate.day}`;
    const before = seen.get(key);
    if (before !== undefined)
      throw new RangeError(
        `row ${index + 1}: expected one rate of a pair and a day, got another than in row ${before}`,
      );
    seen.set(key, index + 1);
    return rate;
  });
}

function ratesOfSource(
  { source, of }: { readonly source: string; readonly of: string },
  store: () => Store,
): ReadRates {
  let read: { readonly store: Store; readonly upTo: number; readonly rates: KnownRates } | undefined;
  return async () => {
    const now = store();
    const upTo = now.events.last();
    // The log says whether a rate may have changed since.
    if (read?.store !== now || hasChanged(now, source, read.upTo)) {
      const rates: Rate[] = [];
      let unread = 0;
      const slices = inSlices<RecordView>((last, limit) => firstOf(limit, now.records.ofType(source, of, last?.key)));
      for await (const records of slices) {
        for (const { fields } of records) {
          const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
          const rate = rateOf(values, source);
          if (rate === undefined) unread += 1;
          else rates.push(rate);
        }
        if (rates.length > mostRates) break;
      }
      const problem = problemOf(rates.length, unread, `source ${source}`, of);
      read = { store: now, upTo, rates: { table: new RateTable(rates.slice(0, mostRates)), ...defined({ problem }) } };
    } else read = { ...read, upTo };
    return read.rates;
  };
}

/** What is wrong with the rates of a source. */
function problemOf(rates: number, unread: number, source: string, of: string): string | undefined {
  const fields = 'base, quote, day and rate';
  if (rates === 0) return `${source} has no ${of} with ${fields}`;
  if (rates > mostRates)
    return `${source} has more than ${mostRates} of ${of}: those whose keys come last are left out`;
  return unread === 0 ? undefined : `${source} has ${unread} of ${of} without ${fields}, which are left out`;
}

/** Takes up to `limit` of the first rows. */
function* firstOf<T>(limit: number, rows: Iterable<T>): Generator<T> {
  let left = limit;
  for (const row of rows) {
    if ((left -= 1) < 0) return;
    yield row;
  }
}

/** The largest number of events that are searched for a change of rates; after more events, rates are read again without a search. */
const mostEvents = 1_000;

function hasChanged({ events }: Store, source: string, since: number): boolean {
  if (events.last() - since > mostEvents) return true;
  for (const event of events.rows({ after: since }))
    if (event.source === source && event.type !== 'scrape.started') return true;
  return false;
}

/** No currency is worth less, or more, of another: beyond it, a rate is a slip of the pen. */
const [least, most] = [new Exact(1n, 10n ** 12n), new Exact(10n ** 12n)];

function rateOf({ base, quote, day, rate }: Readonly<Record<string, unknown>>, source: string): Rate | undefined {
  if (!isCode(base) || !isCode(quote) || base === quote || typeof day !== 'string') return undefined;
  const at = dayStart(day.slice(0, 10));
  const exact = Exact.of(String(rate));
  if (Number.isNaN(at) || exact === undefined || exact.compare(least) < 0 || exact.compare(most) > 0) return undefined;
  return { base, quote, day: at / 86_400_000, rate: exact, source };
}

/** The start of a day like `2026-03-14`; NaN for a text that is none. */
function dayStart(day: string): number {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // A day such as 31 February would be one of March.
  return Number.isNaN(at) || new Date(at).toISOString().startsWith(day) ? at : Number.NaN;
}

function isCode(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Z]{3}$/.test(text);
}
