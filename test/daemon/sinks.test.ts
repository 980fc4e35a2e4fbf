import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { openReceiver } from '../publish/receiver.ts';
import {
  productPage,
  productSource,
  startDaemon,
  startDaemonIn,
  type TestDaemon,
  type TestDaemonOptions,
} from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };

/** A sink file of a webhook on loopback. */
function hook(id: string, url: string, more = 'from: all'): string {
  return `id: ${id}\nwebhook: { url: "${url}", allowPrivate: true }\n${more}\n`;
}

/** A daemon with a project on one product of a site. */
async function tracked(t: TestContext, options: Partial<TestDaemonOptions>) {
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const daemon = await startDaemon(t, { sources, settings: soon, ...options });
  await daemon.client.call('project.add', { id: 'solar', targets: [{ source: 'shop', url: site.url('/a') }] });
  await nth(1, 'scrape.completed', 'solar', daemon);
  return { site, daemon };
}

describe('a webhook of a daemon', () => {
  test('is told of a change of a record by an id that the log knows it by, in order for its key', async (t) => {
    const receiver = await openReceiver(t);
    const { site, daemon } = await tracked(t, { sinks: { team: hook('team', receiver.url) } });
    site.answer('/a', productPage('A', '2'));
    await daemon.client.call('project.rescrape', { id: 'solar' });
    await receiver.until(2);
    const events = daemon.events.filter(({ type }) => type.startsWith('record.'));
    const generation = daemon.daemon.parts.state.store().generation();
    assert.deepEqual(
      receiver.accepted.map(({ body }) => body),
      events.map((event) => ({ ...event, id: `${generation}-${event.id}` })),
    );
    assert.equal(receiver.accepted[1]?.headers['ce-type'], 'record.changed');
  });

  test('that cannot be reached loses nothing and fails no scrape, and gets what waited once it can be, after a restart too [J68]', async (t) => {
    // A port of which is known that nothing listens there.
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    server.close();
    await once(server, 'close');
    const sinks = { team: hook('team', `http://127.0.0.1:${port}/hook`, 'from: all\nretry: { first: 50ms }') };
    const { daemon } = await tracked(t, { sinks });
    assert.deepEqual(
      daemon.events.filter(({ type }) => type === 'scrape.failed'),
      [],
    );
    await daemon.close();
    const receiver = await openReceiver(t, port);
    await startDaemonIn(t, daemon.folder, { settings: soon });
    await receiver.until(1);
    assert.equal(receiver.accepted[0]?.headers['ce-type'], 'record.added');
  });

  test('is another one as soon as its file is, and none when it is gone', async (t) => {
    const [one, other] = [await openReceiver(t), await openReceiver(t)];
    const { site, daemon } = await tracked(t, { sinks: { team: hook('team', one.url) } });
    await one.until(1);
    const rescrape = async (price: string) => {
      site.answer('/a', productPage('A', price));
      await daemon.client.call('project.rescrape', { id: 'solar' });
    };
    const file = join(daemon.folder, 'sinks', 'team.yaml');
    await writeFile(file, hook('team', other.url));
    await daemon.client.call('source.reload', {});
    await rescrape('2');
    await other.until(1);
    assert.equal(one.all.length, 1);

    await writeFile(file, `${hook('team', one.url)}nonsense: 1\n`);
    const { problems } = await daemon.client.call('source.reload', {});
    assert.match(problems[0]?.message ?? '', /unknown key "nonsense"/);
    await rescrape('3');
    await other.until(2);

    await rm(file);
    await daemon.client.call('source.reload', {});
    assert.equal(daemon.daemon.parts.state.catalogue().sinks.size, 0);
  });
});

