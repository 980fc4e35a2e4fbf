import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Infeasible } from '../../src/view/infeasible.ts';
import { type HostLook, lookAgain, lookByThisReckoning, tellInfeasible } from '../../src/store/infeasible.ts';
import type { Store } from '../../src/store/store.ts';
import type { Share } from '../../src/store/tables/schedule.ts';
import { temporaryStore } from './fixture.ts';

interface Promised {
  readonly key?: string;
  readonly source?: string;
  readonly objectiveMs?: number;
}

function promise(
  store: Store,
  target: number,
  { key = 'a', source = 'shop', objectiveMs = 10 }: Promised = {},
): Promise<void> {
  const fresh = { key, source, objectiveMs, verifiedAt: 0, misses: 0 };
  return store.write(() => store.schedule.set({ target, since: 0, pace: { kind: 'objective' }, fresh }));
}

/** On each host no more than one target can be kept fresh. */
function oneEach(shares: readonly Share[]): Infeasible[] {
  return shares
    .filter(({ targets }) => targets > 1)
    .map((share) => ({
      ...share,
      delayMs: share.objectiveMs,
      scrapeMs: 1,
      neededMs: share.targets * share.objectiveMs,
    }));
}

/** Looks at all that is to be looked at; which hosts these were. */
async function look(store: Store): Promise<string> {
  const keys: string[] = [];
  const hosts: HostLook = {
    knownOf: () => undefined,
    infeasibleOn(shares) {
      keys.push(shares[0]?.key ?? 'none');
      return oneEach(shares);
    },
  };
  while ((await tellInfeasible(store, 2, hosts)).length > 0);
  return keys.join(' ');
}

function told(store: Store): unknown[] {
  return [...store.events.rows({ after: 0, limit: 100 })]
    .filter((event) => event.type === 'objective.infeasible')
    .map(({ source, data }) => [data.key, source]);
}

const promised = { key: 'a', source: 'shop', objectiveMs: 10 };

describe('objectives that hosts do not allow', () => {
  test('are looked for on those hosts alone on which something else is promised than before', async (t) => {
    const { store } = await temporaryStore(t);
    await promise(store, 1);
    await promise(store, 2, { key: 'b' });
    await promise(store, 3, { key: 'c' });
    assert.equal(await look(store), 'a b c');
    assert.equal(await look(store), '');
    await promise(store, 2, { key: 'b' });
    assert.equal(await look(store), '', 'as much is promised as before');
    await promise(store, 4, { key: 'b' });
    assert.equal(await look(store), 'b');
    await store.write(() => store.schedule.remove(1));
    assert.equal(await look(store), 'none');
  });

  test('are told once each, until they are allowed', async (t) => {
    const { store } = await temporaryStore(t);
    await promise(store, 1);
    await promise(store, 2);
    await look(store);
    await promise(store, 3);
    await look(store);
    assert.deepEqual(told(store), [['a', 'shop']]);
    assert.ok(store.infeasible.has(promised));
    assert.equal(store.infeasible.ofSource('shop', 10)[0]?.targets, 3);
    await store.write(() => [1, 2].forEach((target) => store.schedule.remove(target)));
    await look(store);
    assert.ok(!store.infeasible.has(promised));
    assert.deepEqual(store.infeasible.ofSource('shop', 10), []);
    await promise(store, 1);
    await look(store);
    assert.equal(told(store).length, 2);
  });

  test('are found by target and by source, of very many', async (t) => {
    const { store } = await temporaryStore(t);
    for (const [place, source] of ['ads', 'shop', 'shop'].entries())
      for (const twice of [0, 1]) await promise(store, 2 * place + twice, { key: `k${place}`, source });
    await look(store);
    assert.ok(store.infeasible.has({ key: 'k1', source: 'shop', objectiveMs: 10 }));
    assert.ok(!store.infeasible.has({ key: 'k1', source: 'ads', objectiveMs: 10 }));
    const keys = (source: string, limit: number) => store.infeasible.ofSource(source, limit).map(({ key }) => key);
    assert.deepEqual([keys('shop', 10), keys('shop', 1), keys('ads', 10)], [['k1', 'k2'], ['k1'], ['k0']]);
  });

  test('are looked for on the hosts of a source whose definition has changed, and on all after another program', async (t) => {
    const { store } = await temporaryStore(t);
    await promise(store, 1);
    await promise(store, 2, { key: 'b', source: 'ads' });
    await look(store);
    await lookAgain(store, ['ads']);
    assert.equal(await look(store), 'b');
    await lookAgain(store, 'all');
    assert.equal(await look(store), 'a b');
    await lookByThisReckoning(store);
    assert.equal(await look(store), 'a b');
    await lookByThisReckoning(store);
    assert.equal(await look(store), '');
  });
});
