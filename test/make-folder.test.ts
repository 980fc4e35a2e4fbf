import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { makeFolder } from '../src/make-folder.ts';

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-folder-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('a folder is made with those above it, for its owner alone, and may be there', async (t) => {
  const top = await temporary(t);
  const path = join(top, 'a', 'b', 'c');
  await Promise.all([makeFolder(path), makeFolder(path)]);
  await makeFolder(path);
  assert.equal((await stat(join(top, 'a'))).mode & 0o777, 0o700);
  await symlink(path, join(top, 'link'));
  await makeFolder(join(top, 'link', 'd'));
  assert.ok((await stat(join(path, 'd'))).isDirectory());
});

test('a folder is made by several at once, each of which may find what another has just made', async (t) => {
  const top = await temporary(t);
  for (let round = 0; round < 100; round += 1) {
    const path = join(top, String(round), 'a', 'b');
    await Promise.all(Array.from({ length: 4 }, () => makeFolder(path)));
  }
});

test('a folder that cannot be made is an error of the system', async (t) => {
  const top = await temporary(t);
  await writeFile(join(top, 'file'), '');
  await assert.rejects(makeFolder(join(top, 'file')), { code: 'EEXIST' });
  await assert.rejects(makeFolder(join(top, 'file', 'a', 'b')), { code: 'ENOTDIR' });
  await mkdir(join(top, 'gone'));
  await symlink(join(top, 'gone', 'none'), join(top, 'dangling'));
  await assert.rejects(makeFolder(join(top, 'dangling', 'a')), { code: 'EEXIST' });
});

test('below a folder in which nothing can be made too', { skip: process.platform !== 'linux' }, async () => {
  await assert.rejects(makeFolder('/proc/heronry/a'), { code: 'ENOENT' });
});