describe('a sink that a project or target links to', () => {
  test('is told of that one alone, with what the link says; one that nothing links to of nothing [J73]', async (t) => {
    const [ofA, ofProject, ofNone] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)];
    const site = await openSite(t, Object.fromEntries(['a', 'b', 'c'].map((id) => [`/${id}`, productPage(id, '1')])));
    const sinks = {
      page: hook('page', ofA.url, 'per: scrape'),
      team: hook('team', ofProject.url, 'events: [record.*]'),
      none: hook('none', ofNone.url, ''),
    };
    const daemon = await startDaemon(t, { sources, sinks, settings: soon });
    const target = (id: string) => ({ source: 'shop', url: site.url(`/${id}`) });
    const link = { sink: 'page', official: true, metadata: { artist: 7 } };
    await daemon.client.call('project.apply', {
      projects: [
        { id: 'solar', sinks: [{ sink: 'team' }], targets: [{ ...target('a'), sinks: [link] }, target('b')] },
        { id: 'lunar', targets: [target('c')] },
      ],
    });
    await nth(2, 'scrape.completed', 'solar', daemon);
    await nth(1, 'scrape.completed', 'lunar', daemon);
    await Promise.all([ofA.until(1), ofProject.until(2)]);
    const found = ofA.accepted.map(({ body }) => body as { readonly records: readonly { readonly key: string }[] });
    assert.deepEqual(
      found.map(({ records }) => records.map(({ key }) => key)),
      [['a']],
    );
    const { official, metadata } = (ofA.accepted[0] ?? assert.fail()).body as Omit<typeof link, 'sink'>;
    assert.deepEqual({ sink: 'page', official, metadata }, link);
    const keys = new Set(ofProject.accepted.map(({ headers }) => headers['ce-subject']));
    assert.deepEqual(keys, new Set(['shop/product/a', 'shop/product/b']));
    assert.equal(ofNone.all.length, 0);

    const { changes } = await daemon.client.call('project.apply', {
      projects: [{ id: 'solar', targets: [{ ...target('a'), sinks: [{ sink: 'none' }] }, target('b')] }],
    });
    assert.deepEqual(changes[0]?.details, [
      'sinks: [team] → []',
      `shop ${site.url('/a')}: sinks: [{ metadata: { artist: 7 }, official: true, sink: page }] → [none]`,
    ]);
    site.answer('/a', productPage('a', '2'));
    await daemon.client.call('project.rescrape', { id: 'solar' });
    await ofNone.until(1);
    assert.equal(ofProject.all.length, 2);
  });

  test('must be there', async (t) => {
    const { client } = await startDaemon(t, { sources, sinks: { team: hook('team', 'http://localhost/') } });
    await assert.rejects(
      client.call('project.add', {
        targets: [{ source: 'shop', url: 'http://localhost/a' }],
        sinks: [{ sink: 'taem' }],
      }),
      { code: 'not_found', message: 'sinks[0]: no sink "taem" is defined; did you mean "team"?' },
    );
  });
});

test('at most eight deliveries to webhooks are under way, over all sinks [J66]', async (t) => {
  const receiver = await openReceiver(t);
  const sinks = Object.fromEntries(
    ['one', 'two', 'three', 'four'].map((id) => [id, hook(id, receiver.url, 'from: all\nevents: [project.*]')]),
  );
  const daemon = await startDaemon(t, { sources, sinks, settings: soon });
  const held = Promise.withResolvers<void>();
  receiver.answer(async () => {
    if (receiver.most() === 8) setImmediate(held.resolve);
    await held.promise;
    return { status: 200 };
  });
  await tellOf(twenty, daemon);
  await receiver.until(80);
  assert.equal(receiver.most(), 8);
});

test('a receiver that does not answer stops no other sink', async (t) => {
  const [hanging, other] = [await openReceiver(t), await openReceiver(t)];
  const sinks = {
    hanging: hook('hanging', hanging.url, 'from: all\nevents: [project.*]'),
    other: hook('other', other.url, 'from: { projects: [late] }\nevents: [project.*]'),
  };
  const daemon = await startDaemon(t, { sources, sinks, settings: soon });
  const [reached, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  hanging.answer(async () => {
    reached.resolve();
    await end.promise;
    return { status: 200 };
  });
  await tellOf(twenty, daemon);
  await reached.promise;
  await tellOf(['late'], daemon);
  await other.until(1);
  assert.equal(hanging.all.length, 0);
  end.resolve();
});

const twenty = Array.from({ length: 20 }, (_, index) => `p${index}`);

/** Tells the log of projects, each by a message of its own key. */
async function tellOf(projects: readonly string[], { daemon }: Pick<TestDaemon, 'daemon'>): Promise<void> {
  const data = { name: 'p', labels: [], multiplier: 1, targets: [] };
  await daemon.parts.state.store().write((change) => {
    for (const id of projects) change.tell({ type: 'project.updated', projects: [id], data });
  });
}
