import { type Destination, DestinationError } from './destination.ts';
import { type FormatName, formats } from './formats.ts';
import { type PartLimits, Parts } from './parts.ts';
import { type ExportState, readState, type StateFile } from './state.ts';
import type { Row } from './table.ts';

/** A slice of rows, and the cursors behind it. */
export interface RowSlice {
  readonly rows: readonly Row[];
  /** The cursor behind this slice; missing at the end. */
  readonly next?: string | undefined;
  /** The cursor with which the next export begins. */
  readonly upTo: string;
  /** The share of what is looked through, from 0 to 1. */
  readonly progress: number;
  /** Why everything is read again; missing where only what has changed is. */
  readonly anew?: string | undefined;
}

/** The place at which a read of rows begins: a cursor, or the end of an earlier export; without either the first row. */
export interface RowPlace {
  readonly cursor?: string;
  readonly after?: string;
}

/** An export that is to run. */
export interface ExportOptions {
  /** What is exported, such as `records`. */
  readonly what: string;
  readonly format: FormatName;
  /** Which rows are wanted, by option. A destination holds rows of one selection. */
  readonly wanted: Readonly<Record<string, string | number>>;
  /** The cursor to begin behind, in place of the one that the destination has. */
  readonly after?: string | undefined;
  readonly limits: PartLimits;
  read(place: RowPlace): Promise<RowSlice>;
  /** Called after each slice with the rows so far and the share of the work. */
  onProgress(rows: number, share: number): void;
  /** Called with a notice for the person who exports, as a sentence. */
  onTold(message: string): void;
}

/** What an export wrote. */
export interface ExportResult {
  readonly rows: number;
  readonly files: readonly string[];
  /** The cursor with which the next export begins. */
  readonly cursor: string;
}

const anewTexts: Readonly<Record<string, string>> = {
  trimmed: 'the events since the last export are no longer kept: everything is exported again',
  restored: 'the data are those of a restored backup: everything is exported again',
  renamed: 'a source has another id: everything is exported again',
  reselected:
    'the targets of the project, or what types of records are of the type, are not those of the last export: everything is exported again',
};

/**
 * Exports rows to a destination: all of them, or those after its cursor. The files of a stretch are completed, named in `cursor.json` as
 * pending, and published; then the cursor moves. So a killed export leaves no partial file, and the next one removes what was pending.
 * Rejects with a `DestinationError`, and as `read` does.
 */
export async function runExport(destination: Destination, options: ExportOptions): Promise<ExportResult> {
  const file = await readState(destination, options.what);
  let state = await begun(destination, file, options);
  const files: string[] = [];
  let rows = 0;
  let anew: string | undefined;
  let parts = partsAfter(state);
  let reading = options.read(firstPlace(state, options));

  for (;;) {
    const slice = await reading;
    if (slice.anew !== undefined && slice.anew !== anew && anewTexts[slice.anew] !== undefined)
      options.onTold(anewTexts[slice.anew] ?? '');
    anew = slice.anew;
    // The next rows are read while these are written.
    if (slice.next !== undefined) reading = ahead(options.read({ cursor: slice.next }));
    for (const row of slice.rows) await parts.add(row);
    rows += slice.rows.length;
    options.onProgress(rows, slice.progress);
    if (slice.next !== undefined && !parts.isFull) continue;

    const stretch = await parts.finish();
    const names = stretch.map(({ name }) => name);
    if (names.length > 0) await file.save({ ...state, pending: names });
    for (const { path, name } of stretch) await destination.publish(path, name);
    files.push(...names);
    const { upTo, resume: _resume, ...rest } = state;
    state = {
      ...rest,
      part: state.part + (names.length > 0 ? 1 : 0),
      pending: [],
      widened: parts.widened,
      ...(slice.next === undefined
        ? { upTo: slice.upTo }
        : { ...(upTo !== undefined && { upTo }), resume: slice.next }),
    };
    await file.save(state);
    if (slice.next === undefined) return { rows, files, cursor: slice.upTo };
    parts = partsAfter(state);
  }

  function partsAfter({ part, widened }: ExportState): Parts {
    return new Parts({
      format: formats[options.format],
      spool: destination.spool,
      number: part + 1,
      widened,
      limits: options.limits,
      onWidened: ({ folder }, { column, to }) =>
        options.onTold(`${folder}: ${column} has a value that its type cannot hold; its type is ${to} from here on`),
    });
  }
}

/** The state that an export begins with, once what a killed one left is removed. */
async function begun(
  destination: Destination,
  { state, save }: StateFile,
  options: ExportOptions,
): Promise<ExportState> {
  const { what, format, wanted, after } = options;
  if (state === undefined) {
    if (await destination.isTaken(what))
      throw new DestinationError(
        'conflict',
        `${destination.name}: ${what}/ holds files of which no cursor.json tells: expected an empty place; remove them, or export elsewhere`,
      );
    return { format, wanted, part: 0, pending: [], widened: {} };
  }
  const before = optionsText(state.format, state.wanted);
  if (before !== optionsText(format, wanted))
    throw new DestinationError(
      'conflict',
      `${destination.name}: holds ${what} exported by ${before}: expected the same options, or another --to`,
    );
  if (after !== undefined)
    throw new DestinationError('conflict', `${destination.name}: has a cursor of its own: expected no --after`);
  if (state.pending.length === 0) return state;
  for (const name of state.pending) await destination.remove(name);
  const clean = { ...state, pending: [] };
  await save(clean);
  return clean;
}

function optionsText(format: string, wanted: Readonly<Record<string, string | number>>): string {
  return [`--format ${format}`, ...Object.entries(wanted).map(([name, value]) => `--${name} ${value}`)].join(' ');
}

function firstPlace({ upTo, resume }: ExportState, { after = upTo }: ExportOptions): RowPlace {
  if (resume !== undefined) return { cursor: resume };
  return after === undefined ? {} : { after };
}

/** Returns a promise that is awaited later. Its rejection is not reported as unhandled until then. */
function ahead<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
