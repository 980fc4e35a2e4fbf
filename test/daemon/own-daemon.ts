import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, connect, ConnectionError } from '../../src/control/client.ts';
import { type OwnProcess, startProcess } from '../../src/demo/own-process.ts';

/** A daemon in a process of its own, as a person starts it. */
export interface OwnDaemon {
  readonly process: OwnProcess;
  readonly client: Client;
  /** Ends it as nothing but the machine could; resolves when it is gone. */
  kill(): Promise<void>;
}

const file = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

/** A folder for a daemon's data, definitions and socket, which goes with the test. */
export async function daemonFolder(t: TestContext, sources: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  // Its daemon may still be alive, and make files.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  await mkdir(join(folder, 'sources'));
  for (const [id, yaml] of Object.entries(sources)) await writeFile(join(folder, 'sources', `${id}.yaml`), yaml);
  return folder;
}

/** Runs `heronry start` over a folder of `daemonFolder`; resolves when it answers. It ends with the test at the latest. */
export async function startOwnDaemon(t: TestContext, folder: string): Promise<OwnDaemon> {
  const [data, sources, socket] = [join(folder, 'data'), join(folder, 'sources'), join(folder, 'socket')];
  const started = await startProcess(file, [
    'start',
    ...['--data', data, '--sources', sources, '--socket', socket, '--log-level', 'warn'],
  ]);
  t.after(() => started.stop());
  const client = await connectWhenUp(socket, started);
  return {
    process: started,
    client,
    async kill() {
      process.kill(started.pid, 'SIGKILL');
      await started.ended;
      client.close();
    },
  };
}

async function connectWhenUp(socket: string, { ended }: OwnProcess): Promise<Client> {
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
