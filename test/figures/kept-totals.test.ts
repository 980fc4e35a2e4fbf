import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Metrics } from '../../src/metric/metric.ts';
import { parseSource } from '../../src/definition/load.ts';
import { Exact } from '../../src/expression/exact.ts';
import { KeptTotals } from '../../src/figures/kept-totals.ts';
import { planOf } from '../../src/definition/figure-fields.ts';
import { mostRecords, ProjectTotals } from '../../src/figures/project-totals.ts';
import { readMetrics } from '../../src/figures/read-metrics.ts';
import { RateTable } from '../../src/metric/rates.ts';
import { commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { markMissing } from '../../src/store/crawl-missing.ts';
import { applyJob } from '../../src/reextraction/apply.ts';
import { updateProject } from '../../src/store/projects.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import { jobOf } from '../reextraction/corrected.ts';
import { begin, item, step, type TestStore, temporaryStore, track } from '../store/fixture.ts';

const metrics: Metrics = {
  one: { of: 'item', field: 'price', take: 'only' },
  last: { of: 'item', field: 'price', take: 'last' },
  total: { of: 'item', field: 'price', take: 'sum', currency: 'EUR', min: 0 },
  mean: { of: 'item', field: 'price', take: 'mean', currency: 'EUR' },
  least: { of: 'item', field: 'price', take: 'min', currency: 'EUR' },
  items: { of: 'item', take: 'count' },
  each: 'total / items',
};

const parsed = parseSource(
  'id: shop\nrecords: { item: { key: sku, fields: { sku: { css: b }, price: { css: i, type: money } } } }\n',
  'shop.yaml',
);
if (!parsed.ok) assert.fail('a definition');
const catalogue = {
  sources: new Map([['shop', { source: parsed.value, version: 'v1' }]]),
  types: new Map(),
  sinks: new Map(),
  pipelines: new Map(),
  problems: [],
};
const minuteMs = 60_000;
const dayMs = 86_400_000;
const rates = new RateTable([
  { base: 'USD', quote: 'EUR', day: 0, rate: Exact.of('0.8') ?? assert.fail(), source: 'bank' },
]);

/** A new project of two targets, and what is kept of it. */
async function open({ store, clock }: TestStore, id: string, mostKept?: number) {
  const urls = [`https://shop.test/${id}/a`, `https://shop.test/${id}/b`];
  let upTo = store.events.last();
  const targets = await track(store, id, ...urls);
  await updateProject(store, id, { metrics });
  const deps = {
    store: () => store,
    catalogue: () => catalogue,
    rates: () => Promise.resolve({ table: rates }),
    maxRateAge: 400,
  };
  const kept = new KeptTotals(deps, mostKept);
  const project = () => store.projects.get(id) ?? assert.fail('a project');
  return {
    ...{ store, clock, id, urls, targets },
    /** Computes the metrics from what is kept and the events since the last time, as the actor does. */
    compute() {
      for (const event of store.events.rows({ after: upTo })) kept.note(event);
      upTo = store.events.last();
      return kept.compute(project());
    },
    computeAnew: () => readMetrics(project(), deps),
  };
}
type Opened = Awaited<ReturnType<typeof open>>;

const amount = fc.record({
  amount: fc.integer({ min: -1, max: 9 }).map(String),
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
});
const price = fc.option(amount, { freq: 8 });
const drafts = fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 5 }), price), {
  maxLength: 6,
  selector: ([key]) => key,
});
const target = fc.constantFrom(0, 1);

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('scrape' as const), target, drafts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('step' as const), target, drafts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), target }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pulse' as const), target, key: fc.integer({ min: 0, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), key: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('miss' as const), target }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reextract' as const), to: amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('disable' as const), target }) },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

/** An aborted scrape verifies a value, and before the metrics are computed the next one has the target in order again. */
const afterAborted: Action[] = [
  { kind: 'scrape', target: 0, drafts: [[0, null]] },
  { kind: 'pulse', target: 0, key: 1 },
  { kind: 'step', target: 0, drafts: [[0, null]] },
  { kind: 'scrape', target: 0, drafts: [] },
];

