import type { TryView } from '../../control/methods/source.ts';
import type { Source } from '../../definition/source.ts';
import { CommandError, exitStatus } from '../exit-status.ts';
import { readOnThread } from './page-thread.ts';

/** As large as a page that is asked for may be. */
const maxPageBytes = 32 * 1024 * 1024;

/** A page that is at hand. */
export interface HeldPage {
  readonly body: Uint8Array;
  /** Where it was, as links on it are relative to that. */
  readonly url: string;
  readonly contentType?: string;
  /** Wall time. */
  readonly fetchedAt?: number;
}

export interface ReadOptions {
  readonly trees?: boolean;
  /** The folder of plug-ins. */
  readonly plugins: string;
}

/** Reads a page of a source as a daemon would, on a thread with the source's limit; loads what extraction needs only when called. */
export async function readHeldPage(
  source: Source,
  { body, url, contentType }: HeldPage,
  { trees = false, plugins }: ReadOptions,
): Promise<TryView> {
  if (source.plugin !== undefined) {
    const { readByPlugin } = await import('./plugin-page.ts');
    const found = await readByPlugin(
      source,
      source.plugin,
      { body, url, ...(contentType !== undefined && { contentType }) },
      plugins,
    );
    return { url, bytes: body.length, explained: [], steps: [], ...found };
  }
  const [{ openProvider }, { describeExtractFailure }] = await Promise.all([
    import('../../provider/all.ts'),
    import('../../extract/describe.ts'),
  ]);
  const { plan, limitMs } = openProvider(source).page;
  const input = { body: new Uint8Array(body).buffer, url, plan, ...(contentType !== undefined && { contentType }) };
  const read = await readOnThread(input, trees, limitMs);
  const { outcome, trial } = read.ok ? read.value : { outcome: read, trial: { items: [] } };
  const told = {
    url,
    bytes: body.length,
    explained: trial.items,
    ...(trial.trees !== undefined && { trees: trial.trees }),
    steps: [],
  };
  if (outcome.ok) {
    const { drafts, finished, absent, unparsed, repeated, notes } = outcome.extraction;
    const noted = { ...(repeated !== undefined && { repeated }), ...(notes && { notes }) };
    return { ...told, drafts, finished, absent, unparsed, ...noted };
  }
  const { failure } = outcome;
  return {
    ...told,
    drafts: [],
    finished: false,
    absent: [],
    unparsed: [],
    failure: { code: failure.code, message: describeExtractFailure(failure) },
  };
}

/** Reads a saved page. */
export async function readPageFile(path: string): Promise<Uint8Array> {
  const { readRegularFile } = await import('../../definition/regular-file.ts');
  const page = await readRegularFile(path, maxPageBytes);
  if (page.ok) return page.bytes;
  throw new CommandError(exitStatus.failed, `${path}: ${page.message}`);
}

/** Where a saved page of a source was: the address that parameters make, or its only one, else one that leads nowhere. */
export async function addressOf(
  { url: pattern }: Source,
  asked: { readonly url?: string | undefined; readonly params?: Readonly<Record<string, string>> | undefined },
): Promise<string> {
  if (asked.url !== undefined) return asked.url;
  const { fillUrl, placeholdersOf } = await import('../../definition/url-pattern.ts');
  if (pattern === undefined) {
    if (asked.params === undefined) return nowhere;
    throw new CommandError(exitStatus.usage, 'the source has no address pattern: give a URL');
  }
  if (asked.params === undefined && placeholdersOf(pattern).length > 0) return new URL('/', pattern).href;
  const filled = fillUrl(pattern, asked.params ?? {});
  if (filled.ok) return filled.url;
  const told = [
    ...filled.missing.map((name) => `missing parameter "${name}"`),
    ...filled.unknown.map((name) => `unknown parameter "${name}"`),
  ];
  throw new CommandError(exitStatus.usage, told.join(', '));
}

const nowhere = 'https://saved-page.invalid/';
