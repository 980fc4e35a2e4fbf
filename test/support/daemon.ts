import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Clock, systemClock } from '../../src/clock.ts';
import { type Client, connect } from '../../src/control/client.ts';
import { Event } from '../../src/event/catalogue.ts';
import { openDaemon, type OpenDaemon } from '../../src/daemon/open.ts';
import type { DaemonOptions } from '../../src/daemon/parts.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';

export interface TestDaemonOptions extends Partial<Omit<DaemonOptions, 'sources' | 'clock'>> {
  /** Definition files, by source id. */
  readonly sources: Readonly<Record<string, string>>;
  /** Sink files, by sink id. Default: none. */
  readonly sinks?: Readonly<Record<string, string>>;
  /** Pipeline files, by pipeline id. Default: none. */
  readonly pipelines?: Readonly<Record<string, string>>;
  /** The files of plug-ins, by name. Default: none. */
  readonly plugIns?: Readonly<Record<string, string>>;
  /** Real time by default; a virtual clock for what lies between requests. */
  readonly clock?: Clock;
}

export interface TestDaemon {
  readonly daemon: OpenDaemon;
  readonly client: Client;
  readonly socket: string;
  /** The folder that holds its data, sources and socket. */
  readonly folder: string;
  /** Every event so far, in order. */
  readonly events: readonly Event[];
  /** Resolves with the first event, past or to come, that is wanted. */
  event<E extends Event>(isWanted: (event: Event) => event is E): Promise<E>;
  event(isWanted: (event: Event) => boolean): Promise<Event>;
  /** Writes or replaces a definition file; `source.reload` reads it. */
  define(id: string, yaml: string): Promise<void>;
  /** Ends it in order; resolves when all of it is gone. */
  close(): Promise<void>;
}

/** A daemon in this process, with a folder of its own that goes with the test; reached through its real socket. */
export async function startDaemon(test: TestContext, options: TestDaemonOptions): Promise<TestDaemon> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  await mkdir(join(folder, 'sources'));
  for (const [id, yaml] of Object.entries(options.sources))
    await writeFile(join(folder, 'sources', `${id}.yaml`), yaml);
  for (const kind of ['sinks', 'pipelines'] as const) {
    if (options[kind] !== undefined) await mkdir(join(folder, kind));
    for (const [id, yaml] of Object.entries(options[kind] ?? {}))
      await writeFile(join(folder, kind, `${id}.yaml`), yaml);
  }
  if (options.plugIns !== undefined) await mkdir(join(folder, 'plugins'));
  for (const [name, text] of Object.entries(options.plugIns ?? {}))
    await writeFile(join(folder, 'plugins', name), text);
  try {
    return await startDaemonIn(test, folder, options);
  } finally {
    // Hooks run in this order: the daemon ends before. One that a test starts over the same folder may still write.
    test.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  }
}

/** Starts a daemon as `startDaemon` does, over the folder of one that has ended. */
export async function startDaemonIn(
  test: TestContext,
  folder: string,
  options: Omit<TestDaemonOptions, 'sources' | 'sinks' | 'pipelines' | 'plugIns'>,
): Promise<TestDaemon> {
  const socket = join(folder, 'control.sock');
  const daemon = await openDaemon({
    random: () => 0.5,
    version: '0.0.0',
    settings: { initialDelayMs: 1_000, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'silent' },
    pulseEveryMs: 300_000,
    bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback: true },
    findSecrets: secretsFrom({ environment: {} }),
    threads: 1,
    report: () => undefined,
    warn: () => undefined,
    ...options,
    clock: options.clock ?? systemClock(),
    data: join(folder, 'data'),
    sources: join(folder, 'sources'),
    plugins: join(folder, 'plugins'),
    socket,
  });
  // At once, as a daemon that nobody ends keeps the process of its test.
  const stop = async () => {
    daemon.stop();
    await daemon.ended;
  };
  test.after(stop);
  const client = await connectWhenUp(socket, daemon);
  const events: Event[] = [];
  const waits = new Set<{ isWanted(event: Event): boolean; resolve(event: Event): void }>();
  await client.subscribe({ after: 0 }, (event) => {
    // Whatever a daemon of a test tells is as its type says.
    events.push(Event.parse(event));
    for (const wait of waits) {
      if (!wait.isWanted(event)) continue;
      waits.delete(wait);
      wait.resolve(event);
    }
  });
  const close = async () => {
    client.close();
    await stop();
  };
  test.after(close);
  return {
    daemon,
    client,
    socket,
    folder,
    events,
    event(isWanted: (event: Event) => boolean) {
      const past = events.find(isWanted);
      if (past !== undefined) return Promise.resolve(past);
      const { promise, resolve } = Promise.withResolvers<Event>();
      waits.add({ isWanted, resolve });
      return promise;
    },
    define: (id, yaml) => writeFile(join(folder, 'sources', `${id}.yaml`), yaml),
    close,
  };
}

/** The socket opens in the reconciler's first pass, which the tree does not wait for. */
async function connectWhenUp(socket: string, daemon: OpenDaemon): Promise<Client> {
  for (;;) {
    try {
      return await connect(socket);
    } catch (error) {
      const ended = await Promise.race([daemon.ended, daemon.system.idle()]);
      if (ended !== undefined) throw new Error(`the daemon ended: ${JSON.stringify(ended)}`, { cause: error });
    }
  }
}

/** A definition of pages like those of `productPage`, on loopback and without pauses unless `more` says otherwise. */
export function productSource(id: string, more = ''): string {
  return `id: ${id}
provider: html
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
${more}
records:
  product:
    key: sku
    fields:
      sku: { css: h1, required: true }
      price: { css: .price, type: money }
      state: { css: .state }
finished: { record: product, when: state == "gone" }
`;
}

export function productPage(sku: string, price: string, state = 'live'): string {
  return `<!doctype html><title>${sku}</title><h1>${sku}</h1><p class="price">EUR ${price}</p><p class="state">${state}</p>`;
}
