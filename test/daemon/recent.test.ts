import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productSource, startDaemon } from '../support/daemon.ts';

describe('event.recent', () => {
  test('lists the newest events of a project, of a label or of a type, slice by slice', async (t) => {
    const { client } = await startDaemon(t, { sources: { shop: productSource('shop') }, apiOnly: true });
    for (const id of ['a', 'b', 'c']) {
      const labels = id === 'b' ? [] : ['acme'];
      await client.call('project.add', { id, labels, targets: [{ source: 'shop', url: `http://127.0.0.1:9/${id}` }] });
    }
    await client.call('project.archive', { id: 'a' });
    const told = async (params: Parameters<typeof client.call<'event.recent'>>[1]) =>
      (await client.call('event.recent', params)).events.map(({ type, projects }) => `${type} ${projects?.join(',')}`);
    const types = ['project.*'];
    assert.deepEqual(await told({ types }), [
      'project.archived a',
      'project.added c',
      'project.added b',
      'project.added a',
    ]);
    assert.deepEqual(await told({ project: 'b', types }), ['project.added b']);
    assert.deepEqual(await told({ label: 'acme', types: ['project.added'] }), ['project.added c', 'project.added a']);
    const first = await client.call('event.recent', { types, limit: 2 });
    assert.ok(first.next !== undefined);
    assert.deepEqual(await told({ types, before: first.next }), ['project.added b', 'project.added a']);
  });
});
