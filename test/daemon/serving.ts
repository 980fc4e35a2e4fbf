import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ask, type Answer, type Sent } from '../http/server.ts';
import {
  productSource,
  startDaemon,
  startDaemonIn,
  type TestDaemon,
  type TestDaemonOptions,
} from '../support/daemon.ts';

/** A daemon that serves HTTP, and the token of its file. */
export interface ServingDaemon extends TestDaemon {
  readonly port: number;
  /** The file of the token. */
  readonly file: string;
  readonly token: string;
  ask(path: string, sent?: Sent): Promise<Answer>;
}

/** Starts a daemon with a source `shop`, or over the folder of one that has ended. */
export async function startServing(
  t: TestContext,
  { folder, ...given }: Partial<TestDaemonOptions> & { readonly folder?: string } = {},
): Promise<ServingDaemon> {
  const { promise: listening, resolve: httpListens } = Promise.withResolvers<number>();
  const options = { http: { port: 0, readOnly: false }, httpListens, threads: 1, ...given };
  const served =
    folder === undefined
      ? await startDaemon(t, { sources: { shop: productSource('shop') }, ...options })
      : await startDaemonIn(t, folder, options);
  const port = await listening;
  const file = join(served.folder, 'data', 'http-token');
  const token = (await readFile(file, 'utf8')).trim();
  return {
    ...served,
    port,
    file,
    token,
    ask: (path: string, sent: Sent = {}) => ask(port, path, { token, ...sent }),
  };
}
