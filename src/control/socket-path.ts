import { realpathSync, type Stats } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { kindOf, systemText } from '../definition/file.ts';
import { ignoreTaken, makeFolder } from '../make-folder.ts';

/** The longest path of a local socket that operating systems allow, in bytes. */
const pathLimitBytes = 107;

/** Thrown where a control socket cannot be opened at a path. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
  readonly code: 'path_too_long' | 'no_folder' | 'in_use' | 'not_a_socket';

  constructor(code: SocketError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The environment variables that decide where data and socket are. */
export type SocketEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns the folder of a daemon's data where none is configured. */
export function defaultDataPath(env: SocketEnvironment): string {
  if (env['HERONRY_DATA']) return env['HERONRY_DATA'];
  const base = env['XDG_DATA_HOME'];
  return join(base && isAbsolute(base) ? base : join(env['HOME'] ?? homedir(), '.local', 'share'), 'heronry');
}

/**
 * Returns where a daemon with its data at `data` listens where no socket is named: in its data folder; in the runtime directory,
 * under a name of the folder's own, where the path would be too long; on Windows at such a named pipe. Each data folder has a path
 * of its own, which is the same by whatever symbolic links one comes there.
 */
export function defaultSocketPath(
  env: SocketEnvironment,
  data = defaultDataPath(env),
  platform: NodeJS.Platform = process.platform,
): string {
  const folder = realPathOf(data);
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  if (platform === 'win32') return `\\\\.\\pipe\\heronry-${name}`;
  const path = join(folder, 'control.sock');
  const runtime = env['XDG_RUNTIME_DIR'];
  if (isShort(path) || !runtime || !isAbsolute(runtime)) return path;
  return join(runtime, 'heronry', `${name}.sock`);
}

/** Returns a path without symbolic links, also of what is not there yet. */
export function realPathOf(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    // It is missing, or a folder above it cannot be searched; the root is always there.
    return join(realPathOf(dirname(whole)), basename(whole));
  }
}

function isShort(path: string): boolean {
  return Buffer.byteLength(path) <= pathLimitBytes;
}

/** Whether a path is a named pipe of Windows, which is no file. */
export function isNamedPipe(path: string): boolean {
  return /^\\\\[.?]\\pipe\\/i.test(path);
}

/**
 * Prepares a path to listen at: makes its folder (0700), and removes a socket that a dead daemon left. Rejects with a
 * `SocketError` where the path is too long, a living daemon listens there, or another kind of file exists there.
 */
export async function clearSocketPath(path: string): Promise<void> {
  if (isNamedPipe(path)) return;
  if (!isShort(path)) {
    const message = `${path}: expected a socket path of at most ${pathLimitBytes} bytes, got ${Buffer.byteLength(path)}: choose a shorter one with --socket`;
    throw new SocketError('path_too_long', message);
  }
  const found = await findAt(path);
  if (!found) return;
  if (!found.isSocket()) {
    const message = `${path}: expected a socket or nothing, found ${kindOf(found)}: choose another place with --socket`;
    throw new SocketError('not_a_socket', message);
  }
  if (await isListening(path)) {
    const message = `${path}: a daemon listens there already: stop that one, or choose another place with --socket`;
    throw new SocketError('in_use', message);
  }
  await unlink(path).catch(ignoreMissing);
}

/** Makes the folder of a path. Resolves with the file at the path, if there is one. */
async function findAt(path: string): Promise<Stats | undefined> {
  try {
    await makeFolder(dirname(path)).catch(ignoreTaken);
    return await lstat(path).catch(ignoreMissing);
  } catch (error) {
    const message = `${path}: its folder cannot be used: ${systemText(error)}: choose another place with --socket`;
    throw new SocketError('no_folder', message);
  }
}

/** Whether a process accepts connections at a path. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      // A full queue of connections is one that a living daemon has.
      else if (error.code === 'EAGAIN') resolve(true);
      else reject(error);
    });
  });
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
