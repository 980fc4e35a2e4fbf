import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { ask, type Sent } from '../http/server.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const sources = { shop: productSource('shop') };

/** A daemon with two projects that were scraped once, and two tokens. */
async function startViewed(t: TestContext, { readOnly = false } = {}) {
  const site = await openSite(t, { '/lamp': productPage('Lamp', '1'), '/desk': productPage('Desk', '5') });
  const { promise: listening, resolve: httpListens } = Promise.withResolvers<number>();
  const http = { port: 0, readOnly };
  const served = await startDaemon(t, { sources, http, httpListens, threads: 1 });
  const port = await listening;
  const { client } = served;
  const isRead = (scraped: Set<string>) => scraped.size === 2;
  const scraped = new Set<string>();
  const read = served.event(({ type, projects }) => type === 'record.added' && isRead(scraped.add(String(projects))));
  await client.call('project.add', {
    id: 'lamp',
    labels: ['acme'],
    targets: [{ source: 'shop', url: site.url('/lamp') }],
  });
  await client.call('project.add', { id: 'desk', targets: [{ source: 'shop', url: site.url('/desk') }] });
  await read;
  const tokenOf = (label: string, labels?: string[]) =>
    client.call('token.create', { label, ...(labels && { labels }) });
  const tokens = { ann: await tokenOf('ann'), bob: await tokenOf('bob'), client: await tokenOf('client', ['acme']) };
  const send = (who: keyof typeof tokens, path: string, sent: Sent = {}) =>
    ask(port, path, { ...sent, token: tokens[who].token });
  return {
    ...served,
    port,
    tokens,
    send,
    /** Changes the lamp on its site, and has it scraped. */
    async changeLamp() {
      site.answer('/lamp', productPage('Lamp', '2'));
      const changed = served.event(({ type }) => type === 'record.changed');
      await client.call('project.rescrape', { id: 'lamp' });
      await changed;
    },
    /** The ids of the projects that a viewer is told to have changes that it has not viewed. */
    async unviewedBy(who: keyof typeof tokens, query = 'changes:unviewed') {
      const { json } = await send(who, `/v1/project/search?${new URLSearchParams({ query }).toString()}`);
      const { projects, unviewed } = json as { projects: { id: string }[]; unviewed: string[] };
      return query === '' ? unviewed : projects.map(({ id }) => id);
    },
    view: (who: keyof typeof tokens, body: object) => send(who, '/v1/viewings', { verb: 'POST', body }),
  };
}

