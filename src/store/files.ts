import type { Value } from '../extract/value/value.ts';
import type { FileFields, FileOptions, FileView } from '../view/file.ts';
import type { Failure } from '../view/fields.ts';
import type { FieldCell, RecordView } from '../view/record.ts';
import { defined } from '../defined.ts';
import { inSlices } from './slices.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';
import type { FileRow, StoredFile } from './tables/files.ts';

type Fields = Readonly<Record<string, Pick<FieldCell, 'value'>>>;

/** Stores which fields of a source's records are addresses of files. To be called within a transaction. */
export function adoptFiles({ files }: Store, source: string, fields: FileFields): void {
  const known = files.fieldsOf(source);
  if (JSON.stringify(known ?? {}) !== JSON.stringify(fields)) files.putFields(source, fields);
}

/**
 * Queues the files that a record names to be fetched, and removes its links to files that it no longer names. To be called within a
 * transaction.
 *
 * @param fields - of the record as they are; `undefined` for a removed one.
 */
export function moveFiles(
  { files }: Store,
  { at }: Pick<Change, 'at'>,
  { source, type, record }: Pick<RecordView, 'source' | 'type' | 'record'>,
  fields: Fields | undefined,
): void {
  const known = files.fieldsOf(source);
  if (known === undefined) return;
  const named = fields === undefined ? new Map<string, FileOptions>() : namedFiles(known, type, fields);
  for (const [url, options] of named) {
    const row = files.get(source, url);
    files.link(source, url, record);
    if (row === undefined) files.put({ source, url, ...options, askAt: at });
    else if (!hasOptions(row, options)) files.put({ ...sinceFound(row, at), ...options });
  }
  files.unlinkOthers(source, record, named.keys());
}

/** The row of a file without its former options, failures and tries: a file that was refused may be accepted by new options. */
function sinceFound({ source, url, stored, askAt }: FileRow, at: number): Omit<FileRow, keyof FileOptions> {
  return stored === undefined ? { source, url, askAt: askAt ?? at } : { source, url, stored };
}

function hasOptions(row: FileRow, { maxBytes, accept, isEphemeral }: FileOptions): boolean {
  return row.maxBytes === maxBytes && row.isEphemeral === isEphemeral && String(row.accept) === String(accept);
}

/** The addresses of files in the fields of a record, and what each must be. */
function namedFiles(known: FileFields, type: string, fields: Fields): ReadonlyMap<string, FileOptions> {
  const named = new Map<string, FileOptions>();
  for (const { path, ...options } of Object.hasOwn(known, type) ? (known[type] ?? []) : []) {
    const [name = '', ...inner] = path;
    const value = Object.hasOwn(fields, name) ? fields[name]?.value : undefined;
    if (value !== undefined) for (const url of addressesIn(value, inner)) named.set(url, options);
  }
  return named;
}

function* addressesIn(value: Value, path: readonly string[]): Generator<string> {
  if (Array.isArray(value)) for (const each of value as readonly Value[]) yield* addressesIn(each, path);
  else if (typeof value === 'string' && path.length === 0) yield value;
  else if (typeof value === 'object' && value !== null) {
    const [name = '', ...inner] = path;
    const member = Object.hasOwn(value, name) ? (value as Readonly<Record<string, Value>>)[name] : undefined;
    if (member !== undefined) yield* addressesIn(member, inner);
  }
}

/** The result of an attempt to fetch a file. */
export type FileResult =
  | { readonly kind: 'stored'; readonly file: StoredFile }
  /** `retryAt` is missing where the file is given up. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly retryAt?: number };

/**
 * Stores the result of an attempt to fetch a file. Emits an event if the file is stored, whose bytes must be in the vault by then, or
 * given up. Does nothing for a file that no record names any more. To be called within a transaction.
 */
