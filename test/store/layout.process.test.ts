import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { openStore } from '../../src/store/store.ts';
import { again, json, listSource, recordsOf, trackList } from '../daemon/lists/listing.ts';
import { startProcess } from '../daemon/process.ts';
import { soon } from '../daemon/tracking.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { begin, hourly, item, step, temporaryFolder, temporaryStore } from './fixture.ts';
import { schema8, writeEnvironment } from './saved-store.ts';

const list = listSource('feed: { by: link, mayBeEmpty: true }');
/** Reads the rank as well. */
const wider = list.replace('    fields:\n', '    fields:\n      rank: { json: $.rank, type: integer }\n');

const options = { now: () => 1, scheduling: hourly };

describe('what a store has no place for yet', () => {
  test('is given one, be it a field that a definition gains: records have it as they are seen, old and new (O27)', async (t) => {
    const site = await openSite(t);
    const show = (...items: readonly unknown[]) => site.answer('/list', json({ items }));
    const daemon = await startDaemon(t, { sources: { list }, settings: soon });
    const { client } = daemon;
    show({ id: 'a', title: 'A', rank: 1 }, { id: 'unseen', title: 'U', rank: 2 });
    await trackList(daemon, site, '/list');
    const narrow = await recordsOf(client);
    assert.deepEqual(Object.keys(narrow.get('a')?.fields ?? {}).sort(), ['id', 'title']);

    await daemon.define('list', wider);
    assert.deepEqual(await client.call('source.reload', {}), { changed: ['list'], removed: [], problems: [] });
    show({ id: 'new', title: 'N', rank: 3 }, { id: 'a', title: 'A', rank: 1 });
    const { scrape } = await again(daemon, site);
    assert.deepEqual(scrape.counts, { added: 1, changed: 1, confirmed: 0, missing: 1 });
    const wide = await recordsOf(client);
    assert.deepEqual(
      ['a', 'new', 'unseen'].map((key) => [key, wide.get(key)?.id !== undefined, wide.get(key)?.fields['rank']?.value]),
      [
        ['a', true, 1],
        ['new', true, 3],
        ['unseen', true, undefined],
      ],
    );
    assert.deepEqual(wide.get('a')?.id, narrow.get('a')?.id);
    assert.deepEqual(wide.get('unseen')?.fields, narrow.get('unseen')?.fields);
    const { changes } = await client.call('project.history', { id: 'all' });
    const change = changes.find(({ key, kind }) => key === 'a' && kind === 'changed');
    assert.deepEqual(change?.fields, { rank: { new: 1 } });
    assert.deepEqual(await copiesIn(join(daemon.folder, 'data')), []);
  });

  test('is made when it is a table, as soon as the store is opened (O27)', async (t) => {
    const path = temporaryFolder(t);
    const { store: newest } = await temporaryStore(t);
    // Of all its tables, the environment has these four.
    const { projects, targets } = schema8;
    const meta = [['schema', newest.meta.schema()]] as const;
    await writeEnvironment(path, { meta, projects, targets, 'targets.by_source': schema8['targets.by_source'] });

    const { store } = await temporaryStore(t, { path });
    const result = await commitStep(store, await begin(store, 1), step(1_000_000, [item('a', { price: 1 })], {}));
    assert.equal(result.outcome, 'committed');
    const { records, history, scrapes, waste, crawls } = store;
    assert.deepEqual([records.count(), history.count(), scrapes.last(), waste.count()], [1, 1, 1, 1]);
    assert.deepEqual([crawls.newest(1), store.meta.schema()], [undefined, newest.meta.schema()]);
  });

  const refused = [
    {
      by: 'a newer version',
      schema: 99,
      code: 'newer',
      says: /^heronry: \S+data: has schema 99: expected at most \d+, which this version of Heronry knows; use the version that wrote it, or a newer one\n$/,
    },
    {
      by: 'a version that is too old',
      schema: 3,
      code: 'older',
      says: /^heronry: \S+data: has schema 3: this version of Heronry needs \d+ or later; use the version that wrote it, or start with an empty folder \(--data\) and add the projects again\n$/,
    },
  ] as const;
  for (const { by, schema, code, says } of refused)
    test(`but ${by} wrote is left as it is: the daemon says what to do, and ends (O27)`, async (t) => {
      const folder = temporaryFolder(t);
      const [data, sources, socket] = ['data', 'sources', 'control.sock'].map((name) => join(folder, name));
      assert.ok(data !== undefined && sources !== undefined && socket !== undefined);
      await mkdir(sources);
      await writeEnvironment(data, { ...schema8, meta: [['schema', schema]], 'records.by_colour': [['red', 1]] });
      const { status, output } = await startProcess(t, { data, sources, socket }).ended;
      assert.equal(status, 1);
      assert.match(output, says);
      assert.deepEqual(await copiesIn(data), []);
      await assert.rejects(openStore({ ...options, path: data }), { name: 'SchemaError', code });
    });
});

/** The copies of older stores beside a store. */
async function copiesIn(data: string): Promise<string[]> {
  return (await readdir(data)).filter((name) => name.startsWith('schema-'));
}