async function run({ store, clock, id, urls, targets }: Opened, next: Action): Promise<void> {
  clock.now += minuteMs;
  const at = clock.now;
  const number = 'target' in next ? (targets[next.target] ?? 0) : 0;
  const isDisabled = store.targets.get(number)?.watchers.length === 0;
  if (isDisabled && next.kind !== 'disable' && next.kind !== 'pulse') return;
  const seen = 'drafts' in next ? next.drafts.map(([key, value]) => item(`${id} ${key}`, { price: value })) : [];
  switch (next.kind) {
    case 'scrape':
      await commitStep(store, await begin(store, number), step(at, seen, {}));
      return;
    case 'step': {
      const fence = await begin(store, number);
      await commitStep(store, fence, step(at, seen));
      await commitStep(store, { ...fence, step: 2 }, step(at + 1, [], { status: 'aborted' }));
      return;
    }
    case 'fail':
      await commitStep(
        store,
        await begin(store, number),
        step(at, [], { status: 'failed', failure: { code: 'timeout', message: `too late at ${at}` } }),
      );
      return;
    case 'pulse': {
      // A pulse that changes nothing tells nothing, so each shows a new price.
      const value = { amount: String(at), currency: 'EUR' };
      const place = { source: 'shop', version: 'v1', target: number, url: urls[0] ?? '', observedAt: at };
      await commitPulse(store, { ...place, drafts: [item(`${id} ${next.key}`, { price: value })] });
      return;
    }
    case 'remove':
      await removeRecords(store, [store.records.get('shop', 'item', `${id} ${next.key}`)?.record ?? 0]);
      return;
    case 'miss': {
      const fence = await begin(store, number);
      await commitStep(store, fence, step(at, [], {}));
      await markMissing(store, fence, fence.scrape, () => store.targets.get(number));
      return;
    }
    case 'reextract': {
      const ofProject = [...store.history.rows()].filter(({ key }) => key.startsWith(`${id} `));
      const newest = new Map(ofProject.map((change) => [change.record, change]));
      await applyJob(store, await jobOf(store, newest.values(), { price: next.to }));
      return;
    }
    case 'disable': {
      const isOff = targets.some((each) => store.targets.get(each)?.watchers.length === 0);
      const named = isOff ? urls : [urls[next.target] ?? ''];
      await updateProject(store, id, { targets: named.map((url) => ({ source: 'shop', url })) });
      return;
    }
    default:
      return next satisfies never;
  }
}

