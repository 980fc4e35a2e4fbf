import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PluginName, PluginSecrets } from '../../src/definition/plugin.ts';
import { readPlugin } from '../../src/definition/plugin-file.ts';

describe('the name of a plug-in', () => {
  test('is that of one file in the folder itself', () => {
    for (const name of ['a.ts', 'my-shop.v2.mjs', '_x.js', 'A.mts'])
      assert.ok(PluginName.safeParse(name).success, name);
    for (const name of [
      '',
      '.ts',
      '../a.ts',
      'a/b.ts',
      'a\\b.ts',
      '.hidden.ts',
      'a.cjs',
      'a.ts\n',
      'a.json',
      '/etc/a.ts',
      'C:a.ts',
      'a.d.ts/',
      5,
    ])
      assert.equal(PluginName.safeParse(name).success, false, String(name));
  });

  test('is refused with what was expected', () => {
    const [issue] = PluginName.safeParse('../a.ts').error?.issues ?? [];
    assert.match(issue?.message ?? '', /expected the name of a file in the folder of plug-ins .*, got "\.\.\/a\.ts"/);
  });
});

test('secrets are named as everywhere', () => {
  assert.ok(PluginSecrets.safeParse(['SHOP_TOKEN']).success);
  assert.equal(PluginSecrets.safeParse(['shop token']).success, false);
});

describe('the file of a plug-in', () => {
  test('is read whole, and its version follows its content', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
    context.after(() => rm(folder, { recursive: true }));
    const versions = [];
    for (const text of ['one', 'two', 'one']) {
      await writeFile(join(folder, 'a.ts'), text);
      const read = await readPlugin(folder, 'a.ts');
      assert.ok(read.ok);
      assert.equal(read.plugin.source, text);
      versions.push(read.plugin.version);
    }
    assert.match(versions[0] ?? '', /^[0-9a-f]{16}$/);
    assert.equal(versions[0], versions[2]);
    assert.notEqual(versions[0], versions[1]);
  });

  test('that is none, or too large, is said so', async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
    context.after(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'large.ts'), ' '.repeat(1024 * 1024 + 1));
    await symlink('/dev/zero', join(folder, 'device.ts'));
    const messages = [];
    for (const name of ['none.ts', 'large.ts', 'device.ts']) {
      const read = await readPlugin(folder, name);
      messages.push(read.ok ? 'read' : read.message);
    }
    assert.match(messages[0] ?? '', /there is no such file/);
    assert.match(messages[1] ?? '', /expected at most 1048576 bytes/);
    assert.match(messages[2] ?? '', /expected a regular file/);
  });
});
