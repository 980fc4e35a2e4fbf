import { readFile, stat } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse/sync';
import { systemText } from '../definition/file.ts';
import { Exact } from '../expression/exact.ts';
import { type Rate, RateTable } from '../metric/rates.ts';
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
  /** Why there are none; missing where there are. */
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
): { readonly rates: ReadRates; readonly maxRateAge: number } {
  if (from === undefined) return { rates: () => Promise.resolve(noRates), maxRateAge: 0 };
  return { rates: 'file' in from ? ratesOfFile(from.file) : ratesOfSource(from, store), maxRateAge: from.maxAgeDays };
}

/** A CSV file with the columns `base`, `quote`, `day` and `rate`; others are for people. */
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

/** Reads the text of a table of rates. A table with a row that cannot be read has no rates: half of one would be wrong without a word. */
export function readTable(text: string, file: string): KnownRates {
  try {
    const rows: Readonly<Record<string, string>>[] = parse(text, {
      bom: true,
      columns: true,
      trim: true,
      skip_empty_lines: true,
    });
    const rates = rows.slice(0, mostRates).map((row, index) => {
      const rate = rateOf(row);
      if (rate === undefined)
        throw new RangeError(
          `row ${index + 1}: expected base and quote as codes like "EUR", day like "2026-03-14" and rate from 1e-12 to 1e12, got ${JSON.stringify(row)}`,
        );
      return rate;
    });
    return { table: new RateTable(rates) };
  } catch (error) {
    if (error instanceof CsvError || error instanceof RangeError)
      return { ...noRates, problem: `${file}: ${error.message}` };
    throw error;
  }
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
      const slices = inSlices<RecordView>((last, limit) => firstOf(limit, now.records.ofType(source, of, last?.key)));
      for await (const records of slices) {
        for (const { fields } of records) {
          const rate = rateOf(Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])));
          if (rate !== undefined) rates.push(rate);
        }
        if (rates.length >= mostRates) break;
      }
      const problem =
        rates.length === 0 ? { problem: `source ${source} has no ${of} with base, quote, day and rate` } : {};
      read = { store: now, upTo, rates: { table: new RateTable(rates), ...problem } };
    } else read = { ...read, upTo };
    return read.rates;
  };
}

/** Takes up to `limit` of the first rows. */
function* firstOf<T>(limit: number, rows: Iterable<T>): Generator<T> {
  let left = limit;
  for (const row of rows) {
    if ((left -= 1) < 0) return;
    yield row;
  }
}

/** Events that are looked at for a change of rates; after more of them, rates are read again unseen. */
const mostEvents = 1_000;

function hasChanged({ events }: Store, source: string, since: number): boolean {
  if (events.last() - since > mostEvents) return true;
  for (const event of events.rows({ after: since }))
    if (event.source === source && event.type !== 'scrape.started') return true;
  return false;
}

/** No currency is worth less, or more, of another: beyond it, a rate is a slip of the pen. */
const [least, most] = [new Exact(1n, 10n ** 12n), new Exact(10n ** 12n)];

function rateOf({ base, quote, day, rate }: Readonly<Record<string, unknown>>): Rate | undefined {
  if (!isCode(base) || !isCode(quote) || base === quote || typeof day !== 'string') return undefined;
  const at = /^\d{4}-\d\d-\d\d/.test(day) ? Date.parse(`${day.slice(0, 10)}T00:00:00Z`) : Number.NaN;
  const exact = Exact.of(String(rate));
  if (Number.isNaN(at) || exact === undefined || exact.compare(least) < 0 || exact.compare(most) > 0) return undefined;
  return { base, quote, day: at / 86_400_000, rate: exact };
}

function isCode(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Z]{3}$/.test(text);
}
