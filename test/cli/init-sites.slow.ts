import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { heldWeb } from '../support/web/held-web.ts';
import { run } from './terminal.ts';

/** Pages of the demo web, how many records a draft of them reads, and what its definition says. */
const pages: readonly (readonly [path: string, records: number, ...says: RegExp[]])[] = [
  ['/crowd/', 12, /key: slug # tells the 12/, /feed: \{ by: link \}/],
  ['/crowd/folding-kayak', 1, /title: \{ css: h1 \}/],
  ['/shop/', 4, /key: link/],
  ['/shop/c/tools', 12, /key: sku # tells the 12/, /feed: \{ by: link \}/],
  ['/shop/p/shoes-1007', 1, /key: sku/, /in: ld\+json/],
  ['/register/', 10, /key: id # tells the 10/, /updated: \{ css: \.updated, type: date \}/],
  ['/social/', 4, /key: link/],
];

test('init source drafts a valid definition of each page of the demo web, which gives its records', async (t) => {
  const web = await heldWeb(t);
  const cwd = await temporaryDirectory(t);
  for (const [path, records, ...says] of pages) {
    await writeFile(join(cwd, 'page.html'), await web.text(path));
    const words = ['init', 'source', `https://demo.example${path}`, '--id', 'demo', '--file', 'page.html', '--force'];
    const { status, err } = await run(words, { cwd });
    assert.equal(status, 0, err);
    const definition = await readFile(join(cwd, 'sources', 'demo.yaml'), 'utf8');
    for (const each of says) assert.match(definition, each);
    assert.equal((await run(['validate'], { cwd })).status, 0);
    const { drafts, unparsed, repeated } = JSON.parse((await run(['try', 'demo', 'page.html', '--json'], { cwd })).out);
    assert.deepEqual([path, drafts.length, unparsed, repeated], [path, records, [], undefined]);
  }
});
