import { CsvError, parse } from 'csv-parse/sync';

/** How a table is written. */
export interface CsvOptions {
  /** One character; without it the one of comma, semicolon, tab and bar that parts the first lines best. */
  readonly delimiter?: string;
  /** The columns' names where the table has no line of them; `true` (the default) takes them from the first line, `false` counts from 1. */
  readonly header?: boolean | readonly string[];
}

/** The rows by column, or what is wrong with the table. */
export type ParsedCsv =
  | { readonly ok: true; readonly value: readonly Readonly<Record<string, string>>[] }
  | { readonly ok: false; readonly message: string };

/** More columns are no table. */
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
function likelyDelimiter(text: string): string {
  const [line = ''] = /^[\s\ufeff]*(?:"[^"]*"|[^"\r\n])*/.exec(text.slice(0, 100_000)) ?? [];
  const bare = line.replaceAll(/"[^"]*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}
