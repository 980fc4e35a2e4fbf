import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { nth, soon } from '../daemon/tracking.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const broken = productSource('shop').replace('provider: html', 'provider: htlm');
const says = /^heronry: 1 problem; .*:\n.*sources\/shop\.yaml:\d+:\d+: provider: expected one of html, .*"html"\?$/m;

/** A daemon whose only definition was broken after its start. */
async function withBroken(t: TestContext) {
  const { socket, define } = await startDaemon(t, { sources: { shop: productSource('shop') } });
  await define('shop', broken);
  return (...words: string[]) => run(['sources', ...words, '--socket', socket]);
}

describe('sources --reload', () => {
  test('tells what is wrong in the files, once, and leaves with the status of a wrong configuration', async (t) => {
    const sources = await withBroken(t);
    const { status, out, err } = await sources('--reload');
    assert.equal(status, 2);
    assert.match(err, /^0 sources changed, 0 removed$/m);
    assert.match(err, says);
    assert.match(out, /^shop\tdefinition_error\t/m);
    assert.doesNotMatch(out, /htlm/);
    // To list what is there is no failure.
    const listed = await sources();
    assert.deepEqual([listed.status, listed.err], [0, '']);
    assert.match(listed.out, /shop\.yaml:\d+:\d+: provider: expected one of html/);
  });

  test('lists the sources that it has changed, and those with a problem, and no others', async (t) => {
    const sources = { shop: productSource('shop'), other: productSource('other') };
    const { socket, define } = await startDaemon(t, { sources });
    const reload = async () => (await run(['sources', '--reload', '--socket', socket])).out;
    assert.equal(await reload(), '');
    await define('other', productSource('other').replace('key: sku', 'key: [sku, price]'));
    assert.match(await reload(), /^SOURCE\t.*\nother\t.*\n$/);
  });

  test('does so for machines as well', async (t) => {
    const sources = await withBroken(t);
    const { status, out, err } = await sources('--reload', '--json');
    assert.equal(status, 2);
    assert.equal(JSON.parse(out)[0].status, 'definition_error');
    const { error } = JSON.parse(err.trim().split('\n').at(-1) ?? '');
    assert.equal(error.code, 'usage');
    assert.match(error.message, /shop\.yaml:\d+:\d+: provider: /);
  });

  test('leaves with 0 where nothing is wrong', async (t) => {
    const { socket } = await startDaemon(t, { sources: { shop: productSource('shop') } });
    const { status, err } = await run(['sources', '--reload', '--ids', '--socket', socket]);
    assert.deepEqual({ status, err }, { status: 0, err: '0 sources changed, 0 removed\n' });
  });

  test('tells how many records have a key that is no longer theirs, and how to remove them', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, settings: soon });
    await daemon.client.call('project.add', { id: 'a', targets: [{ source: 'shop', url: site.url('/a') }] });
    await nth(1, 'scrape.completed', 'a', daemon);
    await daemon.define('shop', productSource('shop').replace('key: sku', 'key: [sku, price]'));
    const { err } = await run(['sources', '--reload', '--socket', daemon.socket]);
    const [, words = ''] =
      /^shop: product has another key now, and 1 record the old one: .* `heronry (.*)` removes/m.exec(err) ?? [];
    await daemon.client.call('project.rescrape', { id: 'a' });
    await nth(2, 'scrape.completed', 'a', daemon);
    const removed = await run([...words.split(' '), '--socket', daemon.socket]);
    assert.equal(removed.out, 'product A\n1 record removed\n');
    const { records } = await daemon.client.call('source.records', { id: 'shop' });
    assert.equal(records.length, 1);
    assert.match(
      (await run(['sources', '--reload', '--socket', daemon.socket])).err,
      /^0 sources changed, 0 removed\n$/,
    );
  });

  test('names the sinks that are new, differ or are gone', async (t) => {
    const { socket, folder } = await startDaemon(t, { sources: { shop: productSource('shop') } });
    const reload = async () => (await run(['sources', '--reload', '--socket', socket])).err;
    const file = join(folder, 'sinks', 'team.yaml');
    const write = (events: string) =>
      writeFile(file, `id: team\nwebhook: { url: 'https://example.org/in' }\nevents: [${events}]\n`);
    await mkdir(dirname(file), { recursive: true });
    await write('record.*');
    assert.equal(await reload(), '0 sources changed, 0 removed\n1 sink changed: team\n');
    assert.equal(await reload(), '0 sources changed, 0 removed\n');
    await write('ticket.*');
    assert.match(await reload(), /^1 sink changed: team$/m);
    await rm(file);
    assert.match(await reload(), /^1 sink changed: team$/m);
  });
});