export function settleFile(store: Store, change: Change, { source, url }: FileRow, result: FileResult): void {
  const row = store.files.get(source, url);
  if (row === undefined) return;
  const { askAt: _, tries: before = 0, failure: __, ...rest } = row;
  const subject = subjectOf(store, row);
  if (result.kind === 'stored') {
    const { digest, bytes, mediaType } = result.file;
    store.files.put({ ...rest, stored: result.file });
    if (subject !== undefined) {
      const { record, ...of } = subject;
      change.tell({ type: 'file.stored', ...of, data: { ...record, url, digest, bytes, mediaType } });
    }
    return;
  }
  const { failure, retryAt } = result;
  const tries = before + 1;
  store.files.put({ ...rest, tries, failure, ...defined({ askAt: retryAt }) });
  if (retryAt !== undefined || subject === undefined) return;
  const { record, ...of } = subject;
  change.tell({ type: 'file.failed', ...of, data: { ...record, url, tries, failure } });
}

/** Emits an event for each file that records name and whose bytes were removed from the vault. To be called within a transaction. */
export function tellExpired(store: Store, change: Change, digest: string): void {
  for (const row of store.files.storedAs(digest)) {
    const subject = row.askAt === undefined ? subjectOf(store, row) : undefined;
    if (subject === undefined) continue;
    const { record, ...of } = subject;
    change.tell({ type: 'file.expired', ...of, data: { ...record, url: row.url, digest } });
  }
}

/** The largest number of records read to find one that names a file. */
const lookedAt = 20;

/** The first records that name a file. */
export function recordsOfFile({ files, records }: Store, { source, url }: FileRow): readonly RecordView[] {
  return files.recordsOf(source, url, lookedAt).flatMap((number) => records.byNumber(number) ?? []);
}

/** The first record that names a file, and the subjects of an event on it. */
function subjectOf(store: Store, row: FileRow) {
  const [record] = recordsOfFile(store, row);
  const target = record && store.targets.get(record.target);
  if (record === undefined || target === undefined) return undefined;
  return { ...subjectsOf(target), record: { type: record.type, key: record.key } };
}

/** A record with the files that its fields name, by their addresses. */
export function withFiles(store: Store, record: RecordView): RecordView {
  const known = store.files.fieldsOf(record.source);
  if (known === undefined) return record;
  const found = Array.from(namedFiles(known, record.type, record.fields).keys()).flatMap((url) => {
    const row = store.files.get(record.source, url);
    return row === undefined ? [] : [[url, fileView(store, row)] as const];
  });
  return found.length === 0 ? record : { ...record, files: Object.fromEntries(found) };
}

/** A file as people see it. */
export function fileView({ vault }: Store, { askAt: dueAt, tries, failure, stored }: FileRow): FileView {
  const { digest, bytes, mediaType, at: storedAt } = stored ?? {};
  const isKept = digest !== undefined && vault.pages.has(digest);
  const state = dueAt !== undefined ? 'waiting' : stored === undefined ? 'failed' : isKept ? 'stored' : 'expired';
  return { state, ...defined({ digest, bytes, mediaType, storedAt, tries, failure, dueAt }) };
}

/** Files that are put anew in one transaction. */
const retriedAtOnce = 150;

/**
 * Queues files of a source that were given up or have expired to be fetched again: all of them, or the one at an address. Resolves with
 * their number. Rejects with `StoreFullError`.
 */
export async function retryFiles(store: Store, source: string, url?: string): Promise<number> {
  const { files } = store;
  let retried = 0;
  if (url === undefined)
    for await (const rows of inSlices<FileRow>((after, limit) => take(files.rows(source, after), limit), retriedAtOnce))
      retried += await retry(rows);
  else retried = await retry([files.get(source, url) ?? []].flat());
  return retried;

  async function retry(rows: readonly FileRow[]): Promise<number> {
    const wanted = rows.filter(isOver);
    if (wanted.length === 0) return 0;
    await store.write(
      ({ at }) => wanted.forEach((row) => files.put({ ...sinceFound(row, at), ...optionsOf(row), askAt: at })),
      { durable: true },
    );
    return wanted.length;
  }

  function isOver(row: FileRow): boolean {
    return ['failed', 'expired'].includes(fileView(store, row).state);
  }
}

function optionsOf({ maxBytes, accept, isEphemeral }: FileRow): FileOptions {
  return { maxBytes, ...defined({ accept, isEphemeral }) };
}

function* take<T>(rows: Iterable<T>, limit: number): Generator<T> {
  let left = limit;
  for (const row of rows) {
    if (left === 0) return;
    yield row;
    left -= 1;
  }
}
