import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { EventOf, EventType } from '../../src/event/catalogue.ts';
import type { Guards } from '../../src/health/guard.ts';
import { commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { decideHeld, openValue } from '../../src/store/decide-held.ts';
import { findMissing, holdMissing, missingPlace } from '../../src/store/hold-missing.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import type { Store } from '../../src/store/store.ts';
import { reportTrouble } from '../../src/store/tickets.ts';
import { begin, historyOf, hourMs, item, step, temporaryStore, track } from './fixture.ts';

const guards: Guards = {
  missing: true,
  empty: true,
  fields: { item: { price: { jump: { factor: 5 } } } },
};

const url = 'https://shop.test/lamp';

/** What is held and still to be decided. */
function open(store: Store): string[] {
  return Array.from(store.holds.members({ source: 'shop' })).flatMap((member) => {
    const found = openValue(store, member);
    return found === undefined ? [] : [`${found.record.key} ${member.field} ${JSON.stringify(found.held.value)}`];
  });
}

function eventsOf<T extends EventType>(store: Store, type: T): EventOf<T>[] {
  return [...store.events.rows({ after: 0 })].filter((event): event is EventOf<T> => event.type === type);
}

/** One scrape of a target with a step for each list of drafts. */
async function scrape(
  store: Store,
  target: number,
  at: number,
  pages: readonly (readonly ReturnType<typeof item>[])[],
) {
  const fence = await begin(store, target);
  for (const [index, drafts] of pages.entries()) {
    const close = index === pages.length - 1 ? {} : undefined;
    await commitStep(store, { ...fence, step: index + 1 }, { ...step(at + index, drafts, close), guards });
  }
}

const each = (count: number, price: number | null) =>
  Array.from({ length: count }, (_, index) => [item(`${index}`, { price: price === null ? null : price + index })]);

describe('a field that becomes empty', () => {
  test('on one page after the other is held from the fifth record on', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await scrape(store, target, 10, each(12, 10));
    await scrape(store, target, 100, each(12, null));
    const empty = [...store.records.ofTarget(target)].filter(({ fields }) => fields['price']?.value === null);
    assert.deepEqual([empty.length, open(store).length], [4, 8]);
    const held = eventsOf(store, 'value.held');
    assert.deepEqual([held.length, held[0]?.data.kind, held[0]?.data.field], [1, 'empty', 'price']);
    assert.equal(store.holds.mass({ source: 'shop', target, type: 'item', field: 'price' })?.count, 8);
  });

  test('by zeros everywhere is held, and nothing of it is told as a change', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await scrape(store, target, 10, [each(6, 10).flat()]);
    await scrape(store, target, 100, [Array.from({ length: 6 }, (_, index) => item(`${index}`, { price: 0 }))]);
    assert.deepEqual([open(store).length, eventsOf(store, 'record.changed').length], [6, 0]);
  });

  test('on some records among others is believed', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await scrape(store, target, 10, [each(12, 10).flat()]);
    await scrape(store, target, 100, [[...each(9, null).flat(), ...each(12, 10).flat().slice(9)]]);
    assert.deepEqual(open(store), []);
    assert.equal(eventsOf(store, 'record.changed').length, 9);
  });

  test('is held though a pulse shows it on one record, and forgotten once most show values again', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await scrape(store, target, 10, [each(6, 10).flat()]);
    await scrape(store, target, 100, [each(5, null).flat()]);
    await commitPulse(store, {
      source: 'shop',
      version: 'v1',
      target,
      url,
      observedAt: 200,
      drafts: [item('5', { price: null })],
      guards,
    });
    assert.equal(open(store).length, 6);
    await scrape(store, target, 300, [each(4, 10).flat()]);
    assert.deepEqual(open(store), []);
    assert.deepEqual(
      eventsOf(store, 'value.rejected').map(({ data }) => [data.kind, data.by, data.count]),
      [['empty', 'source', 6]],
    );
    // What is empty now is what its page says, as others have values.
    await scrape(store, target, 400, [
      each(6, 10)
        .flat()
        .toSpliced(5, 1, item('5', { price: null })),
    ]);
    assert.equal(store.records.get('shop', 'item', '5')?.fields['price']?.value, null);
  });

  test('is ignored once a person has rejected it, until a scrape shows values', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await scrape(store, target, 10, [each(6, 10).flat()]);
    await scrape(store, target, 100, [each(6, null).flat()]);
    assert.deepEqual(await decideHeld(store, { source: 'shop' }, 'rejected'), { values: 6, missing: 0 });
    await scrape(store, target, 200, [each(6, null).flat()]);
    assert.deepEqual(
      [open(store), eventsOf(store, 'value.held').length, eventsOf(store, 'record.changed').length],
      [[], 1, 0],
    );
    await scrape(store, target, 300, [each(6, 10).flat()]);
    await scrape(store, target, 400, [each(6, null).flat()]);
    assert.deepEqual([open(store).length, eventsOf(store, 'value.held').length], [6, 2]);
  });
});

test('five prices of one target that jump are no single ones: a second look does not release them', async (t) => {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  await scrape(store, target, 10, [each(5, 10).flat()]);
  await scrape(store, target, 100, [each(5, 1_000).flat()]);
  await scrape(store, target, 200, [each(5, 1_000).flat()]);
  assert.equal(open(store).length, 5);
  assert.deepEqual(
    eventsOf(store, 'value.held').map(({ data }) => [data.count, data.examples.length]),
    [[5, 5]],
  );
});

