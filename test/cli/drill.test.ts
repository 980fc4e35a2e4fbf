import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productPage } from '../support/daemon.ts';
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
  assert.match(
    err,
    /^skipped: .*\/fixtures\/trials\/a\.json: nothing to change: expected a page in HTML.*\nheronry: no saved page of trials has anything to change\n$/,
  );
});

test('a drill skips a saved page without anything to change, and one that cannot be read, says so, and drills the others', async (t) => {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(
    join(cwd, 'sources', 'shop.yaml'),
    'id: shop\ncrawl: { detail: [/p/] }\nrecords: { product: { key: sku, fields: { sku: { css: h1 }, price: { css: .price, type: money } } } }\n',
  );
  await writeFile(join(cwd, 'start.html'), '<p>Nothing here leads on.</p>');
  await writeFile(join(cwd, 'kettle.html'), productPage('S1', '5.00'));
  const add = (url: string, file: string, name: string) =>
    run(['fixture', 'add', 'shop', url, '--file', file, '--name', name], { cwd });
  await add('https://shop.example/p/1', 'kettle.html', 'broken');
  await add('https://shop.example/', 'start.html', 'front');
  await add('https://shop.example/p/1', 'kettle.html', 'kettle');
  await writeFile(join(cwd, 'fixtures', 'shop', 'broken.expected.json'), '{');
  const { out, err } = await run(['drill', 'shop'], { cwd });
  assert.match(
    err,
    /^skipped: .*\/fixtures\/shop\/broken\.expected\.json: expected JSON.*\nskipped: .*\/fixtures\/shop\/front\.html: nothing to change: /,
  );
  assert.match(out, /^kettle\t/m);
  assert.doesNotMatch(out, /^(front|broken)\t/m);
});
