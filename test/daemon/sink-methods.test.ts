import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { run } from '../cli/terminal.ts';
import { openReceiver } from '../publish/receiver.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

/** A daemon with three products and one sink, which has been told of them. */
async function told(t: TestContext, more = '') {
  const receiver = await openReceiver(t);
  const site = await openSite(t, {
    '/a': productPage('A', '1'),
    '/b': productPage('B', '2'),
    '/c': productPage('C', '3'),
  });
  const sinks = { team: `id: team\nwebhook: { url: "${receiver.url}", allowPrivate: true }\nfrom: all\n${more}` };
  const daemon = await startDaemon(t, { sources: { shop: productSource('shop') }, sinks, settings: soon });
  for (const id of ['a', 'b', 'c']) {
    await daemon.client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] });
    await nth(1, 'record.added', id, daemon);
  }
  const heronry = (...words: string[]) => run([...words, '--socket', daemon.socket, '--any-daemon']);
  return { receiver, site, daemon, heronry };
}

describe('heronry sinks', () => {
  test('lists the sinks and shows what one was sent, with status and milliseconds [J67]', async (t) => {
    const { receiver, daemon, heronry } = await told(t);
    await receiver.until(3);
    await heronry('sink', 'test', 'team');
    const { sinks } = await daemon.client.call('sink.list', {});
    assert.deepEqual(
      sinks.map(({ id, kind, state, parked, dead, last }) => [id, kind, state, parked, dead, last?.status]),
      [['team', 'webhook', 'running', 0, 0, 200]],
    );
    assert.match((await heronry('sinks')).out, /^SINK\tKIND\tSTATE\t.*\nteam\twebhook\trunning\t\d+\t0\t0\t/);
    const { out } = await heronry('sinks', 'team');
    assert.match(out, /shop\/product\/A\trecord\.added\t1\t\d+ms\tstatus 200/);
  });

  test('pages through what one was sent, the newest first', async (t) => {
    const sinks = { team: 'id: team\nwebhook: { url: "http://127.0.0.1:9/" }\nfrom: all\n' };
    const { client, daemon } = await startDaemon(t, { sources: {}, sinks });
    const { write, sinks: tables } = daemon.parts.state.store();
    const row = (number: number) => ({ at: number, id: `a-${number}`, key: 'k', type: 'x', attempt: 1, ms: 1 });
    await write(() => [1, 2, 3].forEach((number) => tables.deliveries.put(['team', number], row(number))));
    const first = await client.call('sink.get', { id: 'team', limit: 2 });
    assert.deepEqual([first.deliveries, first.next, first.cut], [[row(3), row(2)], 2, undefined]);
    const rest = await client.call('sink.get', { id: 'team', limit: 2, before: 2 });
    assert.deepEqual([rest.deliveries, rest.next], [[row(1)], undefined]);
  });

  test('tries a sink by the way of all messages, and says what came of it', async (t) => {
    const { receiver, heronry } = await told(t);
    await receiver.until(3);
    const good = await heronry('sink', 'test', 'team');
    assert.match(good.out, /^delivered to team in \d+ms, status 200\n$/);
    assert.equal(receiver.accepted.at(-1)?.headers['ce-source'], '/sources/sample');
    receiver.answer(() => ({ status: 404 }));
    const bad = await heronry('sink', 'test', 'team');
    assert.equal(bad.status, 1);
    assert.match(bad.err, /team: answered with status 404/);
    const none = await heronry('sink', 'test', 'taem');
    assert.match(none.err, /no sink "taem"; did you mean "team"\?/);
  });

  test('replays events from an id or an instant on, with the ids that they had', async (t) => {
    const { receiver, heronry } = await told(t);
    await receiver.until(3);
    const [, second, third] = receiver.accepted.map(({ id }) => id);
    assert.match((await heronry('sink', 'replay', 'team', '--from', second ?? '')).out, /^team is told again/);
    await receiver.until(5);
    assert.deepEqual(
      receiver.accepted.slice(3).map(({ id }) => id),
      [second, third],
    );
    assert.match((await heronry('sink', 'replay', 'team', '--since', '2020-01-01')).out, /^team is told again/);
    await receiver.until(8);
    assert.match(
      (await heronry('sink', 'replay', 'team', '--from', 'other-1')).err,
      /expected the id of an event of this store/,
    );
  });

  test('tries dead letters again', async (t) => {
    const { receiver, site, daemon, heronry } = await told(t, 'retry: { first: 10ms, giveUpAfter: 20ms }\n');
    await receiver.until(3);
    receiver.answer(() => ({ status: 500 }));
    site.answer('/a', productPage('A', '9'));
    await daemon.client.call('project.rescrape', { id: 'a' });
    const dead = await daemon.event(({ type }) => type === 'sink.dead_letter');
    assert.equal(dead.type === 'sink.dead_letter' && dead.data.key, 'shop/product/A');
    const { dead: letters } = await daemon.client.call('sink.get', { id: 'team' });
    assert.deepEqual(
      letters.map(({ key, failure }) => [key, failure?.status]),
      [['shop/product/A', 500]],
    );
    receiver.answer(() => ({ status: 200 }));
    assert.equal((await heronry('sink', 'replay', 'team', '--dead')).out, '1 dead letter of team is tried again\n');
    await receiver.until(4);
    assert.equal(receiver.accepted[3]?.headers['ce-type'], 'record.changed');
  });

  test('tells a sink all records of a type as they are now', async (t) => {
    const { receiver, heronry } = await told(t);
    await receiver.until(3);
    assert.match((await heronry('sink', 'sync', 'team', '--type', 'prodct')).err, /did you mean "product"\?/);
    await heronry('sink', 'sync', 'team', '--type', 'product');
    await receiver.until(6);
    const synced = receiver.accepted
      .slice(3)
      .map(({ headers }) => [headers['ce-type'], headers['ce-subject']].join(' '));
    assert.deepEqual(
      synced.toSorted(),
      ['A', 'B', 'C'].map((key) => `record.synced shop/product/${key}`),
    );
    const body = receiver.accepted[3]?.body as { readonly data: { readonly fields: object } };
    assert.deepEqual(Object.keys(body.data.fields).sort(), ['price', 'sku', 'state']);
  });
});
