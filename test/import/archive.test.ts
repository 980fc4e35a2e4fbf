import assert from 'node:assert/strict';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { openArchive } from '../../src/import/archive.ts';
import { temporaryDirectory } from '../control/daemon.ts';
import { archiveOf, importOf, importWatch, notesOf, settings, uuid, watchOf } from './backup.ts';
import { writeZip } from './zip.ts';

describe('a hostile archive', () => {
  test('with names that lead elsewhere writes nothing, and its other files are read', async (t) => {
    const names = [
      '../../evil.json',
      '/etc/evil.json',
      String.raw`..\evil.json`,
      `${uuid(2)}/../../watch.json`,
      'x\0y/watch.json',
    ];
    const imported = await importOf(t, [
      ...names.map((name) => [name, JSON.stringify(watchOf({ url: 'https://evil.example/' }))] as const),
      ['changedetection.json', settings()],
      [`${uuid(1)}/watch.json`, JSON.stringify(watchOf({ url: 'https://a.example/' }))],
    ]);
    assert.deepEqual(
      imported.files.map(({ path }) => path),
      ['sources/a-example.yaml', 'projects-changedetection.yaml'],
    );
  });

  test('with titles like paths gives ids that are none', async (t) => {
    for (const title of ['../../etc/passwd', '/', '..', 'con\u0000', '日本', 'page'])
      for (const { path } of (await importWatch(t, { title })).files)
        assert.match(path, /^(?:sources\/[a-z0-9][a-z0-9-]*\.yaml|projects-changedetection\.yaml)$/);
  });

  test('whose files are larger than they say, or than is read, has them listed', async (t) => {
    const huge = Buffer.alloc(70 * 2 ** 20);
    const imported = await importOf(t, [
      ['changedetection.json', settings()],
      [`${uuid(1)}/watch.json`, { body: Buffer.alloc(10_000, ' '), saysBytes: 100 }],
      [`${uuid(2)}/watch.json`, huge],
      [`${uuid(3)}/watch.json`, JSON.stringify(watchOf({ url: 'https://a.example/' }))],
    ]);
    assert.equal(imported.watches.length, 1);
    const notes = notesOf(imported);
    assert.match(notes[0] ?? '', /0001\/watch.json: .*too many bytes/);
    assert.match(notes[1] ?? '', /0002\/watch.json: a file of 73400320 bytes/);
  });

  test('with a snapshot that expands without end, or is damaged, has the others', async (t) => {
    const imported = await importWatch(t, {}, {}, [
      [`${uuid(1)}/history.txt`, '1700000000,a.txt.br\n1700000100,b.txt.br\n1700000200,c.txt\n'],
      [`${uuid(1)}/a.txt.br`, brotliCompressSync(Buffer.alloc(40 * 2 ** 20))],
      [`${uuid(1)}/b.txt.br`, 'no brotli'],
      [`${uuid(1)}/c.txt`, 'fine'],
    ]);
    const versions = [];
    for await (const each of imported.histories) versions.push(...each.versions);
    assert.deepEqual(
      versions.map(({ fields }) => fields['text']),
      ['fine'],
    );
    assert.match(notesOf(imported).join(), /2 of its snapshots: they are damaged or too large/);
  });

  test('that is none is refused: cut, empty, or of something else', async (t) => {
    const folder = await temporaryDirectory(t);
    const file = join(folder, 'backup.zip');
    await writeFile(file, 'no archive');
    await assert.rejects(openArchive(file), { name: 'ArchiveError' });
    await writeZip(file, [['a', 'b'.repeat(10_000)]]);
    await truncate(file, 60);
    await assert.rejects(openArchive(file), { name: 'ArchiveError' });
    await assert.rejects(openArchive(join(folder, 'none.zip')), { name: 'ArchiveError' });
    await assert.rejects(importOf(t, [['readme.txt', 'hello']]), /no backup of changedetection.io/);
    assert.deepEqual(await readdir(folder), ['backup.zip']);
  });

  test('with a name twice gives the first', async (t) => {
    const archive = await archiveOf(t, [
      ['a', 'one'],
      ['a', 'two'],
    ]);
    assert.equal((await archive.read('a'))?.toString(), 'one');
    assert.equal(await archive.read('b'), undefined);
  });
});
