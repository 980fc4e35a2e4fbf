/**
 * Question: what does a commit cost over bare lmdb? Scrapes of many targets commit their steps at once, each with two records of
 * which one has changed. Every write of such a run is recorded, key and row; then the same writes go, round by round, through
 * the store and through bare asynchronous puts of the same bytes. What counts is the ratio of the rates: `ratio` to a stream
 * that encodes its rows as the store must, `ratioToEncoded` to one that was given its bytes ready.
 *
 * Run with `node bench/commit.bench.ts [--json]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Key, open } from 'lmdb';
import { commitStep } from '../src/store/commit.ts';
import { type Environment, openEnvironment } from '../src/store/lmdb/environment.ts';
import { addProject } from '../src/store/projects.ts';
import type { Fence, StepOps } from '../src/store/ops.ts';
import { beginScrape } from '../src/store/scrapes.ts';
import type { Scheduling } from '../src/schedule/scheduling.ts';
import { type Store, storeIn } from '../src/store/store.ts';

/** Commits, of ten writes each, that wait at once; about as many writes as the bare stream lets wait. */
const lanes = 400;
const inFlight = 4_096;
const stepsEach = 20;
const rounds = 5;

interface Write {
  readonly table: string;
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

/** A store whose targets are all being scraped. */
async function prepare(environment: Environment): Promise<{ readonly store: Store; readonly fences: Fence[] }> {
  let at = 1_700_000_000_000;
  const store = await storeIn(environment, { now: () => (at += 1), scheduling });
  const targets = Array.from({ length: lanes }, (_, place) => ({ source: 'shop', url: `https://shop.test/${place}` }));
  await addProject(store, { id: 'bench', name: 'bench', labels: [], multiplier: 1, targets });
  const begun = await Promise.all(targets.map((_, place) => beginScrape(store, place + 1, 'v1')));
  const fences = begun.flatMap((result) => (result.ok ? [{ ...result.fence, step: 1 }] : []));
  return { store, fences };
}

async function commitAll(store: Store, fences: readonly Fence[]): Promise<void> {
  await Promise.all(
    fences.map(async (fence) => {
      for (let step = 1; step <= stepsEach; step += 1) {
        const { outcome } = await commitStep(store, { ...fence, step }, opsOf({ ...fence, step }));
        if (outcome !== 'committed') throw new Error(`step ${step} of target ${fence.target} is ${outcome}`);
      }
    }),
  );
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
function record(): Promise<Write[]> {
  return inFolder(async (path) => {
    let writes: Write[] = [];
    const environment = openEnvironment({ path });
    const { store, fences } = await prepare({
      ...environment,
      database: (name) => recording(environment, name, (write) => writes.push(write)),
    });
    writes = [];
    await commitAll(store, fences);
    await store.close();
    return writes;
  });
}

function recording<V>(
  environment: Environment,
  table: string,
  note: (write: Write) => void,
): ReturnType<typeof environment.database<V>> {
  const database = environment.database<V>(table);
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

/** Seconds that the store takes for the commits. */
function storeSeconds(): Promise<number> {
  return inFolder(async (path) => {
    const { store, fences } = await prepare(openEnvironment({ path }));
    const startedAt = performance.now();
    await commitAll(store, fences);
    const seconds = (performance.now() - startedAt) / 1_000;
    await store.close();
    return seconds;
  });
}

/** Seconds that bare lmdb takes for the same writes: asynchronous puts, the loop breathing every 64, flushed at the end. */
function bareSeconds(writes: readonly Write[], encoding: 'json' | 'binary'): Promise<number> {
  return inFolder(async (path) => {
    const root = open({ path, noSubdir: false, maxDbs: 64, encoding });
    const names = new Set(writes.map(({ table }) => table));
    const databases = new Map(Array.from(names, (name) => [name, root.openDB<unknown>({ name, encoding })]));
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

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const writes = await record();
const encoded = writes.map(({ row, ...write }) =>
  row === undefined ? write : { ...write, row: Buffer.from(JSON.stringify(row)) },
);
const commits = lanes * stepsEach;
const contenders = {
  store: storeSeconds,
  bare: () => bareSeconds(writes, 'json'),
  bareEncoded: () => bareSeconds(encoded, 'binary'),
};
type Contender = keyof typeof contenders;

const measured: Record<Contender, number>[] = [];
for (let round = 0; round <= rounds; round += 1) {
  const seconds = {
    store: await contenders.store(),
    bare: await contenders.bare(),
    bareEncoded: await contenders.bareEncoded(),
  };
  // The first round is for the compiler.
  if (round > 0) measured.push(seconds);
}

const perSecond = (name: Contender): number => Math.round(commits / median(measured.map((seconds) => seconds[name])));
const ratioTo = (name: Contender): number =>
  Math.round(median(measured.map((seconds) => seconds[name] / seconds.store)) * 100) / 100;
const result = {
  bench: 'commit',
  commits,
  writes: writes.length,
  bytes: encoded.reduce((sum, write) => sum + ('row' in write ? write.row.length : 0), 0),
  storePerSecond: perSecond('store'),
  barePerSecond: perSecond('bare'),
  bareEncodedPerSecond: perSecond('bareEncoded'),
  ratio: ratioTo('bare'),
  ratioToEncoded: ratioTo('bareEncoded'),
};
if (process.argv.includes('--json')) console.log(JSON.stringify(result));
else console.table(result);