describe('what is kept of the metrics of a project', () => {
  test('gives after any changes what all records give', async (t) => {
    const tested = await temporaryStore(t);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 16 }), async (actions) => {
        // Values are verified on two days.
        tested.clock.now = ((runs += 1) + 1) * dayMs - 5 * minuteMs;
        const opened = await open(tested, `p${runs}`);
        for (const [index, next] of actions.entries()) {
          await run(opened, next);
          if (index % 3 < 2) assert.deepEqual(await opened.compute(), await opened.computeAnew(), next.kind);
        }
      }),
      { numRuns: 20, examples: [[afterAborted]] },
    );
  });

  test('is read anew once all values of a re-extraction are corrected, also where it was computed meanwhile', async (t) => {
    const { store, targets, compute, computeAnew } = await open(await temporaryStore(t), 'solar');
    const [number = 0, other = 0] = targets;
    const many = Array.from({ length: 230 }, (_, key) => item(`${key}`, { price: { amount: '1', currency: 'EUR' } }));
    await commitStep(store, await begin(store, number), step(10, many, {}));
    await commitStep(store, await begin(store, other), step(10, [], {}));
    await compute();
    const job = await jobOf(store, store.history.rows(), { price: { amount: '2', currency: 'EUR' } });
    let meanwhile: Promise<unknown> = Promise.resolve();
    t.after(store.onEvents(() => void (meanwhile = meanwhile.then(compute))));
    await applyJob(store, job);
    await meanwhile;
    const found = await compute();
    assert.deepEqual(found.metrics.find(({ name }) => name === 'total')?.value, { amount: '460', currency: 'EUR' });
    assert.deepEqual(found, await computeAnew());
  });

  test('is null as soon as there are more records than metrics may be taken from', async (t) => {
    const { store, targets, compute, computeAnew } = await open(await temporaryStore(t), 'solar');
    await updateProject(store, 'solar', { metrics: { total: { of: 'item', field: 'price', take: 'sum' } } });
    const [number = 0, other = 0] = targets;
    const price = { amount: '1', currency: 'EUR' };
    await commitStep(store, await begin(store, number), step(10, [item('first', { price })], {}));
    await commitStep(store, await begin(store, other), step(10, [], {}));
    const { ofTarget } = store.records;
    // The first record stands for as many as there may be.
    Object.assign(store.records, {
      *ofTarget(target: number, { after = 0, limit = Infinity } = {}) {
        const [first, ...others] = ofTarget(target);
        const last = target === number ? mostRecords + others.length : 0;
        for (let record = after + 1; first !== undefined && record <= Math.min(last, after + limit); record += 1)
          yield { ...first, record };
      },
    });
    const value = ({ metrics: [first] }: Awaited<ReturnType<typeof compute>>) => first?.value;
    assert.deepEqual(value(await compute()), price);
    await commitStep(store, await begin(store, number), step(20, [item('second', { price })], {}));
    const found = await compute();
    assert.equal(value(found), null);
    assert.deepEqual(found.problems, ['project "solar" has more than 100000 records']);
    assert.deepEqual(found, await computeAnew());
  });

  test('is of so many values at most, however many metrics a record counts for', async (t) => {
    const { store, targets } = await open(await temporaryStore(t), 'solar');
    const [number = 0] = targets;
    const seen = (...keys: readonly string[]) => keys.map((key) => item(key, { price: null }));
    await commitStep(store, await begin(store, number), step(10, seen('a', 'b'), {}));
    const { metrics: planned } = planOf({ items: { of: 'item', take: 'count' }, same: { of: 'item', take: 'count' } }, [
      parsed.value,
    ]);
    const rows = targets.flatMap((each) => store.targets.get(each) ?? []);
    const inputs = planned.filter((metric) => 'input' in metric);
    const facts = { store, project: 'solar', targets: rows, sources: [parsed.value], metrics: inputs };
    const totals = await ProjectTotals.read(facts, 4);
    assert.equal(totals.size, 4);
    await commitStep(store, await begin(store, number), step(20, seen('c'), {}));
    const touched = new Map([['c', { source: 'shop', type: 'item', key: 'c' }]]);
    assert.equal(await totals.refresh({ records: touched, targets: new Map(), added: 1 }), false);
    await assert.rejects(
      ProjectTotals.read(facts, 4),
      /^TooManyInputs: project "solar" has more than 4 values that metrics are taken from$/,
    );
  });

  test('reads one record again for a change of one, also of a project that takes more than is kept of others', async (t) => {
    const { store, targets, urls, compute } = await open(await temporaryStore(t), 'solar', 1);
    const [number = 0, other = 0] = targets;
    const many = Array.from({ length: 30 }, (_, key) => item(`${key}`, { price: { amount: '1', currency: 'EUR' } }));
    await commitStep(store, await begin(store, number), step(10, many, {}));
    await commitStep(store, await begin(store, other), step(10, [], {}));
    await compute();
    let reads = 0;
    const { get, ofTarget, seenLastIn } = store.records;
    Object.assign(store.records, {
      get: (...name: Parameters<typeof get>) => ((reads += 1), get(...name)),
      ofTarget: () => assert.fail('the records of a target are read'),
      seenLastIn: () => assert.fail('the records of a scrape are read'),
    });
    const [changed = assert.fail()] = many;
    const place = { source: 'shop', version: 'v1', target: number, url: urls[0] ?? '', observedAt: 1_000 };
    await commitPulse(store, {
      ...place,
      drafts: [{ ...changed, fields: { price: { amount: '3', currency: 'EUR' } } }],
    });
    reads = 0;
    const { metrics: found } = await compute();
    Object.assign(store.records, { get, ofTarget, seenLastIn });
    assert.deepEqual(found.find(({ name }) => name === 'total')?.value, { amount: '32', currency: 'EUR' });
    assert.equal(reads, 1);
  });
});