test('a second look does not release a price while a ticket says that its source gives what is unusual', async (t) => {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  await scrape(store, target, 10, [[item('a', { price: 1 })]]);
  await store.write((change) => {
    reportTrouble(
      store,
      change,
      { source: 'shop', member: 7 },
      {
        at: change.at,
        symptoms: [{ kind: 'records', measure: 'records', observed: 0 }],
        projects: [],
      },
    );
  });
  await scrape(store, target, 100, [[item('a', { price: 99 })]]);
  await scrape(store, target, 200, [[item('a', { price: 99 })]]);
  assert.deepEqual(open(store), ['a price 99']);
});

test('nothing is held any more of a record that is removed', async (t) => {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  await scrape(store, target, 10, [[item('a', { price: 1 })]]);
  await scrape(store, target, 100, [[item('a', { price: 99 })]]);
  await removeRecords(store, [store.records.get('shop', 'item', 'a')?.record ?? 0]);
  assert.equal([...store.holds.members()].length, 0);
});

test('the change of a released value says that it was held, in the history and in its event', async (t) => {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  await scrape(store, target, 10, [[item('a', { price: 1 })]]);
  await scrape(store, target, 100, [[item('a', { price: 99 })]]);
  await decideHeld(store, { source: 'shop', key: 'a' }, 'released');
  const held = historyOf(store, target).filter(({ wasHeld }) => wasHeld);
  assert.deepEqual(
    held.map(({ kind, corrects }) => [kind, corrects]),
    [['changed', undefined]],
  );
  assert.deepEqual(
    eventsOf(store, 'record.changed').map(({ data }) => data.wasHeld),
    [true],
  );
});

test('a held price reaches no history and no event of its record before it is released, and rejecting it leaves no trace', async (t) => {
  const action = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(1, 2, 4, 30, 40, 500) },
    { weight: 1, arbitrary: fc.constantFrom('released', 'rejected') },
  );
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  let [run, at] = [0, 100];
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
      const key = `${(run += 1)}`;
      const view = () => store.records.get('shop', 'item', key);
      const changes = () => historyOf(store, target).filter((change) => change.key === key).length;
      await see(1);
      for (const next of actions) {
        const before = { view: view(), changes: changes() };
        const isOpen = open(store).length > 0;
        if (typeof next === 'number') await see(next);
        else await decideHeld(store, { source: 'shop', key }, next);
        const after = view();
        const price = after?.fields['price'];
        if (next === 'rejected') {
          assert.deepEqual([after?.fields, changes()], [before.view?.fields, before.changes]);
          assert.deepEqual(open(store), []);
        } else if (next === 'released') {
          if (isOpen) assert.equal(price?.value, before.view?.held?.['price']?.value);
          assert.deepEqual([changes(), open(store)], [before.changes + Number(isOpen), []]);
        } else if (open(store).length > 0) {
          assert.deepEqual([price, changes()], [before.view?.fields['price'], before.changes]);
          assert.notEqual(price?.value, next);
        }
      }
      await decideHeld(store, { source: 'shop' }, 'rejected');

      async function see(price: number): Promise<void> {
        at += 10;
        await commitPulse(store, {
          source: 'shop',
          version: 'v1',
          target,
          url,
          observedAt: at,
          drafts: [item(key, { price })],
          guards,
        });
      }
    }),
    { numRuns: 20 },
  );
});

describe('most records that are missing at once', () => {
  /** A target of which all records but five of twelve were not found by its second and last scrape, at this instant. */
  async function miss(t: TestContext, at: number) {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await scrape(store, target, 10, [each(12, 10).flat()]);
    clock.now = at;
    const fence = await begin(store, target);
    await commitStep(store, fence, { ...step(at, each(5, 10).flat()), guards });
    const found = { ...(await findMissing(store, target, fence.scrape)), isUnusual: false };
    const isHeld = await holdMissing(store, fence, fence.scrape, () => store.targets.get(target), found);
    assert.ok(isHeld);
    const place = missingPlace({ source: 'shop', target });
    return { store, clock, target, place };
  }

  test('are dated when they were found to be missing, and told when a person releases them', async (t) => {
    const seenAt = 2_000_000;
    const { store, clock, target } = await miss(t, seenAt);
    clock.now += hourMs;
    assert.deepEqual(await decideHeld(store, { source: 'shop' }, 'released'), { values: 0, missing: 7 });
    const missing = historyOf(store, target).filter(({ kind }) => kind === 'missing');
    assert.deepEqual([missing.length, new Set(missing.map(({ at }) => at))], [7, new Set([seenAt])]);
    assert.equal(store.records.get('shop', 'item', '11')?.absent?.since, seenAt);
    assert.ok(eventsOf(store, 'record.missing').every((event) => event.at === clock.now));
  });

  for (const verdict of ['released', 'rejected'] as const)
    test(`are not ${verdict} once their source has shown them again, in the moment of the decision`, async (t) => {
      const { store, place } = await miss(t, 2_000_000);
      const racing: Store = {
        ...store,
        async write(run, options) {
          await store.write(() => {
            store.holds.removeMass(place);
          });
          return store.write(run, options);
        },
      };
      // The first write of a decision is on values; what is missing is decided by the next one.
      let writes = 0;
      const late: Store = {
        ...store,
        write: (run, options) => ((writes += 1) < 2 ? store : racing).write(run, options),
      };
      assert.deepEqual(await decideHeld(late, { source: 'shop' }, verdict), { values: 0, missing: 0 });
      assert.equal(store.holds.mass(place), undefined);
      assert.deepEqual([eventsOf(store, `value.${verdict}`), eventsOf(store, 'record.missing')], [[], []]);
    });
});
