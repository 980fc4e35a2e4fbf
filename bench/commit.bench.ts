/**
 * Question: what does a commit cost over bare lmdb? Scrapes commit their steps at once: of 400 targets, each step with two records
 * of which one has changed; and of one crawl 64 pages wide, each page with one new record and its place in the frontier. Every
 * write of such a run is recorded, key and row; then the same writes go, round by round, through the store and through bare
 * asynchronous puts of the same bytes. What counts is the ratio of the rates: `ratio` to a stream that encodes its rows as the
 * store must, `ratioToEncoded` to one that was given its bytes ready.
 *
 * Goal: 0.6 of the bare encoded puts for a crawl; stretch 0.8.
 *
 * Run with `node bench/commit.bench.ts [--json] [--quick]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Key, open } from 'lmdb';
import type { RecordDraft } from '../src/extract/draft.ts';
import { requestKey } from '../src/frontier/canonical.ts';
import { commitStep } from '../src/store/commit.ts';
import { type Encoding, type Environment, openEnvironment } from '../src/store/lmdb/environment.ts';
import { addProject } from '../src/store/projects.ts';
import type { CommitResult, Fence, StepOps } from '../src/store/ops.ts';
import { beginScrape } from '../src/store/scrapes.ts';
import type { Scheduling } from '../src/schedule/scheduling.ts';
import { type Store, storeIn } from '../src/store/store.ts';
import type { FrontierPlace } from '../src/store/tables/frontier.ts';
import { isQuick, show } from './show.ts';
import { median, rounded } from './statistics.ts';

const inFlight = 4_096;
const rounds = isQuick ? 1 : 5;

/** Commits that a bench makes, so many at once. */
interface Shape {
  readonly name: string;
  readonly lanes: number;
  readonly commits: number;
  readonly goals: readonly [string | number, string | number];
  /** Brings a store to where the commits can be made; the result makes the one of a number, from 0, after all of its lane before it. */
  prepare(store: Store): Promise<(commit: number) => Promise<CommitResult>>;
}

/** Commits, of ten writes each, that wait at once; about as many writes as the bare stream lets wait. */
const stepsEach = 20;
const scrapes: Shape = {
  name: 'scrapes of 400 targets',
  lanes: 400,
  commits: 400 * stepsEach,
  goals: ['', ''],
  async prepare(store) {
    const fences = await beginScrapes(store, this.lanes);
    return (commit) => {
      const fence = fences[commit % this.lanes];
      const step = Math.floor(commit / this.lanes) + 1;
      return commitStep(store, { ...begun(fence), step }, opsOf({ ...begun(fence), step }));
    };
  },
};

const crawl: Shape = {
  name: 'a crawl, 64 pages wide',
  lanes: 64,
  commits: 4_096,
  goals: [0.6, 0.8],
  async prepare(store) {
    const [fence] = await beginScrapes(store, 1);
    const add = Array.from({ length: this.commits }, (_, index) => ({
      ...placeAt(index),
      key: requestKey({ url: placeAt(index).url }),
    }));
    const begin = { version: 'v1', firstScrape: begun(fence).scrape, startedAt: 0, maxPages: 10_000 };
    const [first, ...more] = add;
    const starts = first === undefined ? [] : [first];
    await commitStep(store, { ...begun(fence), step: 1 }, { ...pageOps(0, []), crawl: { begin, add: starts } });
    await commitStep(store, { ...begun(fence), step: 2 }, { ...pageOps(0, []), crawl: { add: more } });
    return (commit) => {
      const place = { ...placeAt(commit), seq: commit + 1 };
      const tally = { records: 1, newRecords: 1, status: { '2xx': 1 }, bytes: 5_000 };
      const ops = { ...pageOps(commit, [productOf(commit)]), crawl: { done: place, read: place, add: [], tally } };
      return commitStep(store, { ...begun(fence), step: commit + 3 }, ops);
    };
  },
};

interface Write {
  readonly table: string;
  readonly encoding: Encoding;
  readonly key: Key;
  /** Missing for a row that is removed. */
  readonly row?: unknown;
}

