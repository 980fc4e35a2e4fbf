import type { Stats } from 'node:fs';
import { lstat, unlink } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { makeFolder, systemText } from '../definition/folder.ts';
import { kindOf } from '../definition/regular-file.ts';

/** What the operating system allows for the path of a local socket. */
const pathLimitBytes = 107;

/** A place where no control socket can be opened. */
export class SocketError extends Error {
  override readonly name = 'SocketError';
  readonly code: 'path_too_long' | 'no_folder' | 'in_use' | 'not_a_socket';

  constructor(code: SocketError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The variables that the places of data and socket are taken from. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a daemon keeps its data unless told otherwise. */
export function defaultDataPath(env: Environment): string {
  if (env['HERONRY_DATA']) return env['HERONRY_DATA'];
  const base = env['XDG_DATA_HOME'];
  return join(base && isAbsolute(base) ? base : join(env['HOME'] ?? homedir(), '.local', 'share'), 'heronry');
}

/**
 * Where a daemon with its data at `data` listens unless told otherwise: in the runtime directory, else beside its data;
 * on Windows a named pipe.
 */
export function defaultSocketPath(
  env: Environment,
  data = defaultDataPath(env),
  platform: NodeJS.Platform = process.platform,
): string {
  if (env['HERONRY_SOCKET']) return env['HERONRY_SOCKET'];
  if (platform === 'win32') {
    return `\\\\.\\pipe\\heronry-${createHash('sha256').update(data).digest('hex').slice(0, 16)}`;
  }
  const runtime = env['XDG_RUNTIME_DIR'];
  if (runtime && isAbsolute(runtime)) return join(runtime, 'heronry', 'control.sock');
  return join(data, 'control.sock');
}

/** Whether a path names a pipe of Windows, which is no file. */
export function isNamedPipe(path: string): boolean {
  return /^\\\\[.?]\\pipe\\/i.test(path);
}

/**
 * Makes a place ready to listen at: its directory (0700 where it is made), and no socket that a dead daemon left.
 * Throws a `SocketError` when the path is too long, a living daemon listens there, or something else stands there.
 */
export async function clearSocketPath(path: string): Promise<void> {
  if (isNamedPipe(path)) return;
  const bytes = Buffer.byteLength(path);
  if (bytes > pathLimitBytes) {
    const message = `${path}: expected a socket path of at most ${pathLimitBytes} bytes, got ${bytes}: choose a shorter one with --socket`;
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

/** What stands at a path, whose folder is made. */
async function findAt(path: string): Promise<Stats | undefined> {
  try {
    await makeFolder(dirname(path));
    return await lstat(path).catch(ignoreMissing);
  } catch (error) {
    const message = `${path}: its folder cannot be used: ${systemText(error)}: choose another place with --socket`;
    throw new SocketError('no_folder', message);
  }
}

/** Whether somebody accepts connections at a path. */
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
