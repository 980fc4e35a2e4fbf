/**
 * Question: what does a change of a record cost, and what does it take to read many of them? Scrapes of 200 targets commit at once, each with
 * one record, which has changed or not. All writes of such a run are recorded, by transaction; then the same rows go under the same keys, in transactions of
 * the same sizes, through the store and through bare lmdb. `kept` is what the tables grow by, free pages left out; `written` is what the process hands to
 * the system. Then a store with a million changes of 1,000 records is read: the series of one field, the last day of a project, all events; and
 * the series once more when all changes are sealed, as old ones are.
 *
 * Goals: 0.6 of the bare commits; 500 bytes kept of a change, 100 of a scrape without one, all tables taken together; 20 ms for a series.
 *
 * Run with `node bench/history.bench.ts [--json] [--quick]`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import { type Key, open } from 'lmdb';
import type { RecordDraft } from '../src/extract/draft.ts';
import { commitStep } from '../src/store/commit.ts';
import { type Encoding, type Environment, openEnvironment } from '../src/store/lmdb/environment.ts';
import { changeLists } from '../src/control/handlers/change-lists.ts';
import { newestChanges } from '../src/store/newest-changes.ts';
import { addProject } from '../src/store/projects.ts';
import { beginScrape } from '../src/store/scrapes.ts';
import type { Scheduling } from '../src/schedule/scheduling.ts';
import { type Store, storeIn } from '../src/store/store.ts';
import { pageDigest } from '../src/vault/entry.ts';
import { isQuick, show } from './show.ts';
import { median, rounded } from './statistics.ts';

const hourMs = 3_600_000;
const rounds = isQuick ? 1 : 3;
const targets = 200;
/** Scrapes of each target in a run. */
const scrapesEach = isQuick ? 10 : 50;
const records = 1_000;
const changes = isQuick ? 20_000 : 1_000_000;

const scheduling: Scheduling = {
  first: ({ target }, { at }) => rowOf(target, at + 1_000),
  next: ({ target }, { dueAt = 0 }) => rowOf(target, dueAt + hourMs),
  verified: (_target, row) => ({ row, events: [] }),
  isKept: () => false,
  endsAt: () => undefined,
};

function rowOf(target: number, dueAt: number): ReturnType<Scheduling['first']> {
  const grid = { originAt: 0, everyMs: hourMs, slot: target, phaseMs: target, key: 'https://shop.test' };
  return { target, dueAt, since: dueAt - hourMs, pace: { kind: 'interval', grid } };
}

interface Opened {
  readonly store: Store;
  readonly clock: { now: number };
}

async function openIn(environment: Environment, count: number): Promise<Opened> {
  const clock = { now: 1_700_000_000_000 };
  const store = await storeIn(environment, { now: () => (clock.now += 1), scheduling });
  const places = Array.from({ length: count }, (_, place) => ({ source: 'shop', url: urlOf(place + 1) }));
  await addProject(store, { id: 'solar', name: 'solar', labels: [], multiplier: 1, targets: places });
  return { store, clock };
}

function urlOf(target: number): string {
  return `https://shop.test/products/${target}`;
}

function draftOf(number: number, price: number): RecordDraft {
  const fields = {
    title: `Solar backpack, model ${number}`,
    url: urlOf(number),
    price: { amount: `${price}.90`, currency: 'EUR' },
    rating: 4.5,
    stock: 7,
  };
  return { type: 'product', key: `product-${number}`, fields };
}

async function scrape({ store, clock }: Opened, target: number, drafts: readonly RecordDraft[]): Promise<void> {
  const begun = await beginScrape(store, target, '1f6ad2a9c6e1', { inMemory: true });
  if (!begun.ok) throw new Error(`target ${target} did not begin`);
  const { now: at } = clock;
  const log = { url: urlOf(target), at, elapsedMs: 180, bytes: 48_213, status: 200, absent: [], unparsed: [] };
  const close = { status: 'complete', finished: false } as const;
  const digest = pageDigest(Buffer.from(`${target} ${at}`));
  const ops = { observedAt: at, drafts, digest, log, close };
  const { outcome } = await commitStep(store, { ...begun.fence, step: 1 }, ops);
  if (outcome !== 'committed') throw new Error(`target ${target} is ${outcome}`);
}

/** Scrapes all targets at once, several times. */
async function scrapeAll(opened: Opened, times: number, priceOf: (round: number) => number): Promise<void> {
  for (let round = 1; round <= times; round += 1) {
    opened.clock.now += hourMs;
    await Promise.all(
      Array.from({ length: targets }, (_, place) => scrape(opened, place + 1, [draftOf(place + 1, priceOf(round))])),
    );
  }
}

