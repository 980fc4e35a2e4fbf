import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productSource, startDaemon } from '../support/daemon.ts';

async function started(t: TestContext, ids: readonly string[], options: { readonly apiOnly?: boolean } = {}) {
  const { client } = await startDaemon(t, { sources: { shop: productSource('shop') }, apiOnly: true, ...options });
  for (const id of ids)
    await client.call('project.add', {
      id,
      labels: ['all'],
      targets: [{ source: 'shop', url: `http://127.0.0.1:9/${id}` }],
    });
  return client;
}

const none = { count: 0, first: [] };

describe('project.bulk', () => {
  test('tells what it would do, does it, and has nothing left to do again', async (t) => {
    const ids = Array.from({ length: 40 }, (_, at) => `p${String(at).padStart(2, '0')}`);
    const client = await started(t, ids);
    await client.call('project.archive', { id: 'p03' });
    const wanted = { query: 'label:all', action: 'archive' } as const;
    const first = ids.filter((id) => id !== 'p03').slice(0, 20);
    const outcome = { matched: 39, changed: 39, first, unchanged: 0, refused: none };
    assert.deepEqual(await client.call('project.bulk', { ...wanted, dryRun: true }), outcome);
    assert.equal((await client.call('project.search', {})).total.count, 39);
    assert.deepEqual(await client.call('project.bulk', wanted), outcome);
    assert.equal((await client.call('project.search', {})).total.count, 0);
    const again = { ids: ['p01', 'p03', 'none'], action: 'archive' } as const;
    assert.deepEqual(await client.call('project.bulk', again), {
      ...{ matched: 3, changed: 0, first: [], unchanged: 2 },
      refused: { count: 1, first: [{ id: 'none', why: 'there is no such project' }] },
    });
    const restored = await client.call('project.bulk', { query: 'state:archived', action: 'restore' });
    assert.deepEqual([restored.matched, restored.changed], [40, 40]);
  });

  test('changes labels and multipliers, and refuses what one project cannot have', async (t) => {
    const client = await started(t, ['a', 'b']);
    const many = Array.from({ length: 31 }, (_, at) => `l${at}`);
    await client.call('project.update', { id: 'b', addLabels: many });
    const edit = { query: '', action: 'edit', addLabels: ['new'], multiplier: 2 } as const;
    const { changed, refused } = await client.call('project.bulk', edit);
    assert.deepEqual([changed, refused.first.map(({ id }) => id)], [1, ['b']]);
    const { labels, multiplier } = await client.call('project.get', { id: 'a' });
    assert.deepEqual([labels, multiplier], [['all', 'new'], 2]);
    const removal = await client.call('project.bulk', { query: '', action: 'edit', removeLabels: ['new'] });
    assert.deepEqual([removal.changed, removal.unchanged], [1, 1]);
  });

  test('asks for one scrape of each target, which wait for their turns', async (t) => {
    const client = await started(t, ['a', 'b'], { apiOnly: false });
    await client.call('schedule.pause', { source: 'shop' });
    const wanted = { query: '', action: 'rescrape' } as const;
    assert.equal((await client.call('project.bulk', wanted)).changed, 2);
    const { scrapes } = await client.call('scrape.list', {});
    assert.deepEqual(
      scrapes
        .filter(({ status }) => status === 'waiting')
        .map(({ target }) => target)
        .sort((one, other) => one - other),
      [1, 2],
    );
    const again = await client.call('project.bulk', wanted);
    assert.deepEqual([again.changed, again.unchanged], [0, 2]);
  });

  test('refuses what does not say which projects, or what to change', async (t) => {
    const client = await started(t, []);
    for (const params of [
      { action: 'archive' },
      { action: 'archive', ids: ['a'], query: '' },
      { action: 'archive', query: '', addLabels: ['x'] },
      { action: 'edit', query: '' },
      { action: 'edit', query: 'state:bright', multiplier: 2 },
    ] as const)
      await assert.rejects(client.call('project.bulk', params), { code: 'invalid_params' });
  });
});
