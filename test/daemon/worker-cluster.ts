import { mkdir, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../src/control/client.ts';
import type { WorkerView } from '../../src/control/methods/worker.ts';
import type { Event, EventOf } from '../../src/event/catalogue.ts';
import type { OwnProcess } from '../../src/process/own-process.ts';
import { productPage } from '../support/daemon.ts';
import { type Ending, suiteEnd } from '../support/servers/own-server.ts';
import { noPostgresql, openPostgresql, postgresqlUrl } from '../support/servers/postgresql.ts';
import { noRedis, openRedis } from '../support/servers/redis.ts';
import { openSite } from '../support/site.ts';
import { daemonFolder, type OwnDaemon, startBeside, startOwnDaemon } from './own-daemon.ts';
import { answerWith } from './tracking.ts';

/** The servers of queues: what each is called, why its tests cannot run here, and how one is had, of which `open` starts one that can be ended. */
export const queueServers = [
  { what: 'Redis', skip: noRedis, start: async (end: Ending) => (await openRedis(end)).url, open: openRedis },
  { what: 'PostgreSQL', skip: noPostgresql, start: postgresqlUrl, open: openPostgresql },
] as const;

/** The files of a daemon. */
export interface ClusterFiles {
  /** Definition files, by source id. */
  readonly sources: Readonly<Record<string, string>>;
  /** The files of plug-ins, by name. Default: none. */
  readonly plugIns?: Readonly<Record<string, string>>;
  /** More keys of `heronry.yaml`. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** What its `engine` says of worker processes. Default: nothing. */
  readonly workers?: Readonly<Record<string, unknown>>;
}

/** A worker process that a test has started. */
export interface StartedWorker {
  readonly process: OwnProcess;
  readonly id: string;
}

/** A daemon in a process of its own whose steps worker processes run. */
export interface Cluster {
  readonly daemon: OwnDaemon;
  readonly client: Client;
  /** The control socket of the daemon. */
  readonly socket: string;
  /** Ends the daemon in order, and starts the next one over the same files, which the rest of the cluster knows nothing of. */
  restart(): Promise<OwnDaemon>;
  /** Starts a worker process that ends with a test or a suite, run by `heronry` or another program; resolves when the daemon has heard of it. */
  work(end: Ending, concurrency: number, program?: string): Promise<StartedWorker>;
  /** Resolves with a worker process once it is as it is wanted. */
  worker(pid: number, isWanted?: (worker: WorkerView) => boolean): Promise<WorkerView>;
  /** Adds a project with one target of a source for each address, all at once. Their ids begin with a word. */
  track(word: string, source: string, urls: readonly string[]): Promise<void>;
  /** Resolves once so many scrapes of projects whose ids begin with a word have ended; rejects where one has failed. */
  completed(word: string, count: number): Promise<void>;
  /** Resolves with the event by which the first scrape of such projects failed. */
  failed(word: string): Promise<EventOf<'scrape.failed'>>;
}

/** Starts a daemon over its files; it goes with a test or a suite, before the server of its queues. */
export async function openCluster(
  end: Ending,
  startServer: (end: Ending) => Promise<string>,
  { sources, plugIns = {}, settings = {}, workers = {} }: ClusterFiles,
): Promise<Cluster> {
  const folder = await daemonFolder(end, sources);
  await mkdir(join(folder, 'plugins'));
  for (const [name, text] of Object.entries(plugIns)) await writeFile(join(folder, 'plugins', name), text);
  const config = join(folder, 'heronry.yaml');
  const engine = { bullmq: { url: await startServer(end), key: join(folder, 'cluster.key'), workers } };
  await writeFile(config, JSON.stringify({ data: 'data', scrape: { initialDelay: '1ms' }, engine, ...settings }));
  const daemon = await startOwnDaemon(folder, ['--config', config]);
  const { client } = daemon;
  const ends: Event[] = [];
  const endsOf = (word: string): Event[] =>
    ends.filter(({ projects }) => projects?.[0]?.startsWith(`${word}-`) === true);
  let more = Promise.withResolvers<void>();
  await client.subscribe({ types: ['scrape.completed', 'scrape.failed'] }, (event) => {
    ends.push(event);
    more.resolve();
    more = Promise.withResolvers();
  });
  const worker: Cluster['worker'] = async (pid, isWanted = ({ online }) => online) => {
    for (;;) {
      const { workers } = await client.call('worker.list', {});
      const found = workers.find((each) => each.pid === pid);
      if (found !== undefined && isWanted(found)) return found;
      await delay(20);
    }
  };
  return {
    daemon,
    client,
    socket: join(folder, 'socket'),
    worker,
    async restart() {
      client.close();
      await daemon.process.stop();
      return startOwnDaemon(folder, ['--config', config]);
    },
    async work(ending, concurrency, program) {
      const words = ['worker', '--config', config, '--concurrency', `${concurrency}`];
      const started = await startBeside(folder, words, program);
      ending.after(() => started.stop());
      return { process: started, id: (await worker(started.pid)).id };
    },
    async track(word, source, urls) {
      await Promise.all(
        urls.map((url, index) => client.call('project.add', { id: `${word}-${index}`, targets: [{ source, url }] })),
      );
    },
    async completed(word, count) {
      for (;;) {
        const found = endsOf(word);
        const failed = found.find(isFailure);
        if (failed !== undefined) throw new Error(`a scrape failed: ${JSON.stringify(failed)}`);
        if (found.length >= count) return;
        await more.promise;
      }
    },
    async failed(word) {
      for (;;) {
        const found = endsOf(word).find(isFailure);
        if (found !== undefined) return found;
        await more.promise;
      }
    },
  };
}

function isFailure(event: Event): event is EventOf<'scrape.failed'> {
  return event.type === 'scrape.failed';
}

/** Runs a suite for each server of queues, with one daemon that its tests share. */
export function forEachQueueServer(
  what: string,
  files: ClusterFiles,
  suite: (cluster: () => Promise<Cluster>) => void,
): void {
  for (const { what: server, skip, start } of queueServers)
    describe(`${what} ${server}`, { skip }, () => {
      const end = suiteEnd();
      let opened: Promise<Cluster> | undefined;
      suite(() => (opened ??= openCluster(end, start, files)));
    });
}

/** Pages that are answered when a test wants it. */
export interface HeldPages {
  readonly urls: readonly string[];
  /** The numbers of the pages that were asked for, in order, and when each request came, in ms. */
  readonly asked: readonly number[];
  readonly cameAt: readonly number[];
  /** The requests that wait for their answers, and the most of them at a time since `mostOpen` was last set. */
  readonly open: number;
  mostOpen: number;
  /** The time from the first request to the last answer, in ms. */
  readonly tookMs: number;
  /** Resolves when so many requests have come in all. */
  came(count: number): Promise<void>;
  /** Answers the request that has waited longest. */
  answerOne(): void;
  /** Answers one after the other until each page was answered once, each when so many wait or no more can come. */
  answerInTurn(atATime: number): Promise<void>;
  /** Answers all that wait, and all that come, after so many ms each. */
  answerAll(afterMs?: number): void;
}

/** Opens a site with so many pages of a product each; it goes with the test. */
export async function openHeldPages(t: TestContext, count: number): Promise<HeldPages> {
  const site = await openSite(t);
  const open: { readonly page: string; readonly response: ServerResponse }[] = [];
  const asked: number[] = [];
  let more = Promise.withResolvers<void>();
  let answersAfterMs: number | undefined;
  const cameAt: number[] = [];
  let lastAnsweredAt = -Infinity;
  const answer = (each: (typeof open)[number]): void => {
    open.splice(open.indexOf(each), 1);
    answerWith(each.page, each.response);
    lastAnsweredAt = performance.now();
  };
  const answerIn = (ms: number, each: (typeof open)[number]): void => {
    if (ms === 0) answer(each);
    else setTimeout(() => answer(each), ms);
  };
  const pages: HeldPages = {
    urls: Array.from({ length: count }, (_, index) => site.url(`/${index}`)),
    asked,
    cameAt,
    mostOpen: 0,
    get open() {
      return open.length;
    },
    get tookMs() {
      return lastAnsweredAt - (cameAt[0] ?? Infinity);
    },
    async came(wanted) {
      while (asked.length < wanted) await more.promise;
    },
    async answerInTurn(atATime) {
      for (let answered = asked.length - open.length; answered < count; answered += 1) {
        await pages.came(Math.min(count, answered + atATime));
        pages.answerOne();
      }
    },
    answerOne() {
      const [first] = open;
      if (first === undefined) throw new Error('expected a request that waits');
      answer(first);
    },
    answerAll(afterMs = 0) {
      answersAfterMs = afterMs;
      for (const each of [...open]) answerIn(afterMs, each);
    },
  };
  for (let index = 0; index < count; index += 1)
    site.answer(`/${index}`, (_, response) => {
      const each = { page: productPage(`page ${index}`, '1'), response };
      cameAt.push(performance.now());
      open.push(each);
      asked.push(index);
      pages.mostOpen = Math.max(pages.mostOpen, open.length);
      if (answersAfterMs !== undefined) answerIn(answersAfterMs, each);
      more.resolve();
      more = Promise.withResolvers();
    });
  return pages;
}
