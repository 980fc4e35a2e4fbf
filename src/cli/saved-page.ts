import type { TryView } from '../control/methods/source.ts';
import { CommandError, exitStatus } from './exit-status.ts';

/** As large as a page that is asked for may be. */
const maxPageBytes = 32 * 1024 * 1024;

/** A page on disk, and the definition to read it by. */
export interface SavedPage {
  readonly source: string;
  readonly sourcesFolder: string;
  /** The file. */
  readonly page: string;
  /** Where the page was, as links on it are relative to that. */
  readonly url?: string;
  readonly params?: Readonly<Record<string, string>>;
}

/** Reads a saved page as a daemon would; loads what extraction needs only when called. */
export async function trySavedPage({ source: id, sourcesFolder, page, url, params = {} }: SavedPage): Promise<TryView> {
  const { loadSources } = await import('../definition/load.ts');
  const { sources, problems } = await loadSources(sourcesFolder);
  const source = sources.find((each) => each.id === id);
  if (!source) {
    const hint = problems.length > 0 ? '; `heronry validate` says what is wrong there' : '';
    throw new CommandError(exitStatus.notFound, `no valid source "${id}" in ${sourcesFolder}${hint}`);
  }
  const address = url ?? (await filledUrl(source.url, params));
  const [{ openProvider }, { extract }, { describeExtractFailure }, file] = await Promise.all([
    import('../provider/all.ts'),
    import('../extract/extract.ts'),
    import('../extract/describe.ts'),
    readPage(page),
  ]);
  const body = new Uint8Array(file).buffer;
  const outcome = await extract({ body, url: address, plan: openProvider(source).page.plan });
  const nothing = { drafts: [], finished: false, absent: [], unparsed: [], steps: [] };
  if (outcome.ok) return { url: address, bytes: file.length, ...outcome.extraction, steps: [] };
  const { failure } = outcome;
  return {
    url: address,
    bytes: file.length,
    ...nothing,
    failure: { code: failure.code, message: describeExtractFailure(failure) },
  };
}

async function filledUrl(pattern: string | undefined, params: Readonly<Record<string, string>>): Promise<string> {
  const { fillUrl } = await import('../definition/url-pattern.ts');
  if (pattern === undefined)
    throw new CommandError(exitStatus.usage, 'try: the source has no address pattern: give a URL');
  const filled = fillUrl(pattern, params);
  if (filled.ok) return filled.url;
  const told = [
    ...filled.missing.map((name) => `missing parameter "${name}"`),
    ...filled.unknown.map((name) => `unknown parameter "${name}"`),
  ];
  throw new CommandError(exitStatus.usage, `try: ${told.join(', ')}`);
}

async function readPage(path: string): Promise<Buffer> {
  const { readRegularFile } = await import('../definition/regular-file.ts');
  const page = await readRegularFile(path, maxPageBytes);
  if (page.ok) return page.bytes;
  throw new CommandError(exitStatus.failed, `${path}: ${page.message}`);
}
