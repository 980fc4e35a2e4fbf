import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeScrape, commitStep } from '../../src/store/commit.ts';
import { archiveProject, deleteIn } from '../../src/store/projects.ts';
import { removeTargets } from '../../src/store/remove-targets.ts';
import { renameSource } from '../../src/store/rename-source.ts';
import { trim } from '../../src/store/retention.ts';
import { cancelScrape, closeOpenScrapes, requestScrape } from '../../src/store/scrapes.ts';
import { stepsOf } from '../../src/store/steps.ts';
import type { Store } from '../../src/store/store.ts';
import { begin, beginInMemory, item, step, temporaryStore, track } from './fixture.ts';

const everything = { events: 1_000, scrapes: 1, steps: 1 };
const unpaired = '\ud800';

/** The events of scrapes as they are read now, to the byte. */
function scrapesIn(store: Store): string[] {
  return Array.from(store.events.rows(), (event) => JSON.stringify(event)).filter((text) => /"scrape\.[^r]/.test(text));
}

/** A store with scrapes of all kinds, and the events of them that its listeners were given. */
async function watched(t: Parameters<typeof temporaryStore>[0]) {
  const opened = await temporaryStore(t);
  const { store, clock } = opened;
  const [target = 0] = await track(store, 'lamp');
  const told: string[] = [];
  store.onEvents((_, events) => {
    for (const event of events) if (/^scrape\.[^r]/.test(event.type)) told.push(JSON.stringify(event));
  });
  const next = async () => {
    clock.now += 1_000.25;
    return beginInMemory(store, target);
  };
  await commitStep(store, await next(), step(10, [item('a', { price: 1 })], { reason: 'end' }));
  const unchanged = await next();
  clock.now += 40;
  await commitStep(store, unchanged, step(20, [item('a', { price: 1 })], { reason: 'end' }));
  const { log, ...odd } = step(30, [], {
    ...{ status: 'failed', reason: 'r'.repeat(700) },
    ...{ failure: { code: 'timeout', message: unpaired }, unfound: [{ record: 'item', field: 'price', records: 7 }] },
  });
  const unparsed = [{ record: 'item', field: 'price', text: unpaired, expected: 'number' }];
  await commitStep(store, await next(), { ...odd, log: { ...log, unparsed, errors: 2, repeated: 3 } });
  const long = await begin(store, target);
  await commitStep(store, long, step(40, [item('b', { price: 1 })]));
  await closeScrape(store, long, { status: 'complete', finished: false, missingSince: long.scrape });
  await requestScrape(store, target, { full: true });
  const wished = await begin(store, target);
  await cancelScrape(store, wished.scrape, 'by hand');
  await begin(store, target);
  await closeOpenScrapes(store);
  assert.equal(told.length, 12);
  return { ...opened, target, told, unchanged };
}

describe('the events of a scrape', () => {
  test('are stored as the number of the scrape, two in one row where nothing lies between them, and read as they were told', async (t) => {
    const { store, told, unchanged } = await watched(t);
    assert.deepEqual(scrapesIn(store), told);
    const { told: id = 0 } = store.scrapes.get(unchanged.scrape) ?? {};
    const [row] = store.environment.database<unknown>('events').getRange({ start: id - 1 });
    assert.deepEqual([row?.key, row?.value], [id, [3, unchanged.scrape, [1]]]);
    assert.deepEqual(
      [store.events.get(id - 1)?.type, store.events.get(id)?.type, store.events.get(id)?.scrape],
      ['scrape.started', 'scrape.completed', unchanged.scrape],
    );
  });

  test('are read in any slice of the log as in the whole of it', async (t) => {
    const { store } = await watched(t);
    const all = [...store.events.rows()];
    const numbers = [-1, 0, 1, 2, 3, 5, 6, 7, 8, all.length, all.length + 1];
    for (const after of numbers)
      for (const before of numbers)
        for (const limit of [0, 1, 2, 3, 100])
          for (const newestFirst of [false, true]) {
            const wanted = all.filter(({ id }) => id > after && id < before);
            assert.deepEqual(
              [...store.events.rows({ after, before, limit, newestFirst })],
              (newestFirst ? wanted.toReversed() : wanted).slice(0, limit),
            );
          }
    assert.deepEqual(
      all.map(({ id }) => id),
      all.map((_, place) => place + 1),
    );
    assert.deepEqual([store.events.first(), store.events.count()], [1, all.length]);
    assert.deepEqual([store.events.get(0), store.events.get(all.length + 1)], [undefined, undefined]);
  });

  const later: Record<string, (store: Store, target: number) => Promise<unknown>> = {
    'its project is archived': (store) => archiveProject(store, 'lamp'),
    'its source is renamed, more than once': async (store, target) => {
      await renameSource(store, { from: 'shop', to: 'store' });
      await commitStep(store, await begin(store, target), step(90, [], {}));
      const all = scrapesIn(store);
      assert.match(all.at(-1) ?? '', /"source":"store"/);
      await renameSource(store, { from: 'store', to: 'mall' });
      assert.deepEqual(scrapesIn(store), all);
    },
    'its scrapes are more than are kept': async (store) => {
      await trim(store, everything);
      assert.ok([...store.scrapes.rows()].length > 1, 'none goes whose event is kept');
    },
    'its target and all of it is removed': async (store, target) => {
      const steps = () => Array.from(store.scrapes.rows(), (scrape) => stepsOf(store, scrape));
      const before = steps();
      assert.ok(before.flat().some(({ url }) => url === 'https://shop.test/lamp'));
      await store.write((change) => deleteIn(store, change, 'lamp', true));
      await removeTargets(store);
      assert.equal(store.targets.get(target), undefined);
      assert.deepEqual(steps(), before, 'addresses and all');
    },
  };
  for (const [name, change] of Object.entries(later))
    test(`are the same to the byte after ${name}`, async (t) => {
      const { store, target, told, path, clock } = await watched(t);
      const { log, ...read } = step(clock.now, [], {});
      await commitStep(store, await begin(store, target), { ...read, log: { ...log, url: 'https://shop.test/lamp' } });
      await change(store, target);
      assert.deepEqual(scrapesIn(store), told);
      await store.close();
      const { store: opened } = await temporaryStore(t, { path });
      assert.deepEqual(scrapesIn(opened), told);
    });

  test('go before the scrape does', async (t) => {
    const { store } = await watched(t);
    await trim(store, { events: 4, scrapes: 1, steps: 1 });
    const first = store.events.first() ?? 0;
    assert.deepEqual(
      Array.from(store.scrapes.rows(), ({ told = 0 }) => told >= first),
      Array.from(store.scrapes.rows(), () => true),
    );
    assert.equal([...store.events.rows()].length, store.events.count());
  });

  test('and their ids are free again where the change is undone that told them', async (t) => {
    const { store, target } = await watched(t);
    const last = store.events.last();
    const { scrape } = await beginInMemory(store, target);
    const row = store.scrapes.get(scrape) ?? assert.fail();
    const failing = store.write((change) => {
      assert.equal(change.tellScrape('started', row, ['elsewhere']), last + 1);
      throw new Error('undone');
    });
    await assert.rejects(failing, /undone/);
    await archiveProject(store, 'lamp');
    assert.deepEqual(
      Array.from(store.events.rows({ after: last }), ({ id, type }) => [id, type]),
      [
        [last + 1, 'scrape.started'],
        [last + 2, 'scrape.cancelled'],
        [last + 3, 'project.archived'],
      ],
    );
  });
});
