import { LRUCache } from 'lru-cache';
import { parseDocument } from 'yaml';
import { cacheTime, type Clock } from '../clock.ts';
import { kindOf, openToRead } from '../definition/file.ts';
import { SecretName } from '../schema/secret-name.ts';
import { Secret } from './secret.ts';

/** The places in which secrets are looked up. The environment takes precedence over the file. */
export interface SecretSources {
  /** Holds a secret as `HERONRY_SECRET_<NAME>`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A mapping of names to texts in YAML or JSON, of mode 0600. */
  readonly file?: string;
}

/** The secrets that were asked for, or the names of those that are missing and why. */
export type FoundSecrets =
  | { readonly ok: true; readonly secrets: ReadonlyMap<string, Secret> }
  | { readonly ok: false; readonly missing: readonly string[]; readonly message: string };

/**
 * Finds secrets by name. They are read anew each time, so that a correction counts at once. Rejects when the file
 * cannot be opened for another reason than a missing file or permission.
 */
export type FindSecrets = (names: readonly string[]) => Promise<FoundSecrets>;

/** The prefix of the environment variables that hold secrets. */
const environmentPrefix = 'HERONRY_SECRET_';

/** The largest size of a file of secrets. */
const maxFileBytes = 1024 * 1024;

type FileContent =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly message: string };

/**
 * Opens the sources of secrets. The file is only read while the environment does not hold all secrets that are asked
 * for. The function that it returns rejects as `FindSecrets` says.
 */
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

/** How long a looked-up secret serves: each request through a proxy and each page of a plug-in may need it. */
const servesMs = 10_000;

/** No more look-ups are remembered. */
const mostLookUps = 1_000;

/** The secrets of a daemon, looked up in two ways. */
export interface Secrets {
  /** Looks secrets up anew each time, as a log-in does: a missing one may have been added meanwhile. */
  readonly find: FindSecrets;
  /** Looks secrets up at most once in 10 s, by the names that are asked for together. A look-up that rejected is not remembered. */
  readonly remembered: FindSecrets;
}

/** Adds a cache to a way to find secrets. */
export function createSecrets(find: FindSecrets, clock: Pick<Clock, 'monotonic'>): Secrets {
  const found = new LRUCache<string, ReturnType<FindSecrets>>({
    max: mostLookUps,
    ttl: servesMs,
    ...cacheTime(() => clock.monotonic()),
  });
  return { find, remembered };

  function remembered(names: readonly string[]): ReturnType<FindSecrets> {
    const asked = JSON.stringify(names);
    const known = found.get(asked);
    if (known !== undefined) return known;
    const secrets = find(names);
    found.set(asked, secrets);
    secrets.catch(() => found.delete(asked));
    return secrets;
  }
}

/** The named secrets that are set, by name; a missing secret is left out. Rejects as `findSecrets` does. */
export async function secretsThatAreSet(
  findSecrets: FindSecrets,
  names: readonly string[] = [],
): Promise<ReadonlyMap<string, Secret>> {
  const all = await Promise.all(names.map((name) => findSecrets([name])));
  return new Map(all.flatMap((each) => (each.ok ? [...each.secrets] : [])));
}

/** Resolves with what is wrong with a file of secrets, in sentences that show no value. Rejects as `FindSecrets` says. */
export async function secretFileFaults(file: string): Promise<readonly string[]> {
  const content = await readSecretFile(file);
  if (!content.ok) return [content.message.replace(`${file}: `, '')];
  const names = Object.keys(content.values);
  return [
    ...names
      .filter((name) => !SecretName.safeParse(name).success)
      .map((name) => `${name} names no secret: expected capitals, digits and "_", as in "${capitals(name)}"`),
    ...names
      .filter((name) => !textOf(content.values, name))
      .map((name) => `${name} is no text, or an empty one: put it in quotes`),
  ];
}

/** The nearest name that a definition may give a secret. */
function capitals(name: string): string {
  const text = name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return SecretName.safeParse(text).success ? text : 'SHOP_PASSWORD';
}

function textOf(values: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The sentence that says which secrets are missing and where they were looked for. It shows no value. */
function missingMessage(
  missing: readonly string[],
  values: Readonly<Record<string, unknown>>,
  file: string | undefined,
  content: FileContent | undefined,
): string {
  const [first] = missing;
  const sentence = `missing the secret${missing.length === 1 ? '' : 's'} ${missing.join(', ')}`;
  const variable = `the environment variable ${environmentPrefix}${first}`;
  if (file === undefined || content === undefined)
    return `${sentence}: expected ${variable}, or a file that \`secrets\` of heronry.yaml names; the daemon sees either only after a restart`;
  if (!content.ok) return `${sentence}: expected ${variable}; ${content.message}`;
  const unfit = missing.find((name) => Object.hasOwn(values, name));
  const hint = unfit === undefined ? '' : ` (there ${unfit} is no text, or an empty one: put it in quotes)`;
  return `${sentence}: expected ${variable}, or a line "${first}: …" in ${file}${hint}`;
}

/** Reads the file through one handle, so that the file whose owner was checked is the file that is read. */
async function readSecretFile(file: string): Promise<FileContent> {
  try {
    const handle = await openToRead(file);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return { ok: false, message: `${file}: expected a regular file, got ${kindOf(stats)}` };
      const { mode, size, uid } = stats;
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

/**
 * The sentence that says why a file's owner or mode is unsafe; `undefined` if they are safe, and on systems without
 * such modes. A group may read a file of root, if the daemon is another user: systemd and Kubernetes hand secrets to a
 * service in this way, and only root can choose the group.
 *
 * @param own - the user who runs this process.
 */
export function ownerFault(
  file: string,
  mode: number,
  uid: number,
  own: number | undefined = process.getuid?.(),
): string | undefined {
  if (own === undefined) return undefined;
  const mayRead = uid === 0 && own !== 0 ? 0o040 : 0;
  if ((mode & 0o077 & ~mayRead) !== 0) {
    const found = (mode & 0o777).toString(8).padStart(4, '0');
    return `${file}: expected mode 0600, so that only its owner can read it, got ${found}`;
  }
  return uid === own || uid === 0
    ? undefined
    : `${file}: expected a file of the user who runs the daemon, got another's`;
}

/** Parses the file. The parser's own messages may quote it, so only the line number is shown. */
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
