import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ending, findProgram, freePort, missingServer, type OwnServer, startServer } from './own-server.ts';

const program = findProgram('redis-server');

/** Why tests with Redis cannot run here; `false` when they can. */
export const noRedis = missingServer('redis-server', program !== undefined);

/** A Redis of the test's own, on loopback, which keeps over a restart what it has acknowledged. */
export interface TestRedis {
  readonly url: string;
  /** Ends it, in order or as a crash. */
  end(how?: 'in order' | 'at once'): Promise<void>;
  /** Starts it again at the same place. */
  start(): Promise<void>;
}

/** Starts a Redis; it goes with the test or the suite. */
export async function openRedis(t: Ending): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-redis-'));
  const port = await freePort();
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  let server: OwnServer | undefined;
  const end = async (how: 'in order' | 'at once' = 'at once'): Promise<void> => {
    const running = server;
    server = undefined;
    await running?.end(how === 'in order' ? 'SIGTERM' : 'SIGKILL');
  };
  const start = async (): Promise<void> => {
    const command = [program ?? 'redis-server', ...settings, '--appendfsync', 'always'];
    server = await startServer({ command, cwd: folder, isUp: /Ready to accept connections/ });
  };
  t.after(async () => {
    await end();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await start();
  return { url: `redis://127.0.0.1:${port}`, end, start };
}
