import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { DraftView } from '../../control/fields.ts';
import type { TryView } from '../../control/methods/source.ts';
import type { Source } from '../../definition/source.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { type HeldPage, readPageFile } from './page.ts';

/** What a saved page is expected to give, beside where and when it was had. Headers other than its type are never kept. */
const Expected = z.strictObject({
  url: z.string(),
  contentType: z.string().exactOptional(),
  fetchedAt: z.iso.datetime().exactOptional(),
  records: z.array(DraftView).readonly(),
  /** Whether the page says that there will be nothing more. */
  finished: z.boolean().default(false),
  /** The code of the failure that reading it ends in. */
  failure: z.string().exactOptional(),
});
export type Expected = z.infer<typeof Expected>;

/** One saved page and what it is expected to give. */
export interface Fixture {
  readonly source: string;
  readonly name: string;
  /** Missing where it was deleted. */
  readonly pageFile: string | undefined;
  readonly expectedFile: string;
}

const ending = '.expected.json';

/** What pages are saved as, by what they are read as. */
const extensions: Readonly<Record<Source['provider'], string>> = {
  html: 'html',
  xml: 'xml',
  rss: 'xml',
  json: 'json',
  csv: 'csv',
};

/** The saved pages of a folder, by source and name; of one source, if it is named. */
export function fixturesIn(folder: string, source?: string): Fixture[] {
  const sources = source === undefined ? namesIn(folder) : [source];
  return sources.flatMap((id) => {
    const names = namesIn(join(folder, id));
    return names
      .filter((name) => name.endsWith(ending))
      .map((file): Fixture => {
        const name = basename(file, ending);
        const page = Object.values(extensions).find((extension) => names.includes(`${name}.${extension}`));
        return {
          source: id,
          name,
          pageFile: page === undefined ? undefined : join(folder, id, `${name}.${page}`),
          expectedFile: join(folder, id, file),
        };
      });
  });
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** The files that a page of a source is saved in by a name. */
export function fixtureFiles(
  folder: string,
  { id, provider }: Source,
  name: string,
): { page: string; expected: string } {
  const stem = join(folder, id, name);
  return { page: `${stem}.${extensions[provider]}`, expected: `${stem}${ending}` };
}

/** Writes a page and what it gives. */
export async function writeFixture(
  files: { readonly page: string; readonly expected: string },
  page: HeldPage,
  found: TryView,
): Promise<void> {
  await mkdir(dirname(files.page), { recursive: true });
  await writeFile(files.page, page.body);
  await writeExpected(files.expected, expectedOf(page, found));
}

/** What a page gives, as it is read now. */
export function expectedOf({ url, contentType, fetchedAt }: HeldPage, found: TryView): Expected {
  return {
    url,
    ...(contentType !== undefined && { contentType }),
    ...(fetchedAt !== undefined && { fetchedAt: new Date(fetchedAt).toISOString() }),
    records: found.drafts.map(({ type, key, fields }) => ({ type, key, fields })),
    finished: found.finished,
    ...(found.failure && { failure: found.failure.code }),
  };
}

export async function writeExpected(file: string, expected: Expected): Promise<void> {
  await writeFile(file, `${JSON.stringify(expected, undefined, 2)}\n`);
}

/** A saved page with what it is expected to give; throws a sentence where its files are not as they should be. */
export async function readFixture({
  pageFile,
  expectedFile,
}: Fixture): Promise<{ page: HeldPage; expected: Expected }> {
  if (pageFile === undefined) throw new CommandError(exitStatus.failed, `${expectedFile}: there is no page beside it`);
  const expected = parseExpected(await readFile(expectedFile, 'utf8'), expectedFile);
  const { url, contentType, fetchedAt } = expected;
  const page = {
    body: await readPageFile(pageFile),
    url,
    ...(contentType !== undefined && { contentType }),
    ...(fetchedAt !== undefined && { fetchedAt: Date.parse(fetchedAt) }),
  };
  return { page, expected };
}

function parseExpected(text: string, file: string): Expected {
  const parsed = Expected.safeParse(jsonOf(text, file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.join('.') ?? '';
  throw new CommandError(exitStatus.failed, `${file}: ${at === '' ? '' : `${at}: `}${issue?.message ?? ''}`);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(exitStatus.failed, `${file}: expected JSON: ${why}`, { cause });
  }
}
