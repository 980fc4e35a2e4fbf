import { hash } from 'node:crypto';
import { LineCounter, parseAllDocuments } from 'yaml';
import { charsetNamed } from '../../schema/charset.ts';
import { addressText, Book } from '../book.ts';
import type { Imported, ImportedFile, ImportedHistory, TakenWatch } from '../imported.ts';
import { historyParts } from '../history-parts.ts';
import { labelsOf } from '../labels.ts';
import { isBlank, readLenient } from '../lenient.ts';
import { cssPlace } from '../place.ts';
import { proxyKey, requestKeys } from '../request.ts';
import { snapshotFilter, snapshotText } from '../snapshot.ts';
import { projectFile, projectOf, sourceFile, type Watch, watchedType } from '../source-file.ts';
import { filtersOf } from './filters.ts';
import { idleKeys, Job, lostKeys } from './schema.ts';
import { textRule } from './text-rule.ts';

/** What a database of urlwatch has of a job, oldest first. */
export type Snapshots = (guid: string) => Iterable<{ readonly at: number; readonly text: string }>;

/** A job whose history is read when it is asked for. */
interface Kept {
  readonly id: string;
  readonly url: string;
  readonly guid: string;
  /** Whether its text is read in lines, and not as markup. */
  readonly isLines: boolean;
}

/** Jobs of one file. */
const mostJobs = 10_000;

/** Thrown for a file that is no list of jobs. */
export class JobsError extends Error {
  override readonly name = 'JobsError';
}

/** Translates the jobs of a `urls.yaml`, with what was kept of them. Throws a `JobsError` where the file is none; a job that cannot be taken is noted, and the others are. */
export function importUrlwatch(text: string, snapshots: Snapshots = () => []): Imported {
  const book = new Book();
  const files: ImportedFile[] = [];
  const projects: object[] = [];
  const watches: TakenWatch[] = [];
  const histories: Kept[] = [];
  for (const { name, value } of jobsIn(book, text)) {
    const read = readLenient(Job, value);
    if (read === undefined) {
      book.leave(name, 'the watch', 'it is no mapping');
      continue;
    }
    const job = read.value;
    const label = labelOf(job, name);
    for (const { key, why } of read.malformed) book.leave(label, key, why);
    const made = takeJob(book, label, job);
    const file = made && sourceFile(book, label, made.watch);
    if (made === undefined || file === undefined) continue;
    const { watch, isLines } = made;
    files.push(file);
    const project = projectOf(book, label, watch);
    if (project !== undefined) projects.push(project);
    const { id } = watch;
    const kept = { id, url: String(watch.request['url']), guid: guidOf(job), isLines };
    const versions = countOf(snapshots(kept.guid));
    if (versions > 0) histories.push(kept);
    watches.push({ id, watch: label, isTracked: project !== undefined, versions });
  }
  const list = projectFile('urlwatch', projects);
  return {
    watches,
    files: [...files, ...(list === undefined ? [] : [list])],
    secrets: book.secrets,
    notes: book.notes,
    histories: historiesOf(snapshots, histories),
  };
}

function countOf(all: Iterable<unknown>): number {
  let count = 0;
  for (const _ of all) count += 1;
  return count;
}

/** The history of each job in parts. A text is as long as its field lets it be. */
async function* historiesOf(snapshots: Snapshots, kept: readonly Kept[]): AsyncGenerator<ImportedHistory> {
  for (const { id, url, guid, isLines } of kept)
    yield* historyParts({ source: id, url, type: watchedType, key: id }, versionsOf(snapshots(guid), id, isLines));
}

function* versionsOf(
  snapshots: ReturnType<Snapshots>,
  id: string,
  isLines: boolean,
): Generator<ImportedHistory['versions'][number]> {
  for (const { at, text } of snapshots)
    yield { at, fields: { watch: id, text: cutText(isLines ? snapshotText(text) : text) } };
}

const cutText = snapshotFilter([]);

/** The name under which urlwatch keeps what it read of a job. */
function guidOf({ user_visible_url: shown, url, navigate, command }: Job): string {
  return hash('sha1', shown ?? url ?? navigate ?? command ?? '', 'hex');
}

