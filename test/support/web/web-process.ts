import { extname, join } from 'node:path';
import * as z from 'zod';
import { startProcess, type OwnProcess } from '../../../src/process/own-process.ts';

/** How a web is opened in a process of its own. */
export interface WebProcessOptions {
  /** Default 1. */
  readonly seed?: number;
  /** How many loopback addresses answer besides 127.0.0.1; default none. */
  readonly hosts?: number;
  /** Milliseconds since the epoch; default the present. */
  readonly openedAt?: number;
}

/** A test web in a process of its own. */
export interface WebProcess {
  readonly process: OwnProcess;
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
}

const Announcement = z.object({ port: z.int() });

/** Opens a web in a child process and waits until it listens; the caller stops the process, which ends with this one at the latest. */
export async function startWebProcess({ seed = 1, hosts = 0, openedAt }: WebProcessOptions = {}): Promise<WebProcess> {
  const file = join(import.meta.dirname, `main${extname(import.meta.filename)}`);
  const opened = openedAt === undefined ? [] : ['--opened-at', String(openedAt)];
  const process = await startProcess(file, ['--seed', String(seed), '--hosts', String(hosts), ...opened]);
  const { port } = Announcement.parse(JSON.parse(await process.firstLine));
  return { process, port, origin: `http://127.0.0.1:${port}` };
}
