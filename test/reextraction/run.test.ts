import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { emptyCatalogue, normalForm } from '../../src/definition/catalogue.ts';
import { Source } from '../../src/definition/source.ts';
import { beginJob, moveJob } from '../../src/reextraction/job.ts';
import { type ReextractionDeps, runJob } from '../../src/reextraction/run.ts';
import { commitStep } from '../../src/store/commit.ts';
import { HistorySweep } from '../../src/store/history-sweep.ts';
import { trim } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, track } from '../store/fixture.ts';
import { keepNow, pageWith, temporaryVault } from '../vault/keeping.ts';

const records = 130;
const pages = 3;

const source = Source.parse({
  id: 'shop',
  provider: 'html',
  records: { product: { key: 'sku', fields: { sku: { css: 'b', required: true } } } },
});
const loaded = { source, version: 'v2', file: 'shop.yaml' };

/** What a page says of all records by the old rule or the new one. */
const draftsOf = (turn: number, rule: 'old' | 'new') =>
  Array.from({ length: records }, (_, number) => ({
    type: 'product',
    key: `p${number}`,
    fields: { price: rule === 'old' ? 100 + turn : 1_000 + turn * 10 + number },
  }));

/** A vault with pages of which the old rule read the wrong prices. */
async function misread(t: TestContext) {
  const made = await temporaryVault(t);
  const { store, vault } = made;
  const [target = 0] = await track(store, 'lamp');
  for (let turn = 0; turn < pages; turn += 1) {
    const page = pageWith(`page ${turn}`, { target, observedAt: 1_000 + turn, scrape: turn + 1 });
    const fence = await begin(store, target);
    const log = { url: page.url, at: 1, elapsedMs: 1, bytes: 1, absent: [], unparsed: [] };
    const close = { status: 'complete', finished: false } as const;
    const { digest, observedAt } = page;
    await commitStep(store, fence, { observedAt, drafts: draftsOf(turn, 'old'), digest, log, close });
    await keepNow(vault, page);
  }
  const deps = (over: Store): ReextractionDeps => ({
    store: () => over,
    vault: () => vault,
    catalogue: () => ({ ...emptyCatalogue, sources: new Map([['shop', loaded]]) }),
    openPlugged: () => Promise.reject(new Error('no plug-in is here')),
    extract: (page) => Promise.resolve(draftsOf(Number(Buffer.from(page.body).toString().slice(5)), 'new')),
  });
  return { ...made, deps };
}

/** The store, whose `left` further writes are the last before the daemon is killed. */
function dyingAfter(store: Store, left: number): Store {
  let count = left;
  const write: Store['write'] = (run, options) => {
    count -= 1;
    return count < 0 ? Promise.reject(new Error('killed')) : store.write(run, options);
  };
  return { ...store, write };
}

const never = new AbortController().signal;

/** Runs the job that is under way as daemons do that are killed after every second write; resolves with how many there were. */
async function runThroughKills(store: Store, deps: (over: Store) => ReextractionDeps): Promise<number> {
  for (let lives = 1; ; lives += 1) {
    try {
      await runJob(deps(dyingAfter(store, 2)), never);
      return lives;
    } catch (error) {
      assert.ok(error instanceof Error && error.message === 'killed', String(error));
    }
  }
}

test('a job that kills interrupt at any step corrects each change once, and tells one event', async (t) => {
  const { store, deps } = await misread(t);
  const { job } = await beginJob(store, loaded, {});
  assert.ok((await runThroughKills(store, deps)) > 1);
  const ready = store.reextractions.jobs.get(job.job);
  assert.deepEqual(
    [ready?.state, ready?.pages, ready?.records, ready?.changes, ready?.present, ready?.fields],
    ['ready', pages, records, records * pages, records, { price: records * pages }],
  );
  const before = store.history.count();
  await moveJob(store, job.job, ['ready'], { state: 'applying' });
  assert.ok((await runThroughKills(store, deps)) > 2);
  assert.equal(store.history.count(), before + records * pages);
  for (const record of store.records.rows()) {
    const last = [...store.history.ofRecord(record.record)].at(-1);
    assert.deepEqual(record.fields['price']?.value, last?.fields['price']?.new);
    assert.equal(last?.version, 'v2');
  }
  const told = [...store.events.rows()].filter(({ type }) => type === 'reextraction.applied');
  assert.equal(told.length, 1);
  assert.deepEqual(store.reextractions.presentOf(job.job, 1), []);
  assert.equal(store.reextractions.jobs.get(job.job)?.serial, told[0]?.id);
});

test('a job whose definition has changed meanwhile fails, and says so', async (t) => {
  const { store, deps } = await misread(t);
  const { job } = await beginJob(store, { ...loaded, version: 'v3' }, {});
  await runJob(deps(store), never);
  const { state, failure } = store.reextractions.jobs.get(job.job) ?? {};
  assert.deepEqual(
    [state, failure],
    ['failed', 'the definition of "shop" has changed since the job began: begin another'],
  );
});

