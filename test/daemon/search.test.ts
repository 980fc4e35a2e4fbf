import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productSource, startDaemon } from '../support/daemon.ts';

const sources = { shop: productSource('shop'), list: productSource('list') };

function place(path: string, source = 'shop') {
  return { source, url: `http://127.0.0.1:9/${path}` };
}

describe('project.search', () => {
  test('finds projects by parts of their id, name, labels and addresses, and by filters', async (t) => {
    const { client } = await startDaemon(t, { sources, apiOnly: true });
    const add = (id: string, name: string, labels: string[], targets = [place(id)]) =>
      client.call('project.add', { id, name, labels, targets });
    await add('solar', 'Solar Café', ['Spring']);
    await add('lamp', 'Desk lamp', ['spring', 'acme'], [place('x/Desk-1'), place('y', 'list')]);
    await add('old', 'Old lamp', []);
    await client.call('project.archive', { id: 'old' });
    const idsOf = async (query: string) =>
      (await client.call('project.search', { query })).projects.map(({ id }) => id);
    for (const [query, ids] of [
      ['', ['lamp', 'solar']],
      ['CAFE', ['solar']],
      ['pring', ['lamp', 'solar']],
      ['desk-1', ['lamp']],
      ['http://127.0.0.1:9/sol', ['solar']],
      ['spring lamp', ['lamp']],
      ['source:list', ['lamp']],
      ['label:Spring', ['solar']],
      ['lamp state:archived', ['old']],
      ['state:active', ['lamp', 'solar']],
      ['state:finished', []],
      ['state:late', []],
      ['state:parked', []],
      ['state:ticket state:held', []],
      ['nothing', []],
    ] as const)
      assert.deepEqual(await idsOf(query), ids, query);
    await assert.rejects(idsOf('state:bright'), { code: 'invalid_params' });

    await client.call('project.update', { id: 'solar', name: 'Moon' });
    await client.call('project.restore', { id: 'old' });
    await client.call('project.delete', { id: 'lamp' });
    await add('aaa', 'New', []);
    assert.deepEqual(await idsOf('cafe'), []);
    assert.deepEqual(await idsOf('moon'), ['solar']);
    assert.deepEqual(await idsOf(''), ['aaa', 'old', 'solar']);
  });

  test('goes on slice by slice, and tells how many match', async (t) => {
    const { client } = await startDaemon(t, { sources, apiOnly: true });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await client.call('project.add', { id, targets: [place(id)] });
    for (const query of ['127.0.0.1', 'state:active']) {
      const found: string[] = [];
      let after: string | undefined;
      let first: object | undefined;
      do {
        const answer = await client.call('project.search', { query, limit: 2, ...(after !== undefined && { after }) });
        first ??= answer.total;
        found.push(...answer.projects.map(({ id }) => id));
        after = answer.next;
      } while (after !== undefined);
      assert.deepEqual(found, ids);
      assert.deepEqual(first, { count: 5, isExact: true });
    }
  });

  test('tells of each slice how many match where nothing is searched but one status', async (t) => {
    const { client } = await startDaemon(t, { sources, apiOnly: true });
    for (const id of ['a', 'b', 'c', 'd']) await client.call('project.add', { id, targets: [place(id)] });
    await client.call('project.archive', { id: 'b' });
    const totalOf = async (query: string, after: string) =>
      (await client.call('project.search', { query, after, limit: 1 })).total;
    for (const after of ['a', 'c']) {
      assert.deepEqual(await totalOf('', after), { count: 3, isExact: true });
      assert.deepEqual(await totalOf('state:active', after), { count: 3, isExact: true });
      assert.deepEqual(await totalOf('state:archived', after), { count: 1, isExact: true });
      assert.deepEqual(await totalOf('state:finished', after), { count: 0, isExact: true });
    }
    assert.equal((await totalOf('state:active state:late', 'a')).isExact, false);
  });

  test('finds what is held among many projects', async (t) => {
    const { client, daemon } = await startDaemon(t, { sources, apiOnly: true });
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      await client.call('project.add', { id, targets: [place(id, id === 'd' ? 'list' : 'shop')] });
    await client.call('project.archive', { id: 'e' });
    const store = daemon.parts.state.store();
    const placeOf = (id: string) => {
      const target = store.targets.get(store.projects.get(id)?.targets[0] ?? 0);
      assert.ok(target !== undefined);
      return { source: target.source, target: target.target, type: 'product', field: 'price' };
    };
    await store.write(() => {
      for (const id of ['b', 'd', 'e']) for (const record of [1, 2, 3]) store.holds.add({ ...placeOf(id), record });
      store.holds.putMass(placeOf('c'), { kind: 'empty', state: 'held', since: 0, scrape: 1, lastScrape: 1, count: 1 });
    });
    const find = async (query: string) => {
      const { projects, total } = await client.call('project.search', { query });
      return [projects.map(({ id }) => id), total];
    };
    assert.deepEqual(await find('state:held'), [['b', 'c', 'd'], { count: 3, isExact: true }]);
    assert.deepEqual(await find('state:held source:list'), [['d'], { count: 1, isExact: true }]);
    assert.deepEqual(await find('state:held state:archived'), [['e'], { count: 1, isExact: true }]);
  });
});