async function inFolder<T>(run: (path: string) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
  try {
    return await run(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Bytes that this process has handed to the system for writing. */
function written(): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

type Sizes = ReadonlyMap<string, number>;

/** The bytes of the pages that each table has. */
function sizesOf(environment: Environment, names: Iterable<string>): Sizes {
  interface Pages {
    readonly pageSize: number;
    readonly treeBranchPageCount: number;
    readonly treeLeafPageCount: number;
    readonly overflowPages: number;
  }
  return new Map(
    Array.from(names, (name) => {
      const pages = environment.database(name).getStats() as Pages;
      const count = pages.treeBranchPageCount + pages.treeLeafPageCount + pages.overflowPages;
      return [name, count * pages.pageSize];
    }),
  );
}

interface Write {
  readonly table: string;
  readonly key: Key;
  /** Missing for a row that is removed. */
  readonly row?: unknown;
}

interface Recorded {
  /** How each table stores its rows. */
  readonly encodings: ReadonlyMap<string, Encoding>;
  readonly transactions: readonly (readonly Write[])[];
  /** Bytes by which each table grew. */
  readonly grown: Sizes;
}

/** All that a run writes, by transaction. */
function record(times: number, priceOf: (round: number) => number): Promise<Recorded> {
  return inFolder(async (path) => {
    const encodings = new Map<string, Encoding>();
    let transactions: Write[][] = [];
    let current: Write[] = [];
    const environment = openEnvironment({ path });
    const opened = await openIn(
      {
        ...environment,
        database(name, encoding) {
          encodings.set(name, encoding ?? encodings.get(name) ?? 'json');
          return recording(environment, name, (write) => current.push(write), encoding);
        },
      },
      targets,
    );
    environment.onLastChange(() => {
      transactions.push(current);
      current = [];
    });
    await scrapeAll(opened, 1, () => 0);
    [transactions, current] = [[], []];
    const before = sizesOf(environment, encodings.keys());
    await scrapeAll(opened, times, priceOf);
    const after = sizesOf(environment, encodings.keys());
    const done = transactions;
    await opened.store.close();
    return {
      transactions: done,
      encodings,
      grown: new Map(Array.from(after, ([name, size]) => [name, size - (before.get(name) ?? 0)])),
    };
  });
}

function recording<V>(environment: Environment, table: string, note: (write: Write) => void, encoding?: Encoding) {
  const database = environment.database<V>(table, encoding);
  const { putSync, removeSync } = database;
  return Object.assign(database, {
    putSync(key: Key, value: V, options: object = {}) {
      note({ table, key, row: value });
      return Reflect.apply(putSync, database, [key, value, options]) as unknown;
    },
    removeSync(key: Key) {
      note({ table, key });
      return Reflect.apply(removeSync, database, [key]) as unknown;
    },
  });
}

interface Cost {
  readonly seconds: number;
  readonly bytes: number;
}

async function costOf(run: () => Promise<void>): Promise<Cost> {
  const [startedAt, before] = [performance.now(), written()];
  await run();
  return { seconds: (performance.now() - startedAt) / 1_000, bytes: written() - before };
}

function throughStore(times: number, priceOf: (round: number) => number): Promise<Cost> {
  return inFolder(async (path) => {
    const opened = await openIn(openEnvironment({ path }), targets);
    await scrapeAll(opened, 1, () => 0);
    const cost = await costOf(() => scrapeAll(opened, times, priceOf));
    await opened.store.close();
    return cost;
  });
}

/** The same rows under the same keys, in transactions of the same sizes, of which one is begun when the one before is committed. */
function throughLmdb({ transactions, encodings }: Recorded): Promise<Cost> {
  return inFolder(async (path) => {
    const root = open({ path, noSubdir: false, maxDbs: 128, encoding: 'json', eventTurnBatching: false });
    const databases = new Map(
      Array.from(encodings, ([name, encoding]) => [name, root.openDB<unknown>({ name, encoding })]),
    );
    const cost = await costOf(async () => {
      for (const writes of transactions)
        await root.transaction(() => {
          for (const { table, key, row } of writes) {
            const database = databases.get(table);
            if (row === undefined) database?.removeSync(key);
            else database?.putSync(key, row);
          }
        });
    });
    await root.close();
    return cost;
  });
}

async function compare(name: string, priceOf: (round: number) => number) {
  const commits = targets * scrapesEach;
  const recorded = await record(scrapesEach, priceOf);
  const measured: { readonly store: Cost; readonly bare: Cost }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const costs = { store: await throughStore(scrapesEach, priceOf), bare: await throughLmdb(recorded) };
    // The first round is for the compiler.
    if (round > 0) measured.push(costs);
  }
  const kept = (...names: readonly string[]): number =>
    Math.round(names.reduce((sum, table) => sum + (recorded.grown.get(table) ?? 0), 0) / commits);
  const { transactions } = recorded;
  return {
    figure: name,
    commits,
    perTransaction: rounded(commits / transactions.filter((writes) => writes.length > 0).length, 1),
    perSecond: Math.round(commits / median(measured.map(({ store }) => store.seconds))),
    barePerSecond: Math.round(commits / median(measured.map(({ bare }) => bare.seconds))),
    ratio: rounded(median(measured.map(({ store, bare }) => bare.seconds / store.seconds))),
    goal: 0.6,
    writtenEach: Math.round(median(measured.map(({ store }) => store.bytes)) / commits),
    bareWrittenEach: Math.round(median(measured.map(({ bare }) => bare.bytes)) / commits),
    keptEach: kept(...recorded.grown.keys()),
    keptHistory: kept('history'),
    keptEvents: kept('events'),
    keptScrapes: kept('scrapes', 'scrapes.newest', 'scrapes.by_target', 'steps'),
    keptWaste: kept('waste'),
  };
}

/** Seals all changes but a few of each record. */
async function sealAll(store: Store): Promise<void> {
  const { history, write } = store;
  const end = { at: Infinity, serial: 0 };
  const record = (number: number): Promise<void> => write(() => history.seal(number, end));
  for (let number = 1; number <= records; number += 1) while (history.canSeal(number, end)) await record(number);
}

async function timed(run: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

/** The processor time of this thread, in milliseconds: what other programs take is no part of it. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The times of reading a store with many changes, in milliseconds; the longest that the event loop was held meanwhile. */
function read(): Promise<Record<string, string | number>> {
  return inFolder(async (path) => {
    const environment = openEnvironment({ path });
    const opened = await openIn(environment, records / 100);
    const { store, clock } = opened;
    for (let round = 0; round < changes / records; round += 1) {
      clock.now += hourMs;
      await Promise.all(
        Array.from({ length: records / 100 }, (_, place) => {
          const drafts = Array.from({ length: 100 }, (__, index) => draftOf(place * 100 + index, round));
          return scrape(opened, place + 1, drafts);
        }),
      );
    }
    const all = Array.from({ length: records / 100 }, (_, place) => place + 1);
    const since = clock.now - 24 * hourMs;
    const series = (): unknown => [...store.history.ofRecord(500, { field: 'price' })].length;
    const list = changeLists(() => store);
    const lastDay = async (): Promise<void> => {
      let before: Awaited<ReturnType<typeof newestChanges>>['next'];
      do {
        before = (await list(all, { limit: 1_000, since }, before)).next;
        // Each slice is a call of its own.
        await setImmediate();
      } while (before !== undefined);
    };
    const firstPage = () => newestChanges(store, all, { limit: 100 });
    let longest = 0;
    let lastTurn = cpuMs();
    const watch = setInterval(() => {
      longest = Math.max(longest, cpuMs() - lastTurn);
      lastTurn = cpuMs();
    });
    const times: Record<string, number[]> = { series: [], firstPage: [], lastDay: [], sealedSeries: [] };
    for (let round = 0; round <= rounds; round += 1) {
      times['series']?.push(await timed(series));
      lastTurn = cpuMs();
      times['firstPage']?.push(await timed(firstPage));
      times['lastDay']?.push(await timed(lastDay));
    }
    clearInterval(watch);
    const events = await timed(() => {
      for (let after = 0; after < store.events.last(); after += 100)
        for (const _ of store.events.rows({ after, limit: 100 }));
    });
    const count = store.events.last();
    const grown = sizesOf(environment, ['history', 'events']);
    await sealAll(store);
    const sealed = sizesOf(environment, ['history', 'history.sealed']);
    for (let round = 0; round <= rounds; round += 1) times['sealedSeries']?.push(await timed(series));
    await store.close();
    const middle = (name: string): number => rounded(median(times[name] ?? []), 1);
    return {
      figure: `${changes.toLocaleString('en')} changes of ${records.toLocaleString('en')} records`,
      seriesMs: middle('series'),
      seriesGoalMs: 20,
      newest100Ms: middle('firstPage'),
      lastDayMs: middle('lastDay'),
      lastDayChanges: 24 * records,
      loopHeldMs: rounded(longest, 1),
      eventsPerSecond: Math.round((count / events) * 1_000),
      historyEach: Math.round((grown.get('history') ?? 0) / changes),
      eventEach: Math.round((grown.get('events') ?? 0) / count),
      sealedEach: Math.round([...sealed.values()].reduce((sum, size) => sum + size, 0) / changes),
      sealedSeriesMs: middle('sealedSeries'),
    };
  });
}

show('history', [
  await compare('one change a scrape', (round) => round),
  await compare('no change', () => 0),
  await read(),
]);
