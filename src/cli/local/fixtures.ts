import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { DraftView } from '../../control/methods/fields.ts';
import type { TryView } from '../../control/methods/source.ts';
import type { Loaded } from '../../definition/load-file.ts';
import type { Source } from '../../definition/source.ts';
import { defined } from '../../defined.ts';
import { CommandError } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { type Difference, differencesOf } from './differences.ts';
import { type HeldPage, readPageFile } from './page.ts';
import { readHeldPage } from './read-page.ts';

/**
 * What a saved page is expected to give, with its address and the time it was fetched. No header but the content
 * type is kept.
 */
const Expected = z.strictObject({
  url: z.string(),
  contentType: z.string().exactOptional(),
  fetchedAt: z.iso.datetime().exactOptional(),
  records: z.array(DraftView).readonly(),
  /** Whether the page says that it is finished. */
  finished: z.boolean().default(false),
  /** The code of the failure, where the page cannot be read. */
  failure: z.string().exactOptional(),
});
type Expected = z.infer<typeof Expected>;

/** The files of a saved page and of what it is expected to give. */
export interface Fixture {
  readonly source: string;
  readonly name: string;
  /** Missing where the page was deleted. */
  readonly pageFile: string | undefined;
  readonly expectedFile: string;
}

const ending = '.expected.json';

/** The ending of the file of a saved page: the name of its kind of document, and `xml` for feeds. */
function extensionOf(provider: Source['provider']): string {
  return provider === 'rss' ? 'xml' : provider;
}

/** Lists the saved pages of a folder by source and name: of all sources, or of one. */
export function fixturesIn(folder: string, source?: string): Fixture[] {
  const sources = source === undefined ? namesIn(folder) : [source];
  return sources.flatMap((id) => {
    const names = namesIn(join(folder, id));
    return names
      .filter((name) => name.endsWith(ending))
      .map((file): Fixture => {
        const name = basename(file, ending);
        const page = names.find((each) => each.startsWith(`${name}.`) && !each.slice(name.length + 1).includes('.'));
        return {
          source: id,
          name,
          pageFile: page === undefined ? undefined : join(folder, id, page),
          expectedFile: join(folder, id, file),
        };
      });
  });
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Returns the paths in which a page of a source is saved under a name. */
export function fixtureFiles(
  folder: string,
  { id, provider }: Source,
  name: string,
): { page: string; expected: string } {
  const stem = join(folder, id, name);
  return { page: `${stem}.${extensionOf(provider)}`, expected: `${stem}${ending}` };
}

/** Saves a page and what it gives. */
export async function writeFixture(
  files: { readonly page: string; readonly expected: string },
  page: HeldPage,
  found: TryView,
): Promise<void> {
  await mkdir(dirname(files.page), { recursive: true });
  await writeFile(files.page, page.body);
  await writeExpected(files.expected, expectedOf(page, found));
}

/** Returns what to expect of a page from now on: what it gives now. */
function expectedOf({ url, contentType, fetchedAt }: HeldPage, found: TryView): Expected {
  return {
    url,
    ...defined({ contentType, fetchedAt: fetchedAt === undefined ? undefined : new Date(fetchedAt).toISOString() }),
    records: found.drafts.map(({ type, key, fields }) => ({ type, key, fields })),
    finished: found.finished,
    ...defined({ failure: found.failure?.code }),
  };
}

async function writeExpected(file: string, expected: Expected): Promise<void> {
  await writeFile(file, `${JSON.stringify(expected, undefined, 2)}\n`);
}

/**
 * Reads a saved page and what it is expected to give. Rejects with a `CommandError` where a file is missing or
 * malformed.
 */
export async function readFixture({
  pageFile,
  expectedFile,
}: Fixture): Promise<{ page: HeldPage; expected: Expected }> {
  if (pageFile === undefined) throw new CommandError('failed', `${expectedFile}: there is no page beside it`);
  const expected = parseExpected(await readFile(expectedFile, 'utf8'), expectedFile);
  const { url, contentType, fetchedAt } = expected;
  const page = {
    body: await readPageFile(pageFile),
    url,
    ...defined({ contentType, fetchedAt: fetchedAt === undefined ? undefined : Date.parse(fetchedAt) }),
  };
  return { page, expected };
}

function parseExpected(text: string, file: string): Expected {
  const parsed = Expected.safeParse(jsonOf(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') ?? '';
  throw new CommandError('failed', `${file}: ${at === '' ? '' : `${at}: `}${issue?.message ?? ''}`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError('failed', `${file}: expected JSON: ${why}`, { cause });
  }
}

/** The outcome of reading a saved page: how it differs from what is expected. */
export interface FixtureRun {
  readonly source: string;
  readonly name: string;
  readonly ok: boolean;
  readonly differences: readonly Difference[];
  /** Differences other than in records, as sentences. */
  readonly notes: readonly string[];
  readonly updated?: true;
}

/**
 * Reads a saved page by its source's definition. With `update`, what the page gives is what is expected from now
 * on.
 */
export async function runFixture(
  terminal: Terminal,
  fixture: Fixture,
  loaded: Loaded<Source>,
  { update, plugins }: { readonly update: boolean; readonly plugins: string },
): Promise<FixtureRun> {
  const { source, name } = fixture;
  const wrong = (note: string): FixtureRun => ({ source, name, ok: false, differences: [], notes: [note] });
  if (!loaded.ok) return wrong(showProblems(terminal, loaded.problems));
  try {
    const { page, expected } = await readFixture(fixture);
    const found = await readHeldPage(loaded.value, page, { asCrawled: true, plugins });
    const differences = differencesOf(expected.records, found.drafts);
    const notes = notesOf(expected, found, differences.length === 0);
    const ok = differences.length === 0 && notes.length === 0;
    if (ok || !update) return { source, name, ok, differences, notes };
    await writeExpected(fixture.expectedFile, expectedOf(page, found));
    return { source, name, ok: true, differences, notes, updated: true };
  } catch (error) {
    // One that is not as it should be hides no other.
    if (error instanceof CommandError) return wrong(error.message);
    throw error;
  }
}

function notesOf(expected: Expected, found: TryView, areSame: boolean): string[] {
  const failure = found.failure?.code;
  const order = ({ records }: Pick<Expected, 'records'>): unknown => records.map(({ type, key }) => [type, key]);
  return [
    ...(failure === expected.failure
      ? []
      : [`expected ${failureText(expected.failure)}, got ${failureText(failure, found.failure?.message)}`]),
    ...(found.finished === expected.finished
      ? []
      : [`expected the page to say that it is ${expected.finished ? 'finished' : 'not finished'}`]),
    ...(areSame && !isDeepStrictEqual(order(expected), order({ records: found.drafts }))
      ? ['the records come in another order']
      : []),
  ];
}

function failureText(code: string | undefined, message?: string): string {
  if (code === undefined) return 'no failure';
  return message === undefined ? `the failure ${code}` : `the failure ${code}: ${message}`;
}
