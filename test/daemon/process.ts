import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** The program, for a Node that is new enough. */
export const program = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

/** A daemon in a process of its own. */
export interface DaemonProcess {
  readonly child: ChildProcess;
  /** Resolves when its socket is open; rejects when it ends before. */
  readonly up: Promise<void>;
  /** Resolves when it has written something that matches; rejects when it ends before. */
  said(pattern: RegExp): Promise<void>;
  /** Resolves when it has ended: with its exit status, null when it was killed, and all it wrote. */
  readonly ended: Promise<{ readonly status: number | null; readonly output: string }>;
}

/** Where a daemon runs and what it is told of it. */
interface ProcessPlaces {
  readonly data: string;
  readonly sources: string;
  readonly socket: string;
  /** The present folder. Default: that of the test. */
  readonly cwd?: string;
  /** Whether it belongs to no terminal, as a service. Default: as the test. */
  readonly isDetached?: boolean;
}

/** Runs `heronry start`; it ends with the test at the latest. */
export function startProcess(t: TestContext, at: ProcessPlaces): DaemonProcess {
  const words = ['--socket', at.socket, 'start', '--data', at.data, '--sources', at.sources];
  const child = spawn(process.execPath, [program, ...words], {
    cwd: at.cwd,
    detached: at.isDetached,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const waits = new Set<{ readonly pattern: RegExp; resolve(): void; reject(error: Error): void }>();
  const said = (pattern: RegExp): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => undefined);
    waits.add({ pattern, resolve, reject });
    tell();
    return promise;
  };
  let output = '';
  const tell = (): void => waits.forEach(({ pattern, resolve }) => pattern.test(output) && resolve());
  const up = said(/"control#\d+","msg":"started"/);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      tell();
    });
  const ended = once(child, 'close').then(([status]: (number | null)[]) => {
    for (const { reject } of waits) reject(new Error(`it ended with ${status}: ${output}`));
    return { status: status ?? null, output };
  });
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, up, said, ended };
}

/** A folder of the test's own, with definition files in `sources`. */
export async function folderWith(t: TestContext, sources: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  // Its daemon may still be alive, and make files.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  await mkdir(join(folder, 'sources'));
  for (const [id, yaml] of Object.entries(sources)) await writeFile(join(folder, 'sources', `${id}.yaml`), yaml);
  return folder;
}