test('a value that another page has given since is not taken back, and what a cancelled job found is dropped', async (t) => {
  const { store, deps } = await misread(t);
  const first = await beginJob(store, loaded, {});
  await runJob(deps(store), never);
  const second = await beginJob(store, loaded, {});
  assert.equal(store.reextractions.jobs.get(first.job.job)?.state, 'cancelled');
  await runJob(deps(store), never);
  assert.deepEqual(store.reextractions.correctionsOf(first.job.job, 1), []);
  const [record] = store.records.rows();
  assert.ok(record);
  const cell = { value: 7, observedAt: 5_000, verifiedAt: 5_000 };
  await store.write(() => store.records.update({ ...record, fields: { ...record.fields, price: cell } }));
  await moveJob(store, second.job.job, ['ready'], { state: 'applying' });
  await runJob(deps(store), never);
  const { value, observedAt } = store.records.byNumber(record.record)?.fields['price'] ?? {};
  assert.deepEqual([value, observedAt], [7, 5_000]);
});

/** A version of the definition, with rules of the price and the stock. */
const versionOf = (version: string, price: string) => ({
  source: Source.parse({
    id: 'shop',
    provider: 'html',
    records: { product: { key: 'sku', fields: { sku: 'b', price, stock: '.stock' } } },
  }),
  version,
  file: 'shop.yaml',
});

test('a job compares the fields whose rule has changed, thinned or not, and takes back what another job has corrected', async (t) => {
  const { store, vault } = await temporaryVault(t);
  const [first, second] = [versionOf('v1', '.was'), versionOf('v2', '.price')];
  await store.write(() => {
    for (const each of [first, second]) store.definitions.adopt('shop', each.version, normalForm(each));
  });
  const [target = 0] = await track(store, 'lamp');
  const fieldsOf = (turn: number, { version }: typeof first) => ({ stock: turn, price: version === 'v1' ? 999 : turn });
  for (let turn = 0; turn < 24; turn += 1) {
    const page = pageWith(`page ${turn}`, { target, observedAt: 1_000 + turn, scrape: turn + 1 });
    const drafts = [{ type: 'product', key: 'p', fields: fieldsOf(turn, first) }];
    const log = { url: page.url, at: 1, elapsedMs: 1, bytes: 1, absent: [], unparsed: [] };
    const close = { status: 'complete', finished: false } as const;
    const { digest, observedAt } = page;
    await commitStep(store, await begin(store, target), { observedAt, drafts, digest, log, close });
    await keepNow(vault, page);
  }
  await trim(store, { events: 1, scrapes: 1, steps: 1 });
  const dayMs = 86_400_000;
  await new HistorySweep(() => ({ detailMs: dayMs, changes: 1_000 })).step(store, 9 * dayMs);
  const thinned = [...store.history.ofRecord(1)];
  assert.ok(thinned.length < 5);
  const apply = async (present: typeof first) => {
    const deps: ReextractionDeps = {
      store: () => store,
      vault: () => vault,
      catalogue: () => ({ ...emptyCatalogue, sources: new Map([['shop', present]]) }),
      openPlugged: () => Promise.reject(new Error('no plug-in is here')),
      extract({ body }) {
        const turn = Number(Buffer.from(body).toString().slice(5));
        return Promise.resolve([{ type: 'product', key: 'p', fields: fieldsOf(turn, present) }]);
      },
    };
    const { job } = await beginJob(store, present, {});
    await runJob(deps, never);
    await moveJob(store, job.job, ['ready'], { state: 'applying' });
    await runJob(deps, never);
    return store.reextractions.jobs.get(job.job)?.fields;
  };
  assert.deepEqual(await apply(first), {});
  assert.deepEqual(await apply(second), { price: 24 });
  assert.equal(store.records.byNumber(1)?.fields['price']?.value, 23);
  assert.deepEqual(await apply(second), {});
  assert.deepEqual(await apply(first), { price: 24 });
  await apply(second);
  await store.write((change) => change.tell({ type: 'source.renamed', source: 'b', data: { from: 'a' } }));
  await trim(store, { events: 1, scrapes: 1, steps: 1 });
  await new HistorySweep(() => ({ detailMs: dayMs, changes: 1_000 })).step(store, 10 * dayMs);
  const prices = Array.from(store.history.ofRecord(1), ({ fields }) => fields['price']?.new);
  assert.deepEqual(
    prices.filter((price) => price !== undefined),
    [999, 0, 23],
    'the day is thinned again',
  );
  await apply(first);
  assert.equal(store.records.byNumber(1)?.fields['price']?.value, 999);
});
