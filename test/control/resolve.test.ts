import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { run } from '../cli/terminal.ts';

/** A daemon with two sources on one site: one with an address pattern, one of lists on the same host. */
async function shops(t: Parameters<typeof startDaemon>[0]) {
  const site = await openSite(t, { '/p/solar': productPage('S1', '5.00'), '/p/lunar': productPage('S2', '6.00') });
  const { client, socket } = await startDaemon(t, {
    sources: {
      shop: productSource('shop', `url: "${site.origin}/p/{slug}"`),
      lists: productSource('lists', `url: "${site.origin}/lists/{name}"`),
      far: productSource('far', 'url: "https://far.example/{slug}"'),
    },
  });
  return { site, client, socket };
}

describe('an address that a person gives', () => {
  test('belongs to the source whose pattern makes it, with what fills the pattern (J74)', async (t) => {
    const { site, client } = await shops(t);
    const url = site.url('/p/solar');
    assert.deepEqual(await client.call('source.resolve', { url }), {
      matches: [{ source: 'shop', params: { slug: 'solar' }, url }],
    });
  });

  test('belongs to the source that names exactly it before one whose pattern makes it', async (t) => {
    const site = await openSite(t, { '/p/solar': productPage('S1', '5.00') });
    const { client } = await startDaemon(t, {
      sources: {
        shop: productSource('shop', `url: "${site.origin}/p/{slug}"`),
        solar: productSource('solar', `url: "${site.origin}/p/solar"`),
      },
    });
    const { matches } = await client.call('source.resolve', { url: site.url('/p/solar') });
    assert.deepEqual(
      matches.map(({ source }) => source),
      ['solar'],
    );
  });

  test('else to every source on its host', async (t) => {
    const { site, client } = await shops(t);
    const { matches } = await client.call('source.resolve', { url: site.url('/') });
    assert.deepEqual(matches.map(({ source }) => source).sort(), ['lists', 'shop']);
    assert.deepEqual(await client.call('source.resolve', { url: 'https://nowhere.example/' }), { matches: [] });
  });

  test('makes a project without its source being named, and once only (J74)', async (t) => {
    const { site, client, socket } = await shops(t);
    const url = site.url('/p/solar');
    const added = await run(['add', 'solar', '--url', url, '--socket', socket]);
    assert.equal(added.status, 0, added.err);
    assert.match(added.out, /^target \d+ {2}shop {2}active/m);
    const again = await run(['add', 'other', '--url', `${site.origin}/p/%73olar`, '--socket', socket]);
    assert.equal(again.status, 4);
    assert.match(again.err, /project "solar" watches .*\/p\/%73olar on shop already: name the source to watch it too/);
    const { matches } = await client.call('source.resolve', { url });
    assert.deepEqual(matches[0]?.projects, ['solar']);
    // Whoever names the source means it.
    const shared = await run(['add', 'other', '-s', 'shop', '--url', url, '--socket', socket]);
    assert.equal(shared.status, 0);
    assert.match(shared.out, /shared +with solar$/m);
  });

  test('may be tracked again once its project is archived', async (t) => {
    const { site, client } = await shops(t);
    const targets = [{ url: site.url('/p/solar') }];
    await client.call('project.add', { id: 'solar', targets });
    await client.call('project.archive', { id: 'solar' });
    assert.equal((await client.call('project.add', { id: 'again', targets })).targets[0]?.source, 'shop');
  });

  test('is refused where no source knows it, with what sources there are (J74)', async (t) => {
    const { site, socket } = await shops(t);
    const unknown = await run(['add', 'x', '--url', 'https://nowhere.example/x', '--socket', socket]);
    assert.equal(unknown.status, 2);
    assert.match(
      unknown.err,
      /no source knows https:\/\/nowhere\.example\/x: there are far \(https:\/\/far\.example\/\{slug\}\), lists \(/,
    );
    const unclear = await run(['add', 'x', '--url', site.url('/about'), '--socket', socket]);
    assert.equal(unclear.status, 2);
    assert.match(unclear.err, /\/about may be on lists, shop: expected "source" to name one of them/);
  });

  test('is needed where no source is named', async (t) => {
    const { client } = await shops(t);
    await assert.rejects(
      client.call('project.add', { targets: [{ params: { slug: 'x' } }] }),
      (error) =>
        error instanceof ControlError &&
        error.code === 'invalid_params' &&
        /targets\[0\]\.source/.test(JSON.stringify(error.issues)) &&
        /expected "source", as there is no "url" to find it by/.test(error.message),
    );
  });
});
