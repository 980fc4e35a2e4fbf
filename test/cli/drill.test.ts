import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { run } from './terminal.ts';

const definition =
  'id: trials\nrecords: { trial: { key: id, fields: { id: { json: $.id }, title: { json: $.title } } } }\nprovider: json\n';

test('a drill refuses a source without saved pages and a page without anything to change', async (t) => {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', 'trials.yaml'), definition);
  const bare = await run(['drill', 'trials'], { cwd });
  assert.match(bare.err, /no saved page of trials in .*: `heronry fixture add` saves one/);
  assert.equal(bare.status, 3);
  await writeFile(join(cwd, 'page.json'), '{"id":"a","title":"A"}');
  await run(['fixture', 'add', 'trials', 'https://trials.example/a', '--file', 'page.json'], { cwd });
  const { err, status } = await run(['drill', 'trials'], { cwd });
  assert.equal(status, 1);
  assert.match(err, /fixtures\/trials\/a\.json: nothing to change: expected a page in HTML/);
});