const scheduling: Scheduling = {
  first: ({ target }, { at, neighbours }) =>
    row(target, at + 1_000, neighbours.freeSlot('https://shop.test', 3_600_000)),
  next: ({ target }, { dueAt = 0, pace }) =>
    row(target, dueAt + 3_600_000, pace.kind === 'interval' ? pace.grid.slot : 0),
  verified: (_target, row) => ({ row, events: [] }),
  isKept: () => false,
  endsAt: () => undefined,
};

function row(target: number, dueAt: number, slot: number): ReturnType<Scheduling['first']> {
  const grid = { originAt: 0, everyMs: 3_600_000, slot, phaseMs: slot, key: 'https://shop.test' };
  return { target, dueAt, since: dueAt - 3_600_000, pace: { kind: 'interval', grid } };
}

function opsOf({ target, step }: Fence): StepOps {
  const observedAt = 1_700_000_000_000 + step;
  const url = `https://shop.test/products/${target}?page=${step}`;
  const fields = {
    title: `Solar backpack, model ${target}`,
    url,
    price: { amount: '129.90', currency: 'EUR' },
    rating: 4.5,
    stock: step,
  };
  const close = { status: 'complete', finished: false } as const;
  return {
    observedAt,
    drafts: [
      { type: 'product', key: `product-${target}`, fields },
      { type: 'seller', key: `seller-${target}`, fields: { name: 'Helios', country: 'PT', since: '2019-04-01' } },
    ],
    log: { url, at: observedAt, elapsedMs: 180, bytes: 48_213, status: 200, absent: [], unparsed: [] },
    ...(step === stepsEach && { close }),
  };
}

function placeAt(index: number): Omit<FrontierPlace, 'seq'> {
  return { url: `https://shop.test/p/${index}.html`, depth: 1, kind: 'detail' };
}

function productOf(index: number): RecordDraft {
  const fields = {
    title: `Solar backpack no. ${index}`,
    price: `€ ${index % 900}.90`,
    sku: `SKU-${index}`,
    brand: 'Ardea',
    rating: '4.5',
    stock: 'In stock',
    image: `https://shop.test/media/${index}/front.jpg`,
    weight: '3.2 kg',
  };
  return { type: 'product', key: fields.sku, fields };
}

function pageOps(index: number, drafts: readonly RecordDraft[]): StepOps {
  const observedAt = 1_700_000_000_000 + index;
  const { url } = placeAt(index);
  const log = { url, at: observedAt, elapsedMs: 18, bytes: 5_000, status: 200, absent: [], unparsed: [] };
  return { observedAt, drafts, log };
}

type Begun = Omit<Fence, 'step'>;

function begun(fence: Begun | undefined): Begun {
  if (fence === undefined) throw new Error('a scrape did not begin');
  return fence;
}

/** Begins a scrape of each of so many targets. */
async function beginScrapes(store: Store, count: number): Promise<Begun[]> {
  const targets = Array.from({ length: count }, (_, place) => ({ source: 'shop', url: `https://shop.test/${place}` }));
  await addProject(store, { id: 'bench', name: 'bench', labels: [], multiplier: 1, targets });
  const results = await Promise.all(targets.map((_, place) => beginScrape(store, place + 1, 'v1')));
  return results.flatMap((result) => (result.ok ? [result.fence] : []));
}

interface Prepared {
  readonly store: Store;
  commitAll(): Promise<void>;
}

async function prepare(shape: Shape, environment: Environment): Promise<Prepared> {
  let at = 1_700_000_000_000;
  const store = await storeIn(environment, { now: () => (at += 1), scheduling });
  const commit = await shape.prepare(store);
  return {
    store,
    async commitAll() {
      const lane = async (first: number): Promise<void> => {
        for (let number = first; number < shape.commits; number += shape.lanes) {
          const { outcome } = await commit(number);
          if (outcome !== 'committed') throw new Error(`commit ${number} is ${outcome}`);
        }
      };
      await Promise.all(Array.from({ length: shape.lanes }, (_, first) => lane(first)));
    },
  };
}

