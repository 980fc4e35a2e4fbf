import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Client } from '../control/client.ts';
import { CommandError } from './exit-status.ts';
import { configName, projectFolder } from './project-folder.ts';
import type { Terminal } from './terminal.ts';

/** Where a command finds its daemon. */
export interface DaemonPlace {
  /** The path of the socket. */
  readonly socket: string;
  /** Whether nothing names a place: no option, no variable, no heronry.yaml. */
  readonly isUsual: boolean;
  /** What the heronry.yaml of the present folder, or the nearest above it, makes its daemon, which may be another than the one that listens there. */
  readonly own?: { readonly config: string; readonly data: string };
}

/**
 * Resolves with where the daemon is expected to listen: `--socket`, else HERONRY_SOCKET, else what the nearest
 * heronry.yaml says, of the present folder or one above it, else the place that belongs to its data folder.
 */
export async function daemonPlace(terminal: Terminal, option: string | undefined): Promise<DaemonPlace> {
  const { cwd, env } = terminal;
  const folder = projectFolder(cwd) ?? cwd;
  const config = resolve(folder, configName);
  const configured = existsSync(config) ? await configuredPlaces(config) : undefined;
  const data = configured && resolve(folder, configured.data);
  const own = data === undefined ? {} : { own: { config, data } };
  const named = option ?? (env['HERONRY_SOCKET'] || undefined);
  if (named !== undefined) return { socket: absolute(cwd, named), isUsual: false, ...own };
  if (configured?.socket !== undefined) return { socket: absolute(folder, configured.socket), isUsual: false, ...own };
  const { defaultSocketPath } = await import('../control/socket-path.ts');
  return { socket: defaultSocketPath(env, data), isUsual: configured === undefined };
}

/** Resolves with where a daemon will listen that is started with a configuration file, and with these options. Paths are whole. */
export async function startPlace(
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
  config: string | undefined,
  { socket, data }: { readonly socket?: string; readonly data?: string },
): Promise<string> {
  const named = socket ?? (env['HERONRY_SOCKET'] || undefined);
  if (named !== undefined) return absolute(cwd, named);
  const configured = config !== undefined && existsSync(config) ? await configuredPlaces(config) : undefined;
  const base = config === undefined ? cwd : dirname(config);
  if (configured?.socket !== undefined) return absolute(base, configured.socket);
  const { defaultSocketPath } = await import('../control/socket-path.ts');
  return defaultSocketPath(env, data ?? (configured && resolve(base, configured.data)));
}

/** Rejects with a `CommandError` where the daemon at a socket is not the one of the present folder, or of the project that it is in. */
export async function refuseOther(client: Pick<Client, 'call'>, { socket, own }: DaemonPlace): Promise<void> {
  if (own === undefined) return;
  const { realPathOf } = await import('../control/socket-path.ts');
  const { pid, data, config } = await client.call('daemon.place', {});
  if (realPathOf(data) === realPathOf(own.data)) return;
  if (config !== undefined && realPathOf(config) === realPathOf(own.config)) return;
  throw new CommandError(
    'conflict',
    `the daemon on ${socket} (pid ${pid}) keeps ${data}, but ${own.config} keeps ${own.data}: for this folder's daemon name no other socket (--socket, HERONRY_SOCKET, \`socket\` in heronry.yaml), for that one add --any-daemon`,
  );
}

interface Places {
  readonly socket?: string;
  readonly data?: string;
}

/**
 * Reads socket and data folder from a heronry.yaml. Problems in the file are not reported here: the daemon refuses to
 * start with them.
 */
async function configuredPlaces(file: string): Promise<Places & { readonly data: string }> {
  const { maxFileBytes, readRegularFile } = await import('../definition/file.ts');
  const read = await readRegularFile(file, maxFileBytes);
  const text = read.ok ? read.bytes.toString('utf8') : '';
  const { data = 'data', ...rest } = plainPlaces(text) ?? (await parsedPlaces(text, file));
  return { data, ...rest };
}

/**
 * Reads socket and data folder line by line from a file in which each line that is not indented is a plain `key: value`; returns
 * nothing for any other file, which needs the YAML parser. Loading the parser would take every command some 30 ms.
 */
function plainPlaces(text: string): Places | undefined {
  const places: { socket?: string; data?: string } = {};
  /** The key that an indented line belongs to. */
  let parent: 'none' | 'place' | 'other' = 'none';
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    if (line.startsWith(' ') && parent === 'other') continue;
    const [, key, value = ''] = /^([A-Za-z]+):(?:$| +(.*?)(?: +#.*)?$)/.exec(line) ?? [];
    if (key === undefined) return undefined;
    parent = key === 'socket' || key === 'data' ? 'place' : 'other';
    if (key !== 'socket' && key !== 'data') continue;
    if (places[key] !== undefined || !isPlainPath(value)) return undefined;
    places[key] = value;
  }
  return places;
}

/** Whether an unquoted YAML value is a text, and not a number, a flag or null. */
function isPlainPath(value: string): boolean {
  return /^(?:[A-Za-z]|\.{0,2}\/)[\w./-]*$/.test(value) && !/^(?:true|false|null)$/i.test(value);
}

async function parsedPlaces(text: string, file: string): Promise<Places> {
  const { readYaml } = await import('../definition/yaml.ts');
  const yaml = readYaml(text, file);
  const { socket, data } = yaml.ok && isObject(yaml.value) ? yaml.value : {};
  return { ...(typeof socket === 'string' && { socket }), ...(typeof data === 'string' && { data }) };
}

function isObject(value: unknown): value is { readonly socket?: unknown; readonly data?: unknown } {
  return typeof value === 'object' && value !== null;
}

function absolute(cwd: string, path: string): string {
  // A named pipe of Windows is no file.
  return path.startsWith('\\\\') ? path : resolve(cwd, path);
}