describe('the changes of a project', () => {
  test('are unviewed by each viewer until that viewer has viewed them, and again once it changes', async (t) => {
    const { unviewedBy, view, changeLamp } = await startViewed(t);
    assert.deepEqual(await unviewedBy('ann'), ['desk', 'lamp']);
    assert.deepEqual((await view('ann', { ids: ['lamp'] })).json, { projects: 1 });
    assert.deepEqual((await view('ann', { ids: ['lamp'] })).json, { projects: 0 });
    assert.deepEqual([await unviewedBy('ann'), await unviewedBy('bob')], [['desk'], ['desk', 'lamp']]);
    assert.deepEqual((await view('ann', { query: '' })).json, { projects: 1 });
    assert.deepEqual(await unviewedBy('ann'), []);
    await changeLamp();
    assert.deepEqual(await unviewedBy('ann'), ['lamp']);
    assert.deepEqual(await unviewedBy('ann', ''), ['lamp']);
  });

  test('are viewed up to the event that the viewer has seen, and no further', async (t) => {
    const { unviewedBy, view, changeLamp, client, send } = await startViewed(t);
    const { lastEvent } = await client.call('daemon.status', {});
    await changeLamp();
    await view('ann', { ids: ['lamp', 'desk'], upTo: lastEvent });
    assert.deepEqual(await unviewedBy('ann'), ['lamp']);
    assert.deepEqual((await send('ann', '/v1/viewings/lamp')).json, { upTo: lastEvent, unviewed: true });
    assert.deepEqual((await send('ann', '/v1/viewings/desk')).json, { upTo: lastEvent, unviewed: false });
    assert.deepEqual((await send('bob', '/v1/viewings/desk')).json, { unviewed: true });
    assert.equal((await view('ann', { ids: ['lamp'], upTo: 1_000_000 })).status, 400);
  });

  test('that a deleted project had are none of another project of its id', async (t) => {
    const { unviewedBy, client } = await startViewed(t);
    const { targets } = await client.call('project.get', { id: 'desk' });
    await client.call('project.delete', { id: 'desk' });
    const at = targets.map(({ source, url }) => ({ source, url: `${url}?other` }));
    await client.call('schedule.pause', {});
    await client.call('project.add', { id: 'desk', targets: at });
    assert.deepEqual(await unviewedBy('ann'), ['lamp']);
  });

  test('of projects that a limited token does not see are neither told to it nor viewed by it', async (t) => {
    const { unviewedBy, view, send } = await startViewed(t);
    assert.deepEqual(await unviewedBy('client'), ['lamp']);
    assert.deepEqual((await view('client', { ids: ['desk'] })).json, { projects: 0 });
    assert.deepEqual((await view('client', { query: '' })).json, { projects: 1 });
    assert.equal((await send('client', '/v1/viewings/desk')).status, 404);
  });

  test('are viewed by the owner wherever it comes from, and by no token with it', async (t) => {
    const { unviewedBy, client } = await startViewed(t);
    await client.call('viewing.add', { query: 'lamp' });
    assert.deepEqual((await client.call('project.search', {})).unviewed, ['desk']);
    assert.deepEqual(await unviewedBy('ann'), ['desk', 'lamp']);
  });

  test('cannot be noted as viewed where HTTP is read-only', async (t) => {
    const { view, unviewedBy, send } = await startViewed(t, { readOnly: true });
    assert.equal((await view('ann', { ids: ['lamp'] })).status, 403);
    assert.equal((await send('ann', '/v1/views', { verb: 'POST', body: { name: 'x', query: 'y' } })).status, 403);
    assert.deepEqual(await unviewedBy('ann'), ['desk', 'lamp']);
    assert.doesNotMatch((await send('ann', '/projects')).text, /act\/view/);
  });

  test('are marked on the pages, with forms that note them as viewed', async (t) => {
    const { port, send, unviewedBy } = await startViewed(t);
    const post = (path: string, fields: Record<string, string>) =>
      send('ann', path, {
        verb: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
        body: new URLSearchParams(fields).toString(),
      });
    const mark = /<span class="status unviewed">unviewed<\/span>/g;
    assert.equal((await send('ann', '/projects')).text.match(mark)?.length, 2);
    // That a page is asked for notes nothing.
    for (let time = 0; time < 2; time += 1) assert.match((await send('ann', '/projects/lamp')).text, /id="unviewed"/);
    const upTo = /data-up-to="(\d+)"/.exec((await send('ann', '/projects/lamp')).text)?.[1] ?? '';
    await post('/act/viewing.add', { ids: 'lamp', upTo });
    assert.doesNotMatch((await send('ann', '/projects/lamp')).text, /id="unviewed"/);
    assert.equal((await send('ann', '/projects')).text.match(mark)?.length, 1);
    await post('/act/viewing.add', { query: '""', upTo });
    assert.deepEqual(await unviewedBy('ann'), []);
  });
});

describe('saved views', () => {
  test('belong to one viewer', async (t) => {
    const { send, client } = await startViewed(t);
    const body = { name: 'Late lamps', query: 'lamp state:late' };
    assert.equal((await send('ann', '/v1/views', { verb: 'POST', body })).status, 200);
    assert.deepEqual((await send('ann', '/v1/views')).json, { views: [body] });
    assert.deepEqual((await send('bob', '/v1/views')).json, { views: [] });
    assert.deepEqual(await client.call('view.list', {}), { views: [] });
    assert.match((await send('ann', '/projects')).text, /href="projects\?q=lamp\+state%3Alate"/);
    assert.equal((await send('bob', '/v1/views/Late%20lamps', { verb: 'DELETE' })).status, 404);
    assert.equal((await send('ann', '/v1/views/Late%20lamps', { verb: 'DELETE' })).status, 200);
    assert.deepEqual((await send('ann', '/v1/views')).json, { views: [] });
  });

  test('are bounded, and hold searches that can be made', async (t) => {
    const { client } = await startDaemon(t, { sources, apiOnly: true });
    const add = (name: string, query = 'lamp') => client.call('view.add', { name, query });
    await add('one');
    await assert.rejects(add('one'), { code: 'conflict', message: /a view "one" exists already/ });
    await assert.rejects(add('x'.repeat(61)), { code: 'invalid_params', message: /name/ });
    await assert.rejects(add('two', 'state:bright'), { code: 'invalid_params', message: /query: unknown state/ });
    for (let number = 1; number < 50; number += 1) await add(`view ${number}`);
    await assert.rejects(add('more'), { code: 'conflict', message: /50 views are saved/ });
    await client.call('view.delete', { view: 'one' });
    await add('more');
  });
});
