import { open } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { Secret } from './secret.ts';

/** Where the values of secrets come from; the environment goes before the file. */
export interface SecretSources {
  /** Holds a secret as `HERONRY_SECRET_<NAME>`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A mapping of names to texts in YAML or JSON, of mode 0600. */
  readonly file?: string;
}

/** The secrets that were asked for, or which of them there are not and why. */
export type FoundSecrets =
  | { readonly ok: true; readonly secrets: ReadonlyMap<string, Secret> }
  | { readonly ok: false; readonly missing: readonly string[]; readonly message: string };

/** Finds secrets by name. They are read anew each time, so that one that was put right counts at the next look. */
export type FindSecrets = (names: readonly string[]) => Promise<FoundSecrets>;

export const environmentPrefix = 'HERONRY_SECRET_';

/** No file of secrets is larger. */
const maxFileBytes = 1024 * 1024;

type FileContent =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string };

/** Nothing is read before a secret is asked for; the file is left alone while the environment has them all. */
export function secretsFrom({ environment, file }: SecretSources): FindSecrets {
  return async (names) => {
    const inEnvironment = (name: string) => environment[environmentPrefix + name] ?? '';
    const absent = names.filter((name) => inEnvironment(name) === '');
    const content = absent.length > 0 && file !== undefined ? await readSecretFile(file) : undefined;
    const values = content?.ok === true ? content.values : {};
    const secrets = new Map<string, Secret>();
    for (const name of names) {
      const text = inEnvironment(name) || textOf(values, name);
      if (text !== undefined && text !== '') secrets.set(name, new Secret(name, text));
    }
    const missing = names.filter((name) => !secrets.has(name));
    if (missing.length === 0) return { ok: true, secrets };
    return { ok: false, missing, message: missingMessage(missing, values, file, content) };
  };
}

function textOf(values: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Says what is missing and where it was looked for; never what was found. */
function missingMessage(
  missing: readonly string[],
  values: Readonly<Record<string, unknown>>,
  file: string | undefined,
  content: FileContent | undefined,
): string {
  const [first] = missing;
  const told = `missing the secret${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`;
  const variable = `the environment variable ${environmentPrefix}${first}`;
  if (file === undefined || content === undefined) return `${told}: expected ${variable}, or a file of secrets`;
  if (!content.ok) return `${told}: expected ${variable}; ${content.message}`;
  const unfit = missing.find((name) => Object.hasOwn(values, name));
  const hint = unfit === undefined ? '' : ` (there ${unfit} is no text, or an empty one: put it in quotes)`;
  return `${told}: expected ${variable}, or a line "${first}: …" in ${file}${hint}`;
}

/** Reads the file through one handle, so that what was vetted is what is read. */
async function readSecretFile(file: string): Promise<FileContent> {
  try {
    const handle = await open(file, 'r');
    try {
      const { mode, size, uid } = await handle.stat();
      const fault = ownerFault(file, mode, uid);
      if (fault !== undefined) return { ok: false, message: fault };
      if (size > maxFileBytes)
        return { ok: false, message: `${file}: expected at most ${maxFileBytes} bytes, got ${size}` };
      return readMapping(file, await handle.readFile('utf8'));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return { ok: false, message: `${file}: could not be read: ${error.message}` };
  }
}

/** What is wrong with who may read a file; nothing on systems whose files have no such mode. */
export function ownerFault(file: string, mode: number, uid: number): string | undefined {
  const own = process.getuid?.();
  if (own === undefined) return undefined;
  if ((mode & 0o077) !== 0) {
    const found = (mode & 0o777).toString(8).padStart(4, '0');
    return `${file}: expected mode 0600, so that only its owner can read it, got ${found}`;
  }
  return uid === own || uid === 0
    ? undefined
    : `${file}: expected a file of the user who runs the daemon, got another's`;
}

/** The parser's own messages may quote the file, so only the line is told. */
function readMapping(file: string, text: string): FileContent {
  const document = parseDocument(text, { prettyErrors: true, logLevel: 'silent' });
  const [fault] = document.errors;
  if (fault !== undefined)
    return { ok: false, message: `${file}: cannot be read as YAML at line ${fault.linePos?.[0].line ?? 1}` };
  const values = valueOf(document);
  return typeof values === 'object' && values !== null && !Array.isArray(values)
    ? { ok: true, values: values as Readonly<Record<string, unknown>> }
    : { ok: false, message: `${file}: expected a mapping of names to texts` };
}

function valueOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    // An alias: there is nothing to repeat in a list of secrets, and the error would quote it.
    return undefined;
  }
}