async function inFolder<T>(run: (path: string) => Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
  try {
    return await run(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** All that the commits of one run write, and in which tables. */
function record(shape: Shape): Promise<Write[]> {
  return inFolder(async (path) => {
    let writes: Write[] = [];
    const environment = openEnvironment({ path });
    const { store, commitAll } = await prepare(shape, {
      ...environment,
      database: (name, encoding) => recording(environment, name, (write) => writes.push(write), encoding),
    });
    writes = [];
    await commitAll();
    await store.close();
    return writes;
  });
}

function recording<V>(
  environment: Environment,
  table: string,
  note: (write: Write) => void,
  encoding: Encoding = 'json',
): ReturnType<typeof environment.database<V>> {
  const database = environment.database<V>(table, encoding);
  const { putSync, removeSync } = database;
  return Object.assign(database, {
    putSync(key: Key, value: V, options: object = {}) {
      note({ table, encoding, key, row: value });
      return Reflect.apply(putSync, database, [key, value, options]) as unknown;
    },
    removeSync(key: Key) {
      note({ table, encoding, key });
      return Reflect.apply(removeSync, database, [key]) as unknown;
    },
  });
}

/** Seconds that the store takes for the commits. */
function storeSeconds(shape: Shape): Promise<number> {
  return inFolder(async (path) => {
    const { store, commitAll } = await prepare(shape, openEnvironment({ path }));
    const startedAt = performance.now();
    await commitAll();
    const seconds = (performance.now() - startedAt) / 1_000;
    await store.close();
    return seconds;
  });
}

/** Seconds that bare lmdb takes for the same writes: asynchronous puts, the loop breathing every 64, flushed at the end. */
function bareSeconds(writes: readonly Write[], encoding?: 'binary'): Promise<number> {
  return inFolder(async (path) => {
    const root = open({ path, noSubdir: false, maxDbs: 128 });
    const encodings = new Map(writes.map((write) => [write.table, encoding ?? write.encoding]));
    const databases = new Map(
      Array.from(encodings, ([name, encoding]) => [name, root.openDB<unknown>({ name, encoding })]),
    );
    const startedAt = performance.now();
    let last: Promise<boolean> | undefined;
    for (const [index, { table, key, row }] of writes.entries()) {
      const database = databases.get(table);
      last = row === undefined ? database?.remove(key) : database?.put(key, row);
      if (index % inFlight === inFlight - 1) await last;
      else if (index % 64 === 63) await new Promise(setImmediate);
    }
    await last;
    await root.flushed;
    const seconds = (performance.now() - startedAt) / 1_000;
    await root.close();
    return seconds;
  });
}

async function compare(shape: Shape): Promise<Record<string, string | number>> {
  const writes = await record(shape);
  const encoded = writes.map(({ row, ...write }) =>
    row === undefined ? write : { ...write, row: Buffer.from(JSON.stringify(row)) },
  );
  const measured: Record<'store' | 'bare' | 'bareEncoded', number>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const seconds = {
      store: await storeSeconds(shape),
      bare: await bareSeconds(writes),
      bareEncoded: await bareSeconds(encoded, 'binary'),
    };
    // The first round is for the compiler.
    if (round > 0) measured.push(seconds);
  }
  type Contender = 'store' | 'bare' | 'bareEncoded';
  const perSecond = (name: Contender): number =>
    Math.round(shape.commits / median(measured.map((seconds) => seconds[name])));
  const ratioTo = (name: Contender): number =>
    rounded(median(measured.map((seconds) => seconds[name] / seconds.store)));
  const [goal, stretch] = shape.goals;
  return {
    commits: shape.name,
    writesEach: rounded(writes.length / shape.commits, 1),
    bytesEach: Math.round(
      encoded.reduce((sum, write) => sum + ('row' in write ? write.row.length : 0), 0) / shape.commits,
    ),
    storePerSecond: perSecond('store'),
    barePerSecond: perSecond('bare'),
    bareEncodedPerSecond: perSecond('bareEncoded'),
    ratio: ratioTo('bare'),
    ratioToEncoded: ratioTo('bareEncoded'),
    goal,
    stretch,
  };
}

show('commit', [await compare(scrapes), await compare(crawl)]);
