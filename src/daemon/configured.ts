import { dirname, resolve } from 'node:path';
import { DaemonConfig } from '../definition/daemon.ts';
import type { EngineSettings } from '../definition/engine.ts';
import type { HttpSettings } from '../definition/http.ts';
import { isTaken } from '../definition/file.ts';
import { loadDaemon } from '../definition/load.ts';
import { problemText } from '../definition/problem.ts';
import { defined } from '../defined.ts';
import type { Queues } from '../engine/bullmq/open-on-server.ts';
import { loadPeer } from '../load-peer.ts';
import { ownVersion } from '../own-package.ts';
import { type FindSecrets, secretsFrom } from '../session/secret-store.ts';
import type { DaemonOptions } from './parts.ts';

/** Prints to standard error why a process cannot start; returns its exit status. */
export function cannotStart(why: string): 1 {
  process.stderr.write(`heronry: ${why}\n`);
  return 1;
}

/** Reads the configuration, by default all defaults. Resolves with `undefined` after printing the problems of the file to standard error. */
export async function configOf(file: string | undefined): Promise<DaemonConfig | undefined> {
  if (file === undefined) return DaemonConfig.parse({});
  if (!isTaken(file)) {
    process.stderr.write(`heronry: ${file}: no such file: expected the configuration there\n`);
    return undefined;
  }
  const loaded = await loadDaemon(file);
  if (loaded.ok) return loaded.value;
  for (const problem of loaded.problems) process.stderr.write(`${problemText(problem)}\n`);
  return undefined;
}

/** Returns the name and `User-Agent` of requests. Without a contact in the configuration, only loopback addresses may be requested. */
export function botOf({ name, contact }: DaemonConfig['bot']): DaemonOptions['bot'] {
  const version = ownVersion();
  const userAgent = contact === undefined ? `${name}/${version}` : `${name}/${version} (+${contact})`;
  return { name, userAgent, onlyLoopback: contact === undefined };
}

/** The folder that paths in the configuration start at. */
export function baseOf({ config }: { readonly config?: string }): string {
  return config === undefined ? process.cwd() : dirname(config);
}

/** Where HTTP is served; the paths of a certificate start at the folder of the configuration. */
export function httpFrom({ tls, ...http }: HttpSettings, base: string): HttpSettings {
  return { ...http, ...(tls && { tls: { cert: resolve(base, tls.cert), key: resolve(base, tls.key) } }) };
}

/** The name of the file of a data folder that holds the key that a daemon and its worker processes share. */
export const clusterKeyName = 'cluster.key';

/** Rejects with a `MissingPeer` where a package is missing that queues need. */
export async function loadQueuePackages(url: EngineSettings['bullmq']['url']): Promise<void> {
  await loadPeer(() => import('bullmq'), 'bullmq');
  // Which server a secret names is known once it is looked up.
  if (typeof url !== 'string') return;
  if (url.startsWith('redis')) await loadPeer(() => import('ioredis'), 'ioredis');
  else await loadPeer(() => import('pg'), 'pg');
}

/** The places in which the secrets of a configuration stand. */
export function secretsOf({ secrets }: DaemonConfig, base: string): FindSecrets {
  return secretsFrom({ environment: process.env, ...defined({ file: secrets && resolve(base, secrets) }) });
}

/**
 * The queues that a configuration names.
 *
 * @param key - that their file holds.
 */
export function queuesOf(
  { url, password, cluster }: Omit<EngineSettings['bullmq'], 'workers'>,
  findSecrets: FindSecrets,
  key: Uint8Array,
): Queues {
  return {
    cluster,
    key,
    async address() {
      const named = typeof url === 'string' ? [] : [url.secret];
      const found = await findSecrets([...named, ...(password === undefined ? [] : [password])]);
      if (!found.ok) throw new Error(found.message);
      const secret = (name: string): string => found.secrets.get(name)?.reveal() ?? '';
      const address = URL.parse(typeof url === 'string' ? url : secret(url.secret));
      if (address === null) throw new Error(`the secret ${named.join()} is no URL`);
      if (password !== undefined) address.password = encodeURIComponent(secret(password));
      return address.href;
    },
  };
}
