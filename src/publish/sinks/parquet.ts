import { setImmediate } from 'node:timers/promises';
import { eventColumns } from '../../export/log-tables.ts';
import { loadParquet, parquet as format } from '../../export/parquet.ts';
import type { Cell } from '../../export/table.ts';
import { FileOptions, linesOf, openFileSink } from '../file-sink.ts';
import type { SinkKind } from '../sink.ts';

const named = new Set(eventColumns.map(({ name }) => name));

/** Rows per group: some milliseconds of the daemon's loop. */
const rowsPerGroup = 1_000;

/** Writes messages to Parquet files with the columns of exported events. */
export const parquet: SinkKind<FileOptions> = {
  options: FileOptions,
  doc: 'Writes messages to Parquet files in a folder, with the columns of exported events. A file appears whole, when it is an hour old or its messages take 64 MiB as NDJSON.',
  batch: 500,
  ordered: 'all',
  open: async (options, ports) => openFileSink(options, ports, { extension: 'parquet', make, load: loadParquet }),
};

async function make(spool: string, path: string): Promise<void> {
  const file = await format.create(path, eventColumns);
  for await (const line of linesOf(spool)) {
    const message = JSON.parse(line) as Readonly<Record<string, Cell>>;
    const misfit = file.add({
      table: { folder: '', columns: eventColumns },
      json: message,
      cells: () => cellsOf(message),
    });
    if (misfit !== undefined) throw new Error(`${misfit.column}: expected what the events of the catalogue have`);
    if (file.rows % rowsPerGroup !== 0) continue;
    await file.flush();
    await setImmediate();
  }
  await file.finish();
}

/** The cells of a message; what has no column of its own, as in a digest, is in `data` together. */
function cellsOf(message: Readonly<Record<string, Cell>>): readonly Cell[] {
  const { id, at, type, source, target, scrape, projects, data, version: _version, ...rest } = message;
  const isOther = Object.keys(rest).some((name) => !named.has(name));
  const instant = typeof at === 'number' ? Math.floor(at) : undefined;
  const whole = { ...(data !== undefined && { data }), ...rest };
  return [id, instant, type, source, target, scrape, projects, isOther ? whole : data];
}
