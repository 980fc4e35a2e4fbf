import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect } from '../../src/control/client.ts';
import { defined } from '../../src/defined.ts';
import type { Destination } from '../../src/export/destination.ts';
import { openFolder } from '../../src/export/folder.ts';
import { type ExportOptions, runExport } from '../../src/export/run.ts';
import { recordTable } from '../../src/export/record-table.ts';
import type { RecordDraft } from '../../src/extract/draft.ts';
import { commitStep } from '../../src/store/commit.ts';
import { commitPulse } from '../../src/store/commit-pulse.ts';
import { removeRecords } from '../../src/store/remove-records.ts';
import { updateProject } from '../../src/store/projects.ts';
import { renameSource } from '../../src/store/rename-source.ts';
import type { HistoryView } from '../../src/view/record.ts';
import { begin, item, step, track } from '../store/fixture.ts';
import { record } from '../cli/views.ts';
import { exportingDaemon } from './exporting.ts';

/** The names of all files of an export, its cursor aside. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'cursor.json')
    .map((each) => join(each.parentPath, each.name).slice(folder.length + 1))
    .sort();
}

interface Line extends Partial<Omit<HistoryView, 'fields'>> {
  readonly key: string;
  readonly state: string;
  readonly id: string;
  readonly fields: Readonly<Record<string, { readonly value: unknown }>>;
}

function linesOf(folder: string, ...files: readonly string[]): Line[] {
  return (files.length > 0 ? files : filesIn(folder))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

describe('an export', () => {
  test('to the same place has only what is new, changed, missing or removed since the one before [S48]', async (t) => {
    const { store, folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see(['a', 'b', 'c', 'd'].map((key) => item(key, { title: key })));
    assert.match((await daemon.export('records', '--to', 'out')).out, /^wrote 4 rows of records into 1 file below /);
    await see(['a', 'b', 'c'].map((key) => item(key, { title: key === 'b' ? 'other' : key })));
    await see([item('b', { title: 'newest' }), item('e', { title: 'e' })]);
    const gone = store.records.get('shop', 'item', 'd')?.record ?? 0;
    await removeRecords(store, [gone]);
    const { out } = await daemon.export('records', '--to', 'out', '--json');
    const told: unknown = JSON.parse(out);
    const upTo = `${store.generation()}-${store.events.last()}`;
    const file = 'records/shop.item/000002.ndjson';
    assert.deepEqual(told, {
      what: 'records',
      to: join(folder, 'out'),
      format: 'ndjson',
      rows: 3,
      files: [file],
      cursor: upTo,
    });
    assert.deepEqual(
      linesOf(join(folder, 'out'), file).map(({ key, state, fields }) => [key, state, fields?.['title']?.value]),
      [
        ['b', 'present', 'newest'],
        ['e', 'present', 'e'],
        ['d', 'removed', undefined],
      ],
    );
    assert.equal((await daemon.export('records', '--to', 'out')).out, `nothing new in records, up to ${upTo}\n`);
    assert.equal(filesIn(join(folder, 'out')).length, 2);
    await see([item('f', {})]);
    const other = await daemon.export('records', '--to', 'other', '--after', upTo, '--json');
    assert.equal((JSON.parse(other.out) as { rows: number }).rows, 1);
  });

  test('of history and events has each once, in the order of their ids, from one export to the next', async (t) => {
    const { store, folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    for (const title of ['one', 'two', 'three']) {
      await see([item('a', { title })]);
      for (const what of ['history', 'events'])
        assert.deepEqual((await daemon.export(what, '--to', 'out')).err, '', what);
    }
    const ids = (what: string) =>
      linesOf(join(folder, 'out'), ...filesIn(join(folder, 'out')).filter((file) => file.startsWith(what))).map(
        ({ id }) => id,
      );
    const wire = (serial: number) => `${store.generation()}-${serial}`;
    assert.deepEqual(
      ids('history'),
      [...store.history.rows()].map(({ serial }) => wire(serial)),
    );
    assert.equal(ids('history').length, 3);
    assert.deepEqual(
      ids('events'),
      [...store.events.rows()].map(({ id }) => wire(id)),
    );
    const some = await daemon.export('events', '--to', 'some', '--type', 'record.*', '--json');
    assert.equal((JSON.parse(some.out) as { rows: number }).rows, 3);
  });

  test('of history says by which version of the definition each change was read, be it by a scrape or a pulse', async (t) => {
    const { store, folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see([item('a', { title: 'one' })]);
    const versions = async () => {
      await daemon.export('history', '--to', 'out');
      return linesOf(join(folder, 'out')).map(({ version }) => version);
    };
    assert.deepEqual(await versions(), ['v1']);
    await see([item('a', { title: 'two' })]);
    const place = { source: 'shop', version: 'v2', target: 1, url: 'https://shop.test/solar' };
    await commitPulse(store, { ...place, observedAt: store.now(), drafts: [item('a', { title: 'three' })] });
    assert.deepEqual(await versions(), ['v1', 'v1', 'v2']);
  });

  test('of what a re-extraction corrected has each correction once, with an id of its own, and the records that it corrected', async (t) => {
    const { store, folder, see, correct, ...daemon } = await exportingDaemon(t, { title: 'text' });
    const keys = Array.from({ length: 300 }, (_, number) => `k${number}`);
    await see(keys.map((key) => item(key, { title: 'wrong' })));
    for (const what of ['records', 'history']) await daemon.export(what, '--to', 'out');
    await see([item('other', { title: 'as it was' })]);
    const before = store.history.count();
    await correct(({ key }) => `right ${key}`);
    for (const what of ['records', 'history']) assert.equal((await daemon.export(what, '--to', 'out')).err, '');
    const corrected = new Set([...keys, 'other']);
    const records = linesOf(join(folder, 'out'), 'records/shop.item/000002.ndjson').map(({ key }) => key);
    assert.deepEqual([records.length, new Set(records)], [301, corrected]);
    const lines = linesOf(join(folder, 'out'), 'history/000001.ndjson', 'history/000002.ndjson');
    assert.equal(new Set(lines.map(({ id }) => id)).size, before + 301);
    const [change, correction] = lines.filter(({ key }) => key === 'k7');
    const { record, at, ...told } = correction ?? assert.fail('no correction');
    assert.deepEqual(told, {
      ...{ id: `${store.generation()}-${store.events.last()}:${record}:${at}`, serial: store.events.last() },
      ...{
        source: 'shop',
        type: 'item',
        key: 'k7',
        kind: 'changed',
        target: 1,
        scrape: 1,
        page: 'page',
        version: 'v2',
      },
      ...{ corrects: change?.serial, fields: { title: { new: 'right k7' } } },
    });
    await daemon.export('history', '--to', 'csv', '--format', 'csv');
    const rows = readFileSync(join(folder, 'csv/history/000001.csv'), 'utf8').split('\r\n');
    assert.equal(rows[0], 'id,at,source,type,key,record,kind,serial,corrects,target,scrape,page,version,fields');
    assert.ok(rows.some((row) => row.startsWith(`${told.id},`)));
    assert.equal(rows.length - 2, before + 301);
  });

  test('that begins while a re-extraction is applied leaves it to the next one', async (t) => {
    const { store, folder, see, correct, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see([item('a', { title: 'wrong' })]);
    await correct(() => 'right');
    const [change] = store.history.rows();
    const [job] = store.reextractions.jobs.rows();
    assert.ok(job !== undefined);
    const move = (state: 'applying' | 'applied') =>
      store.write(() => store.reextractions.jobs.put(job.job, { ...job, state }));
    const rows = async () =>
      (JSON.parse((await daemon.export('history', '--to', 'out', '--json')).out) as { rows: number }).rows;
    await move('applying');
    assert.equal(await rows(), 1);
    await move('applied');
    assert.equal(await rows(), 1);
    assert.deepEqual(
      linesOf(join(folder, 'out')).map(({ corrects }) => corrects),
      [undefined, change?.serial],
    );
  });

  test('of metrics has their points, and then those that were told since', async (t) => {
    const { store, folder, ...daemon } = await exportingDaemon(t, {});
    const put = (at: number, value: number) =>
      store.write((change) => {
        store.metrics.put('solar', 'roas', at, { value });
        change.tell({ type: 'metric.changed', projects: ['solar'], data: { metric: 'roas', new: value } }, at);
      });
    const point = (at: number, value: number) => ({ project: 'solar', metric: 'roas', at, value });
    for (const [at, value] of [
      [1_000, 2.5],
      [2_000, 3],
    ] as const) {
      await put(at, value);
      assert.equal((await daemon.export('metrics', '--to', 'out')).err, '');
    }
    assert.deepEqual(linesOf(join(folder, 'out')), [point(1_000, 2.5), point(2_000, 3)]);
  });

  test('of metrics tells how far it is, and of one project reads the points of that alone', async (t) => {
    const { store, path } = await exportingDaemon(t, {});
    const ids = ['lunar', 'solar', 'solar-2'];
    for (const id of ids) if (id !== 'solar') await track(store, id);
    await store.write(() => {
      for (const id of ids) for (let at = 1; at <= 4; at += 1) store.metrics.put(id, 'roas', at, { value: at });
    });
    const client = await connect(path);
    t.after(() => client.close());
    const shares = async (asked: { readonly project?: string }) => {
      const found: [number, string][] = [];
      for (let cursor: string | undefined, isMore = true; isMore;) {
        const slice = await client.call('export.metrics', { ...asked, limit: 3, ...defined({ cursor }) });
        found.push([
          slice.progress,
          slice.rows.map(({ project, value }) => `${project} ${JSON.stringify(value)}`).join(),
        ]);
        cursor = slice.next;
        isMore = cursor !== undefined;
      }
      return found;
    };
    assert.deepEqual(
      (await shares({})).map(([share]) => share),
      [0.25, 0.5, 0.75, 1, 1],
    );
    assert.deepEqual(await shares({ project: 'solar' }), [
      [0.25, 'solar 1,solar 2,solar 3'],
      [1, 'solar 4'],
    ]);
  });

  test('of metrics is of no source or type of records, and says so', async (t) => {
    const { folder, ...daemon } = await exportingDaemon(t, {});
    for (const option of ['--source', '--type']) {
      const { status, err } = await daemon.export('metrics', '--to', 'out', option, 'shop');
      assert.deepEqual(
        [status, err.trimEnd()],
        [2, `heronry: ${option}: metrics are of projects: expected --project or none`],
      );
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  test('wants rows by project, type and instant', async (t) => {
    const { store, folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await track(store, 'other');
    await see([item('a', { title: 'a' }), { type: 'offer', key: 'b', fields: { title: 'b' } }], 1_000);
    await see([item('c', { title: 'c' })], 2_000);
    const keys = async (name: string, ...words: string[]) => {
      const { status } = await daemon.export('records', '--to', name, ...words);
      return [
        status,
        ...linesOf(join(folder, name))
          .map(({ key }) => key)
          .sort(),
      ];
    };
    assert.deepEqual(await keys('type', '--type', 'offer'), [0, 'b']);
    assert.deepEqual(await keys('since', '--since', '1970-01-01T00:00:02Z'), [0, 'c']);
    assert.deepEqual(await keys('project', '--project', 'solar'), [0, 'a', 'b', 'c']);
    assert.deepEqual(await keys('none', '--project', 'other'), [0]);
    assert.equal((await daemon.export('records', '--to', 'nosuch', '--project', 'nosuch')).status, 3);
    assert.ok(!readdirSync(folder).includes('nosuch'));
    const again = await daemon.export('records', '--to', 'type', '--type', 'item');
    assert.equal(again.status, 4);
    assert.match(again.err, /holds records exported by --format ndjson --type offer: expected the same options/);
  });

  test('begins anew where the events since are not kept, the data were restored or a source renamed, and says so', async (t) => {
    const { store, folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see([item('a', { title: 'a' }), item('b', { title: 'b' })]);
    const expected = async (rows: number, told: RegExp) => {
      const { out, err } = await daemon.export('records', '--to', 'out', '--json');
      assert.equal((JSON.parse(out) as { rows: number }).rows, rows);
      assert.match(err, told);
    };
    await expected(2, /^$/);
    await see([item('c', { title: 'c' })]);
    await store.write(() => store.events.trim(1, 1_000));
    await expected(3, /the events since the last export are no longer kept: everything is exported again/);
    await store.write(() => store.meta.setGeneration('restored'));
    await expected(3, /the data are those of a restored backup/);
    await see([item('d', { title: 'd' })]);
    await renameSource(store, { from: 'shop', to: 'store' });
    await expected(4, /a source has another id/);
    assert.ok(filesIn(join(folder, 'out')).includes('records/store.item/000004.ndjson'));
  });

  test('begins anew once where a target has joined the project that it wants, and says so', async (t) => {
    const { store, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see([item('a', { title: 'a' })]);
    await track(store, 'other', 'https://shop.test/b');
    const exported = async (what: string, ...words: string[]) => {
      const { out, err } = await daemon.export(what, '--to', 'out', '--project', 'other', '--json', ...words);
      return [(JSON.parse(out) as { rows: number }).rows, err];
    };
    for (const what of ['records', 'history']) assert.deepEqual(await exported(what), [0, ''], what);
    const targets = ['b', 'solar'].map((name) => ({ source: 'shop', url: `https://shop.test/${name}` }));
    await updateProject(store, 'other', { targets });
    for (const what of ['records', 'history']) {
      const [rows, told] = await exported(what);
      assert.equal(rows, 1, what);
      assert.match(String(told), /the targets of the project, .* are not those of the last export: everything is/);
      assert.deepEqual(await exported(what), [0, ''], what);
    }
    const after = `${store.generation()}-${store.events.last()}`;
    await see([item('c', { title: 'c' })]);
    assert.deepEqual(await exported('records', '--to', 'behind', '--after', after), [1, ''], 'behind a bare event');
  });

  test('of a project has what one of its addresses shows for the first time, also where another project has seen it before', async (t) => {
    const { store, folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    const many = Array.from({ length: 1_200 }, (_, index) => item(`k${index}`, { title: 'one' }));
    await see(many);
    const [number = 0] = await track(store, 'other', 'https://shop.test/b');
    const keys = async () => {
      const before = new Set(filesIn(folder));
      assert.equal((await daemon.export('records', '--to', 'out', '--project', 'other')).err, '');
      const files = filesIn(folder).filter((file) => !before.has(file));
      return files.length === 0 ? [] : linesOf(folder, ...files).map(({ key }) => key);
    };
    const seeThere = async (...drafts: RecordDraft[]) =>
      commitStep(store, await begin(store, number), step(store.now(), drafts, {}));
    assert.deepEqual(await keys(), []);
    await seeThere(...many.slice(0, 1_100), item('new', { title: 'two' }));
    const found = await keys();
    assert.deepEqual([found.length, new Set(found).size, found.includes('new')], [1_101, 1_101, true]);
    await seeThere(...many.slice(1, 1_101));
    assert.deepEqual(await keys(), ['k1100']);
    assert.deepEqual(await keys(), []);
  });

  test('begins anew where more types of records are of the type that it wants', async (t) => {
    const { see, define, shareType, ...daemon } = await exportingDaemon(t, { title: 'text' });
    shareType('post', { title: 'text' });
    await see([item('a', { title: 'a' })]);
    const rows = async () =>
      (JSON.parse((await daemon.export('records', '--to', 'out', '--type', 'post', '--json')).out) as { rows: number })
        .rows;
    assert.equal(await rows(), 0);
    define({ title: 'text' }, 'post');
    assert.deepEqual([await rows(), await rows()], [1, 0]);
  });

  test('has one table for a shared type, and the fields that no definition names beside the others', async (t) => {
    const { folder, see, define, shareType, ...daemon } = await exportingDaemon(t, {});
    shareType('post', { title: 'text' });
    define({ title: 'text', likes: 'integer' }, 'post');
    await see([item('a', { title: 'A', likes: 2, old: ['x'] })]);
    await daemon.export('records', '--to', 'out', '--format', 'csv');
    const [head = '', row = ''] = readFileSync(join(folder, 'out/records/post/000001.csv'), 'utf8').split('\r\n');
    assert.deepEqual(head.split(',').slice(-2), ['title', '_more']);
    assert.match(
      row,
      /^shop,item,a,1,https:\/\/shop\.test\/,1970-01-01T00:16:40\.000Z,.*,A,"\{""likes"":2,""old"":\[""x""\]\}"$/,
    );
  });

  test('of a source that there is not is refused, and leaves nothing', async (t) => {
    const { folder, ...daemon } = await exportingDaemon(t, {});
    for (const what of ['records', 'history', 'events']) {
      const { status, err } = await daemon.export(what, '--source', 'shp', '--to', 'out');
      assert.deepEqual([status, err.trimEnd()], [3, 'heronry: no source "shp"; did you mean "shop"?'], what);
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  test('of a type of records that there is not is refused, and leaves nothing', async (t) => {
    const { folder, see, define, shareType, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see([{ type: 'offer', key: 'a', fields: {} }]);
    shareType('post', { title: 'text' });
    define({ title: 'text' }, 'post');
    for (const what of ['records', 'history']) {
      const { status, err } = await daemon.export(what, '--type', 'itm', '--to', 'out');
      assert.deepEqual(
        [status, err.trimEnd()],
        [3, 'heronry: source "shop" has no records of a type "itm"; did you mean "item"?'],
        what,
      );
    }
    assert.deepEqual(readdirSync(folder), []);
    for (const known of ['item', 'post', 'offer'])
      assert.equal((await daemon.export('records', '--type', known, '--to', known)).status, 0, known);
  });

  test('into a place that is no folder says what is there', async (t) => {
    const { folder, ...daemon } = await exportingDaemon(t, {});
    writeFileSync(join(folder, 'file'), '');
    for (const [to, text] of [
      ['file', 'file: is a file: expected a folder'],
      ['file/below', 'file/below: lies below a file: expected a folder'],
    ] as const) {
      const { status, err } = await daemon.export('records', '--to', to);
      assert.deepEqual([status, err.trimEnd()], [1, `heronry: ${folder}/${text}`]);
    }
  });

  test('into a folder of files that are not its own leaves them alone and says so, as where its cursor was removed', async (t) => {
    const { folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see([item('a', { title: 'a' })]);
    await daemon.export('records', '--to', 'out');
    rmSync(join(folder, 'out', 'cursor.json'));
    const before = linesOf(join(folder, 'out'));
    assert.match(
      (await daemon.export('records', '--to', 'out')).err,
      /records\/ holds files of which no cursor\.json tells/,
    );
    assert.deepEqual(linesOf(join(folder, 'out')), before);
  });

  test('into a folder waits for no other one there, but takes over from one that is dead', async (t) => {
    const { folder, see, ...daemon } = await exportingDaemon(t, { title: 'text' });
    await see([item('a', {})]);
    const held = await openFolder(join(folder, 'out'));
    const refused = await daemon.export('records', '--to', 'out');
    assert.deepEqual([refused.status, /an export by process \d+ is writing there/.test(refused.err)], [4, true]);
    await held.close();
    writeFileSync(join(folder, 'out', '.export.pid'), '999999999');
    assert.equal((await daemon.export('records', '--to', 'out')).status, 0);
    // A daemon that was killed may have had the number that this process has, as the first one of a container.
    writeFileSync(join(folder, 'out', '.export.pid'), String(process.pid));
    assert.equal((await daemon.export('records', '--to', 'out')).status, 0);
  });
});

describe('an export that is killed', () => {
  const table = recordTable({ id: 'shop.item', fields: [{ name: 'title', type: 'text' }] });
  const slices = 5;

  /** Five slices of five records, in files of at most ten. */
  const options: ExportOptions = {
    what: 'records',
    format: 'ndjson',
    wanted: {},
    limits: { rows: 10, bytes: 1e9, heldBytes: 100 },
    async read({ cursor = '0', after }) {
      const number = after === undefined ? Number(cursor) : slices - 1;
      const rows = Array.from({ length: 5 }, (_, index) => table.rowOf({ ...record, key: String(number * 5 + index) }));
      return {
        rows: after === undefined ? rows : [],
        upTo: 'gen-9',
        progress: 1,
        ...(number + 1 < slices && { next: String(number + 1) }),
      };
    },
    onProgress: () => undefined,
    onTold: () => undefined,
  };

  test('at any moment leaves whole files alone, and the next one has every row once', async (t) => {
    const { folder } = await exportingDaemon(t, {});
    let deaths = 0;
    for (let livesFor = 0; deaths === livesFor; livesFor += 1) {
      const path = join(folder, String(livesFor));
      const mortal = mortalFolder(await openFolder(path), livesFor);
      await runExport(mortal, options).catch((error: unknown) => {
        assert.match(String(error), /killed/);
        deaths += 1;
      });
      // The files of a process that died are left as they are; its lock is that of this process.
      for (const file of filesIn(path).filter((each) => each.startsWith('records')))
        assert.equal(linesOf(path, file).length % 5, 0);
      writeFileSync(join(path, '.export.pid'), '999999999');
      const next = await openFolder(path);
      await runExport(next, options);
      await next.close();
      const keys = linesOf(path).map(({ key }) => Number(key));
      assert.deepEqual(
        keys.sort((a, b) => a - b),
        Array.from({ length: slices * 5 }, (_, index) => index),
        `after ${livesFor} operations`,
      );
    }
    assert.ok(deaths > 6, `${deaths} deaths`);
  });

  /** A destination that stops working after some operations, before or after the last of them. */
  function mortalFolder(folder: Destination, operations: number): Destination {
    let left = operations;
    const live = async <T>(run: () => Promise<T>): Promise<T> => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return run();
    };
    return {
      ...folder,
      write: (name, text) => live(() => folder.write(name, text)),
      publish: (path, name) => live(() => folder.publish(path, name)),
      remove: (name) => live(() => folder.remove(name)),
    };
  }
});
