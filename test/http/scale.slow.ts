import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { daemonFolder } from '../daemon/own-daemon.ts';
import { filledSource, filledSources, fillStore } from '../support/filled-store.ts';
import { slownessOf, workMs } from '../support/slowness.ts';
import { openStreams } from '../support/stream-clients.ts';
import { ask, openStream, type Reading } from './server.ts';
import type { Question, Told } from './scale-program.ts';

const projects = 100_000;
const streams = 200;
/** Each scrape tells three events. */
const [scrapesPerSecond, eventsPerSecond] = [17, 50];
/** Longer than a client may stall. */
const measuredMs = 40_000;
const warmMs = 5_000;
const atMostMs = 200;
/** Events that the stalled client is sent at once: more than the system holds for it. */
const replayed = 40_000;

const paths = [
  '/',
  '/projects',
  '/projects?after=project-5',
  '/projects?q=oject-4711',
  '/projects?q=found+nowhere',
  '/projects?q=source:shop-3',
  '/projects?q=label:client-7+http',
  '/projects?q=state:active',
  '/projects?q=state:held',
  '/projects?q=state:late',
  '/sources/shop-3',
];

const product = { key: 'sku', fields: { sku: { css: 'h1' }, name: { css: '.name' }, price: { css: '.price' } } };

/** A daemon over the filled store, in a process of its own. */
async function startFilled(t: TestContext) {
  const ids = Array.from({ length: filledSources }, (_, number) => `shop-${number}`);
  // JSON is YAML.
  const sources = ids.map((id) => [id, JSON.stringify({ ...filledSource, id, records: { product } })]);
  const folder = await daemonFolder(t, Object.fromEntries(sources));
  await fillStore(folder, { count: projects, hasHistory: true });
  const program = join(import.meta.dirname, 'scale-program.ts');
  const child = fork(program, [folder, `${projects}`], { execArgv: ['--expose-gc'] });
  t.after(() => endOf(child));
  const told = async (): Promise<Told> => ((await once(child, 'message')) as [Told])[0];
  const { port } = await told();
  const send = (question: Question): void => void child.send(question);
  const token = (await readFile(join(folder, 'data', 'http-token'), 'utf8')).trim();
  return {
    port,
    token,
    scrape: (perSecond: number) => send({ type: 'scrape', perSecond }),
    async measure(): Promise<Told> {
      send({ type: 'memory' });
      return told();
    },
    /** How long a page takes, in milliseconds. */
    async load(path: string): Promise<number> {
      const startedAt = performance.now();
      const { status, text } = await ask(port, path, { token });
      assert.equal(status, 200, text);
      return performance.now() - startedAt;
    },
  };
}

async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

/** Loads all pages over and over; resolves with the times of each, sorted. */
async function loadPages(load: (path: string) => Promise<number>, forMs: number) {
  const times = new Map(paths.map((path) => [path, new Array<number>()]));
  const work: number[] = [];
  for (const until = performance.now() + forMs; performance.now() < until;) {
    for (const [path, list] of times) {
      list.push(await load(path));
      work.push(workMs());
      await delay(10);
    }
  }
  for (const list of times.values()) list.sort((one, other) => one - other);
  return { times, slower: slownessOf(work) };
}

/** The ids of the events of a stream until it ends or is cut off, or until there is one. */
async function idsOf({ next }: Reading, until?: number): Promise<number[]> {
  const ids: number[] = [];
  while (until === undefined || ids.at(-1) !== until) {
    const part = await next().catch(ofReset);
    if (part === undefined) break;
    const id = /^id: (\d+)\n(?!event: reset)/.exec(part)?.[1];
    if (id !== undefined) ids.push(Number(id));
  }
  return ids;
}

/** A stream that is cut off may end with a reset. */
function ofReset(error: unknown): undefined {
  assert.equal(error instanceof Error && 'code' in error && error.code, 'ECONNRESET');
}

test(
  'with 100,000 projects, pages are found soon beside 200 streams, memory stays, and a client that stalls loses nothing',
  { timeout: 600_000 },
  async (t) => {
    const { port, token, scrape, measure, load } = await startFilled(t);
    const firsts: string[] = [];
    for (const path of paths) firsts.push(`${path} ${Math.round(await load(path))} ms`);
    t.diagnostic(`first loads: ${firsts.join(', ')}`);

    await using clients = await openStreams({ port, path: '/v1/events', token, count: streams });
    const opened = await measure();
    const after = opened.lastEvent - replayed;
    const authorized = { authorization: `Bearer ${token}` };
    const stalled = await openStream(t, port, `/v1/events?after=${after}`, authorized);
    stalled.response.pause();

    scrape(scrapesPerSecond);
    const startedAt = performance.now();
    await loadPages(load, warmMs);
    const before = await measure();
    const { times, slower } = await loadPages(load, measuredMs);
    const end = await measure();
    const perSecond = (end.lastEvent - opened.lastEvent) / ((performance.now() - startedAt) / 1_000);
    scrape(0);
    await clients.haveRead((end.lastEvent - opened.lastEvent) * streams);

    t.diagnostic(
      `${perSecond.toFixed(1)} events a second, by a core ${slower.toFixed(1)} times slower than the reference`,
    );
    for (const [path, list] of times) {
      const at = (quantile: number) => list[Math.floor(list.length * quantile)] ?? Infinity;
      t.diagnostic(`${path}: ${list.length} times, p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms`);
      assert.ok(at(0.5) < atMostMs * slower, `${path}: p50 ${at(0.5)} ms`);
    }
    assert.ok(perSecond > (0.8 * eventsPerSecond) / slower, `${perSecond} events a second`);

    const megabytes = ({ heapBytes, arrayBytes }: Told) => (heapBytes + arrayBytes) / 1e6;
    t.diagnostic(`${megabytes(before).toFixed(0)} MB, then ${megabytes(end).toFixed(0)} MB`);
    assert.ok(megabytes(end) < 1.1 * megabytes(before) + 10, `from ${megabytes(before)} to ${megabytes(end)} MB`);

    const { lastEvent } = await measure();
    const first = await idsOf(stalled);
    const last = first.at(-1) ?? after;
    assert.ok(last < lastEvent, 'expected the stalled client to be cut off before it had all');
    const resumed = await openStream(t, port, '/v1/events', { ...authorized, 'last-event-id': `${last}` });
    const rest = await idsOf(resumed, lastEvent);
    t.diagnostic(`the stalled client had ${first.length} events, and ${rest.length} once it resumed`);
    assert.deepEqual(
      [...first, ...rest],
      Array.from({ length: lastEvent - after }, (_, index) => after + 1 + index),
    );
  },
);