function* jobsIn(book: Book, text: string): Generator<{ readonly name: string; readonly value: unknown }> {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: counter, logLevel: 'silent' });
  if (!Array.isArray(documents) || documents.length === 0) throw new JobsError('it has no jobs');
  if (documents.length > mostJobs) throw new JobsError(`it has more than ${mostJobs} jobs`);
  for (const document of documents) {
    const { line } = counter.linePos(document.contents?.range?.[0] ?? document.range?.[0] ?? 0);
    const name = `the job of line ${line}`;
    const [error] = document.errors;
    if (error !== undefined) {
      book.leave(name, 'the watch', `it is no YAML (${error.code.toLowerCase().replaceAll('_', ' ')})`);
      continue;
    }
    if (document.contents === null) continue;
    try {
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      if (value !== null) yield { name, value };
    } catch (failure) {
      if (!(failure instanceof ReferenceError)) throw failure;
      book.leave(name, 'the watch', 'its aliases lead nowhere, or are too many');
    }
  }
}

function labelOf({ name, url, navigate, command }: Job, line: string): string {
  const address = url ?? navigate;
  const told = name ?? (address ? addressText(address) : command ? line : undefined) ?? line;
  return (
    told
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, 100) || line
  );
}

function takeJob(
  book: Book,
  label: string,
  job: Job,
): { readonly watch: Watch; readonly isLines: boolean } | undefined {
  const refuse = (why: string): undefined => book.leave(label, 'the watch', why);
  const address = job.url ?? job.navigate;
  if (job.command) return refuse('it watches what a program prints: a collector may (docs/plug-ins.md)');
  if (!address) return refuse('it has neither `url` nor `navigate`');
  const filters = filtersOf(job.filter);
  if (filters === undefined) return refuse('its filters are neither a list nor a text');
  const isBrowser = job.navigate !== undefined && job.navigate !== null;
  // What stands behind `#` tells jobs of one page apart, and is sent to nobody.
  const url = isBrowser ? address : address.replace(/#.*$/s, '');
  const id = book.id(job.name ?? '', addressText(url));
  const method = job.method ?? (isBlank(job.data) ? 'GET' : 'POST');
  const userAgent = job.useragent ? { 'user-agent': job.useragent } : {};
  const asked = requestKeys(book, label, id, {
    url,
    method,
    headers: { ...job.headers, ...userAgent },
    body: job.data ?? undefined,
    cookies: job.cookies ?? {},
  });
  if (asked === undefined) return undefined;
  const rule = textRule(book, label, filters, url);
  if (rule === undefined) return undefined;
  const proxy = (url.startsWith('https:') ? job.https_proxy : job.http_proxy) ?? undefined;
  const proxied = proxy === undefined ? undefined : proxyKey(book, label, id, proxy);
  noteRest(book, label, job);
  const isEnabled = job.enabled !== false;
  if (!isEnabled) book.leave(label, 'its project', `it is disabled: \`heronry add ${id} --source ${id}\` tracks it`);
  const watch = {
    id,
    name: job.name ?? '',
    from: 'urlwatch',
    request: {
      ...asked,
      ...(isBrowser && { render: renderOf(book, label, job) }),
      ...(proxied !== undefined && { proxy: proxied }),
      ...limitsOf(job),
    },
    document: { ...rule.document, ...encodingOf(book, label, job) },
    fields: { text: rule.text },
    ...(isEnabled && { project: labelsOf(job.tags ?? []) }),
  };
  return { watch, isLines: rule.text['take'] !== 'outer' };
}

function renderOf(book: Book, label: string, { wait_for: element }: Job): unknown {
  if (!element) return 'browser';
  const place = cssPlace(element);
  if (place.ok) return { in: 'browser', do: [{ wait: place.text }] };
  book.leave(label, 'wait_for', 'a page waits for an element by a CSS selector');
  return 'browser';
}

/** The longest time that a request may take, in seconds. */
const longestTotal = 180;

function limitsOf({ timeout }: Job): { readonly limits?: object } {
  if (timeout === null || timeout === undefined || !(timeout >= 1)) return {};
  return { limits: { total: `${Math.min(Math.ceil(timeout), longestTotal)}s` } };
}

function encodingOf(book: Book, label: string, { encoding }: Job): { readonly encoding?: string } {
  if (!encoding) return {};
  if (charsetNamed(encoding) !== undefined) return { encoding };
  book.leave(label, 'encoding', 'it is no charset that is known');
  return {};
}

function noteRest(book: Book, label: string, job: Job): void {
  for (const [key, value] of Object.entries(job)) {
    if (isBlank(value) || idleKeys.has(key)) continue;
    const known = Object.hasOwn(Job.shape, key) ? undefined : 'this key is not known';
    const why = Object.hasOwn(lostKeys, key) ? lostKeys[key] : known;
    if (why !== undefined) book.leave(label, key.slice(0, 60), why);
  }
}
