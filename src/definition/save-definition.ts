import { constants } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { access, realpath, unlink } from 'node:fs/promises';
import type { Issue } from '../schema/expected.ts';
import { isMapping } from '../schema/mapping.ts';
import { authOrigins } from './auth.ts';
import { readDefinition } from './definition-text.ts';
import { definitionIn, maxFileBytes } from './file.ts';
import { parseSource } from './load.ts';
import { isLoopbackUrl } from './loopback.ts';
import { problemsInText } from './load-file.ts';
import type { Problem } from './problem.ts';
import type { WrittenDefinition } from './repair-definition.ts';
import { definitionVersion, Politeness, type Source } from './source.ts';
import { attempt, type FileChange, writeWhole } from './whole-file.ts';

/** A text that the file of a definition is to have. */
export interface DefinitionSave {
  readonly source: string;
  readonly text: string;
  /** The digest of the text that was changed; missing where there was no file. */
  readonly base?: string | undefined;
  /** Whether the file stays as it is, and only the difference is told. */
  readonly dryRun: boolean;
}

/** What has been written, or would be; or why it cannot be: `invalid` where the text is no valid definition, `conflict` where the file is not the one that was changed. */
export type SavedDefinition =
  | WrittenDefinition
  | { readonly ok: false; readonly code: 'invalid'; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly code: 'conflict'; readonly message: string };

/**
 * Writes the file of a definition whole, where the text is a valid one, and the file is still the one that was changed.
 *
 * @param issuesOf - finds what else makes a valid source unfit.
 */
export async function saveDefinition(
  folder: string,
  { source: id, text, base, dryRun }: DefinitionSave,
  issuesOf: (source: Source) => readonly Issue[],
): Promise<SavedDefinition> {
  const before = await readDefinition(folder, id);
  const file = before?.path ?? definitionIn(folder, id);
  const checked = checkDefinition(text, file, issuesOf);
  if (!checked.ok) return { ok: false, code: 'invalid', problems: checked.problems };
  if (before?.digest !== base) {
    const how = before === undefined ? 'is gone' : base === undefined ? 'is there already' : 'has changed meanwhile';
    return { ok: false, code: 'conflict', message: `${file} ${how}: reload the page, and make the change again` };
  }
  const made = { file, texts: [before?.text ?? '', text], version: definitionVersion(checked.source) } as const;
  if (dryRun) return { ok: true, ...made, undo: () => Promise.resolve() };
  const written = await write(file, text, before !== undefined);
  if (!written.ok) return { ok: false, code: 'conflict', message: written.message };
  const undo = () => (before === undefined ? attempt(file, () => unlink(file)) : write(file, before.text, true));
  return { ok: true, ...made, undo };
}

/** Reads a text as the definition that its file would be. */
export function checkDefinition(
  text: string,
  file: string,
  issuesOf: (source: Source) => readonly Issue[],
): { readonly ok: true; readonly source: Source } | { readonly ok: false; readonly problems: readonly Problem[] } {
  if (Buffer.byteLength(text) > maxFileBytes)
    return {
      ok: false,
      problems: problemsInText('', file, [{ path: [], message: `expected at most ${maxFileBytes} bytes` }]),
    };
  const parsed = parseSource(text, file);
  if (!parsed.ok) return parsed;
  const issues = issuesOf(parsed.value);
  return issues.length === 0
    ? { ok: true, source: parsed.value }
    : { ok: false, problems: problemsInText(text, file, issues) };
}

/** The parts of a definition that say which code runs, which secrets are sent and through which proxy. */
const guarded = [
  ['plugin'],
  ['options'],
  ['secrets'],
  ['collect', 'command'],
  ['auth'],
  ['proxy'],
] as const satisfies readonly (readonly [keyof Source, ...string[]])[];

/**
 * Finds what a definition says of code, secrets, private addresses and regard for sites that the one in use does not: only people at the machine
 * itself may change that, in the file. Where the definition uses secrets or a plug-in, the origins that may get them stay as well. A definition
 * of a new source may reach loopback.
 */
export function guardedIssues(source: Source, inUse: Source | undefined): Issue[] {
  const message =
    'expected what the definition in use has: this is changed in the file itself, at the machine of the daemon';
  const issues: Issue[] = guarded
    .filter((path) => !isDeepStrictEqual(valueAt(source, path), valueAt(inUse, path)))
    .map((path) => ({ path: [...path], message }));
  const holdsSecrets = source.auth !== undefined || source.plugin !== undefined;
  if (holdsSecrets && !isDeepStrictEqual(originsOf(source), inUse && originsOf(inUse)))
    issues.push({
      path: ['url'],
      message: 'expected the origin of the definition in use, as the source has a log-in or a plug-in',
    });
  const before = inUse?.allowPrivate ?? (source.allowPrivate === 'loopback' ? 'loopback' : false);
  if (source.allowPrivate !== false && source.allowPrivate !== before) issues.push({ path: ['allowPrivate'], message });
  return [...issues, ...regardIssues(source, inUse)];
}

/**
 * Finds where a definition has less regard for its site than the one in use, or than the defaults where there is none, or one of another
 * origin: it no longer obeys robots.txt, shortens the pause that no other setting shortens, or leaves the ledger of its host. Sites of this
 * machine need none.
 */
function regardIssues({ url = '', robots, politeness }: Source, inUse: Source | undefined): Issue[] {
  if (URL.canParse(url) && isLoopbackUrl(url)) return [];
  const isOfSite =
    inUse !== undefined && isDeepStrictEqual(authOrigins(undefined, url), authOrigins(undefined, inUse.url));
  const before = isOfSite ? inUse : undefined;
  const { minDelay, key } = before?.politeness ?? Politeness.parse({});
  const message = 'expected as much regard for the site as the definition in use has: less is said in the file itself';
  return [
    ...(robots === 'ignore' && before?.robots !== 'ignore' ? [{ path: ['robots'], message }] : []),
    ...(politeness.minDelay < minDelay ? [{ path: ['politeness', 'minDelay'], message }] : []),
    ...(politeness.key === key ? [] : [{ path: ['politeness', 'key'], message }]),
  ];
}

function valueAt(source: Source | undefined, path: readonly string[]): unknown {
  let value: unknown = source;
  for (const name of path) value = isMapping(value) ? value[name] : undefined;
  return value;
}

/** The origins that the secrets of a source may be sent to. */
function originsOf({ auth, url }: Source): readonly string[] {
  return authOrigins(auth, url).toSorted();
}

/** Writes a file that may be a link, which stays one. */
function write(file: string, text: string, isThere: boolean): Promise<FileChange> {
  return attempt(file, async () => {
    const real = isThere ? await realpath(file) : file;
    if (isThere) await access(real, constants.W_OK);
    await writeWhole(real, text);
  });
}
