import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { writeWhole } from '../../src/definition/whole-file.ts';

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'heronry-whole-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a file that is written whole', () => {
  for (const mode of [0o664, 0o600, 0o646])
    test(`keeps its mode ${mode.toString(8)}, whatever the umask`, async (t) => {
      const file = join(newFolder(t), 'shop.yaml');
      writeFileSync(file, 'a');
      chmodSync(file, mode);
      await writeWhole(file, 'b');
      assert.equal(readFileSync(file, 'utf8'), 'b');
      assert.equal(statSync(file).mode & 0o777, mode);
    });

  test('has the mode of other new files where it was none', async (t) => {
    const folder = newFolder(t);
    await writeWhole(join(folder, 'new.yaml'), 'a');
    writeFileSync(join(folder, 'other.yaml'), 'a');
    const [mode, usual] = ['new.yaml', 'other.yaml'].map((name) => statSync(join(folder, name)).mode);
    assert.equal(mode, usual);
  });

  test('leaves no draft where it cannot take its place', async (t) => {
    const folder = newFolder(t);
    const file = join(folder, 'shop.yaml');
    mkdirSync(join(file, 'inner'), { recursive: true });
    await assert.rejects(writeWhole(file, 'b'));
    assert.deepEqual(readdirSync(folder), ['shop.yaml']);
  });
});
