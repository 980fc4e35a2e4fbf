import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

/** Runs validate in a folder with one source and these files. */
async function validated(t: TestContext, files: Readonly<Record<string, string>>, path = '.') {
  const cwd = await temporaryDirectory(t);
  for (const [name, text] of Object.entries({ 'sources/shop.yaml': productSource('shop'), ...files })) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  return run(['validate', path], { cwd });
}

const calling = `id: nightly
jobs:
  process: { call: { plugin: merge.ts, function: merge, secrets: [MERGE_KEY] } }
`;

describe('validate of pipelines', () => {
  test('counts them, and takes the plug-in that one calls for no provider', async (t) => {
    const files = { 'pipelines/nightly.yaml': calling, 'plugins/merge.ts': 'export function merge() {}\n' };
    const { status, out, err } = await validated(t, files);
    assert.deepEqual([status, out], [0, '1 source and 0 projects and 1 plug-in and 1 pipeline, no problems\n']);
    assert.match(err, /^warning: pipeline nightly: .*MERGE_KEY/);
    assert.match((await validated(t, files, 'pipelines/nightly.yaml')).out, /and 1 pipeline, no problems/);
  });

  test('names the place of a plug-in that there is not, and of what is wrong in the file', async (t) => {
    const { status, out } = await validated(t, { 'pipelines/nightly.yaml': calling });
    assert.equal(status, 2);
    assert.match(out, /nightly\.yaml:3:30: jobs\.process\.call\.plugin: there is no file "merge\.ts" in /);
    const wrong = calling.replace('function:', 'fnction:');
    assert.match(
      (await validated(t, { 'pipelines/nightly.yaml': wrong }, 'pipelines/nightly.yaml')).out,
      /nightly\.yaml:3:40: jobs\.process\.call\.fnction: unknown key "fnction"; did you mean "function"\?/,
    );
  });
});
