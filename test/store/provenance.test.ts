import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { commitRecheck } from '../../src/store/recheck.ts';
import { Sweep, trim } from '../../src/store/retention.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import { historyOf, item, step, temporaryStore, track } from './fixture.ts';

const url = 'https://shop.test/lamp';

describe('a change', () => {
  test('says by which version of the definition it was read, be it by a scrape, a pulse or a re-check, and that version stays', async (t) => {
    const { store } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    await store.write(() => {
      for (const version of ['unused', 'first', 'second', 'third', 'fourth'])
        store.definitions.adopt('shop', version, { version });
    });
    const scrape = async (version: string, at: number, price: number) => {
      const begun = await beginScrape(store, target, version);
      assert.ok(begun.ok);
      await commitStep(store, { ...begun.fence, step: 1 }, step(at, [item('a', { price })], {}));
    };
    await scrape('first', 10, 1);
    const seen = { source: 'shop', target, url };
    await commitPulse(store, { ...seen, version: 'second', observedAt: 20, drafts: [item('a', { price: 2 })] });
    const result = { kind: 'read', version: 'third', drafts: [item('a', { price: 3 })] } as const;
    await commitRecheck(store, { ...seen, record: 1, observedAt: 30, result, retryAt: () => 0 });
    await scrape('fourth', 40, 3);
    await scrape('fourth', 50, 3);

    await trim(store, { events: 1, scrapes: 1, steps: 1 });
    await trim(store, { events: 1, scrapes: 1, steps: 1 });
    assert.deepEqual(
      historyOf(store, target).map(({ version, scrape, recheck }) => [version, scrape, recheck]),
      [
        ['third', 0, true],
        ['second', 0, undefined],
        ['first', 1, undefined],
      ],
    );
    assert.equal(store.scrapes.get(1), undefined);
    const sweep = new Sweep(() => false);
    for (let steps = 0; steps < 3; steps += 1) await sweep.step(store);
    assert.deepEqual([...store.definitions.versions()].sort(), ['first', 'fourth', 'second', 'third']);
  });
});
