import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Result } from '../control/methods.ts';
import { csvCell, csvRow } from '../export/csv.ts';
import { type Calls, hangUp } from './calls.ts';
import type { Caller, Exchange } from './exchange.ts';
import { checkVerb } from './guard.ts';

type RecordView = Result<'project.records'>['records'][number];

/** The most records of a file. */
const mostRecords = 100_000;

/** The most columns of fields, and the most fields without a column that the last row names. */
const mostColumns = 500;

/** Returns the project of which a path within the dashboard is the file of records: `solar` of `projects/solar/records.csv`. */
export function recordsFileOf(path: string): string | undefined {
  return /^projects\/([\w-]{1,128})\/records\.csv$/.exec(path)?.[1];
}

/**
 * Sends the records of a project as a file for spreadsheets, a row a record, as they are read. What a spreadsheet would take for a formula has a `'`
 * before it. The records are read twice, as the first row names the fields of all. A last row says what is left out: records, and fields that
 * are too many or that came about after the first row was sent.
 */
export async function sendRecordsFile(exchange: Exchange, caller: Caller, calls: Calls, id: string): Promise<void> {
  const { response } = exchange;
  checkVerb(exchange, 'GET');
  const signal = hangUp(exchange);
  /** Whether there are more records than were read. */
  let isCut = false;
  await calls.within(async () => {
    const columns = new Set<string>();
    for await (const { fields } of records())
      for (const [name] of cellsOf(fields)) if (columns.size < mostColumns) columns.add(name);
    response.setHeader('content-type', 'text/csv; charset=utf-8');
    response.setHeader('content-disposition', `attachment; filename="${id}.csv"`);
    let rows = lineOf([...own, ...columns].map((name) => csvCell(name)));
    const leftOut = new Set<string>();
    for await (const record of records()) {
      rows += rowOf(record, columns);
      for (const [name] of cellsOf(record.fields))
        if (!columns.has(name) && leftOut.size < mostColumns) leftOut.add(name);
      if (rows.length < 65_536) continue;
      if (!response.write(rows)) await drained(response, signal);
      if (signal.aborted) return;
      rows = '';
    }
    const note = noteOf(isCut, leftOut);
    if (note !== undefined)
      rows += lineOf([csvCell(note), ...Array.from({ length: own.length - 1 + columns.size }, () => '')]);
    response.end(rows);
  });

  async function* records(): AsyncGenerator<RecordView> {
    isCut = false;
    let after: string | undefined;
    for (let read = 0; read < mostRecords;) {
      const from = after === undefined ? {} : { after };
      const slice = await calls.call(caller, 'project.records', { id, limit: 1_000, ...from }, signal);
      yield* slice.records;
      read += slice.records.length;
      after = slice.next;
      if (after === undefined) return;
    }
    isCut = true;
  }
}

/** Says what a file leaves out; nothing where it has all. */
function noteOf(isCut: boolean, fields: ReadonlySet<string>): string | undefined {
  const parts = [
    ...(isCut ? [`the records after the first ${mostRecords.toLocaleString('en')}`] : []),
    ...(fields.size > 0 ? [`the ${fields.size === 1 ? 'field' : 'fields'} ${[...fields].join(', ')}`] : []),
  ];
  return parts.length === 0 ? undefined : `Left out: ${parts.join('; ')}.`;
}

/** Resolves when more may be written, or when the reader has hung up, by which the signal fires. */
async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The columns before those of the fields, whose names begin with a letter. */
const own = ['_source', '_type', '_key', '_url', '_firstSeenAt', '_updatedAt'];

function rowOf({ source, type, key, url, firstSeenAt, updatedAt, fields }: RecordView, columns: Set<string>): string {
  const cells = new Map(cellsOf(fields));
  const seen = [firstSeenAt, updatedAt].map((at) => csvCell(at, 'instant'));
  const texts = [source, type, key, url].map((text) => csvCell(text));
  return lineOf([...texts, ...seen, ...Array.from(columns, (name) => csvCell(cells.get(name)))]);
}

function lineOf(cells: readonly string[]): string {
  return `${csvRow(cells)}\n`;
}

/** The cells of the fields by the names of their columns; an amount of money is one of the number and one of the currency. */
function cellsOf(
  fields: RecordView['fields'],
): (readonly [name: string, value: RecordView['fields'][string]['value']])[] {
  return Object.entries(fields).flatMap(([name, { value }]) =>
    typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value
      ? [[name, value.amount] as const, [`${name}_currency`, value.currency] as const]
      : [[name, value] as const],
  );
}
