import { CsvError, parse } from 'csv-parse/sync';
import { JsonSpot } from '../rule/spot.ts';
import type { CsvOptions, DocumentKind } from './kind.ts';

/** A table of comma-separated values, or of values with another delimiter. */
export const csv: DocumentKind = {
  title: 'a CSV table',
  view: 'json',
  media: {
    called:
      /^(?:(?:text|application)\/(?:x-)?(?:csv|comma-separated-values)|text\/tab-separated-values|application\/vnd\.ms-excel)$/,
    begins: /^[^<{]/,
    otherwise: 'text that is no table',
  },
  marks({ csv: { delimiter } = {} }) {
    return ['\n', '\r', ...(delimiter === undefined ? delimiters : [delimiter])];
  },
  steps: { byte: 10, mark: 30 },
  open(text, options) {
    const parsed = parseCsv(text, options.csv);
    return parsed.ok ? { ok: true, root: new JsonSpot(parsed.value) } : parsed;
  },
  each: { by: 'json', path: '$[*]' },
  docs: {
    readAs:
      'a list of rows by the names of their columns; `csv: { delimiter, header }`, where `header` may be `false` or a list of names',
    places: 'JSON paths into the row',
  },
};

/** The rows by column, or what is wrong with the table. */
export type ParsedCsv =
  | { readonly ok: true; readonly value: readonly Readonly<Record<string, string>>[] }
  | { readonly ok: false; readonly message: string };

/** Columns of a table, at most. */
const maxColumns = 10_000;

/**
 * Parses a table; empty lines are left out, a row may lack its last columns. Columns without a name, and further ones of the
 * same name, are called by their number.
 */
export function parseCsv(text: string, { delimiter, header = true }: CsvOptions = {}): ParsedCsv {
  const read = readRows(text, delimiter ?? likelyDelimiter(text));
  if (!read.ok) return read;
  const { rows } = read;
  const [first = []] = rows;
  const given = header === true ? first : header === false ? [] : header;
  const body = header === true ? rows.slice(1) : rows;
  const columns = body.reduce((most, row) => Math.max(most, row.length), given.length);
  if (columns > maxColumns) return { ok: false, message: `${columns} columns, expected at most ${maxColumns}` };
  const names = columnNames(given, columns);
  return { ok: true, value: body.map((row) => Object.fromEntries(row.map((cell, at) => [names[at] ?? '', cell]))) };
}

type ReadRows =
  | { readonly ok: true; readonly rows: readonly (readonly string[])[] }
  | { readonly ok: false; readonly message: string };

function readRows(text: string, delimiter: string): ReadRows {
  try {
    const rows = parse(text, { bom: true, delimiter, relax_column_count: true, skip_empty_lines: true });
    return { ok: true, rows };
  } catch (error) {
    if (error instanceof CsvError) return { ok: false, message: error.message.slice(0, 200) };
    throw error;
  }
}

function columnNames(given: readonly string[], columns: number): string[] {
  const names = new Set<string>();
  for (let at = 0; at < columns; at += 1) {
    const name = given[at]?.trim() ?? '';
    let free = name === '' || names.has(name) ? String(at + 1) : name;
    while (names.has(free)) free += '_';
    names.add(free);
  }
  return [...names];
}

const delimiters = [',', ';', '\t', '|'];

/** The delimiter of which the first line has most outside quotes; a comma where it has none. */
export function likelyDelimiter(text: string): string {
  const [line = ''] = /^[\s\ufeff]*(?:"[^"]*"|[^"\r\n])*/.exec(text.slice(0, 100_000)) ?? [];
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}
