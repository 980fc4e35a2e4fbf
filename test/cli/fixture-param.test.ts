import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { pagesPlugin, pluggedSource, startPlugged } from '../daemon/plugins/plugging.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

describe('fixture add', () => {
  test('saves the page of a target that has parameters, as `try` takes them', async (t) => {
    const site = await openSite(t, { '/p/solar': productPage('S1', '5.00') });
    const definition = productSource('shop', `url: "${site.origin}/p/{slug}"`);
    const { socket, folder } = await startDaemon(t, { sources: { shop: definition } });
    const words = ['fixture', 'add', 'shop', '--param', 'slug=solar'];
    const { status, out, err } = await run([...words, '--socket', socket], { cwd: folder });
    assert.equal(status, 0, err);
    assert.match(out, /^wrote fixtures\/shop\/solar\.html\n/);
    const expected = await readFile(join(folder, 'fixtures/shop/solar.expected.json'), 'utf8');
    assert.equal(JSON.parse(expected).url, site.url('/p/solar'));
    await writeFile(join(folder, 'page.html'), productPage('S2', '5.00'));
    const held = await run([...words, '--name', 'held', '--file', 'page.html'], { cwd: folder });
    assert.equal(held.status, 0, held.err);
    const other = await readFile(join(folder, 'fixtures/shop/held.expected.json'), 'utf8');
    assert.equal(JSON.parse(other).url, site.url('/p/solar'));
  });

  test('saves the page of a target whose plug-in alone knows where it is', async (t) => {
    const site = await openSite(t, { '/sleep': { body: '{"trials":[{"id":"t1"}]}' } });
    const plugin = pagesPlugin.replace('({ url, cursor })', '({ params, cursor })');
    const asks = plugin.replace('new URL(url)', `new URL('/' + params.topic, '${site.origin}')`);
    const sources = { register: pluggedSource('register') };
    const { socket, folder } = await startPlugged(t, { 'register.ts': asks }, { sources });
    const words = ['fixture', 'add', 'register', '--param', 'topic=sleep', '--socket', socket];
    const { status, out, err } = await run(words, { cwd: folder });
    // What a slow machine is told while it waits.
    assert.deepEqual([status, err.replace('waiting for a turn at its host, or for the answer\n', '')], [0, '']);
    assert.match(out, /^wrote fixtures\/register\/register\.html\n.*\nit gives 1 record; /);
  });

  test('takes either an address or the parameters of one', async (t) => {
    const cwd = await temporaryDirectory(t);
    await mkdir(join(cwd, 'sources'));
    await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop'));
    await writeFile(join(cwd, 'page.html'), productPage('S1', '5.00'));
    const both = ['http://127.0.0.1/p/solar', '--param', 'slug=solar'];
    const refused = await run(['fixture', 'add', 'shop', ...both, '--file', 'page.html'], { cwd });
    assert.equal(refused.status, 2);
    assert.match(refused.err, /fixture add: expected either a URL or --param, got both/);
    const { status, err } = await run(['fixture', 'add', 'shop', '--param', 'slug=a', '--file', 'page.html'], { cwd });
    assert.deepEqual([status, /has no address pattern: give a URL/.test(err)], [2, true]);
  });
});
