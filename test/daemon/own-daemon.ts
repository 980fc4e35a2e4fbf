import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, connect, ConnectionError } from '../../src/control/client.ts';
import { type OwnProcess, startProcess } from '../../src/process/own-process.ts';
import type { Ending } from '../support/servers/own-server.ts';

/** A daemon in a process of its own, as a person starts it. */
export interface OwnDaemon {
  readonly process: OwnProcess;
  readonly client: Client;
  /** Ends it as nothing but the machine could; resolves when it is gone. */
  kill(): Promise<void>;
}

/** The daemons that were started over each folder of `daemonFolder`. */
const started = new Map<string, OwnProcess[]>();

const file = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

/** A folder for a daemon's data, definitions and socket, which goes with the test or the suite. */
export async function daemonFolder(t: Ending, sources: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  const daemons: OwnProcess[] = [];
  started.set(folder, daemons);
  t.after(async () => {
    // A daemon that is alive makes files, so that the folder cannot be removed, and the hooks behind a failed one do not run.
    await Promise.all(daemons.map((daemon) => daemon.stop()));
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await mkdir(join(folder, 'sources'));
  for (const [id, yaml] of Object.entries(sources)) await writeFile(join(folder, 'sources', `${id}.yaml`), yaml);
  return folder;
}

/**
 * Runs `heronry start` over a folder of `daemonFolder`; resolves when it answers. It ends with the test at the latest, before the folder goes.
 *
 * @param more - further arguments of the command.
 */
export async function startOwnDaemon(folder: string, more: readonly string[] = []): Promise<OwnDaemon> {
  const daemons = started.get(folder);
  if (daemons === undefined) throw new Error(`expected a folder of daemonFolder, got ${folder}`);
  const [data, sources, socket] = [join(folder, 'data'), join(folder, 'sources'), join(folder, 'socket')];
  const daemon = await startProcess(file, [
    'start',
    ...['--data', data, '--sources', sources, '--socket', socket, '--log-level', 'warn'],
    ...more,
  ]);
  daemons.push(daemon);
  const client = await connectWhenUp(socket, daemon);
  return {
    process: daemon,
    client,
    async kill() {
      process.kill(daemon.pid, 'SIGKILL');
      await daemon.ended;
      client.close();
    },
  };
}

/**
 * Runs a command that serves until it is told to stop; it ends with the test, before the folder goes.
 *
 * @param program - the file that runs the command. Default: that of `heronry`.
 */
export async function startBeside(
  folder: string,
  args: readonly string[],
  program: string = file,
): Promise<OwnProcess> {
  const beside = await startProcess(program, [...args]);
  started.get(folder)?.push(beside);
  return beside;
}

/** Resolves with a client of the daemon once that answers. Rejects when it ends before. */
export async function connectWhenUp(socket: string, { ended }: OwnProcess): Promise<Client> {
  for (;;) {
    try {
      return await connect(socket);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      const how = await Promise.race([ended, delay(5)]);
      if (how !== undefined) throw new Error(`the daemon ended: ${how.tail.join('\n')}`, { cause: error });
    }
  }
}
