import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const settings = settingsOf({ initialDelayMs: 3_600_000 });
const pausing = (id: string, politeness: string) => productSource(id).replace('delay: 1ms, minDelay: 1ms', politeness);

describe('a host that was not asked yet', () => {
  const sources = {
    shop: pausing('shop', 'key: shop, delay: 1s, concurrency: 4'),
    slow: pausing('slow', 'key: shop, delay: 2s'),
    wide: pausing('wide', 'delay: 3s'),
    idle: pausing('idle', 'key: idle, delay: 4s'),
  };
  const targets = [
    { source: 'shop', url: 'http://127.0.0.1:1/shop' },
    { source: 'slow', url: 'http://127.0.0.1:1/slow' },
    { source: 'wide', url: 'http://127.0.0.1:1/wide' },
    { source: 'wide', url: 'http://127.0.0.1:2/wide' },
  ];

  test('is shown with what the definitions say of it, once a target is on it', async (t) => {
    const { client, socket } = await startTimed(t, { sources, settings, apiOnly: true });
    assert.deepEqual((await client.call('host.list', {})).hosts, []);
    await client.call('project.add', { id: 'a', targets });
    const { hosts } = await client.call('host.list', {});
    assert.deepEqual(
      hosts.map(({ key, delayMs, waiting, nextAt }) => [key, delayMs, waiting, nextAt]),
      [
        ['http://127.0.0.1:1', 3 * second, 0, startAt],
        ['http://127.0.0.1:2', 3 * second, 0, startAt],
        ['shop', 2 * second, 0, startAt],
      ],
    );
    assert.deepEqual(
      hosts[2]?.sources.map(({ id, delayMs, concurrency }) => [id, delayMs, concurrency]),
      [
        ['shop', second, 4],
        ['slow', 2 * second, 1],
      ],
    );
    const { out } = await run(['hosts', 'shop', '--socket', socket], { columns: 100, now: startAt });
    assert.match(out, /^ {2}delay +2s as a rule$/m);
    assert.match(out, /^ {2}definition +a pause of 1s, 4 requests at a time$/m);
    assert.equal((await run(['hosts', 'nosuch', '--socket', socket])).status, 3);
  });

  test('comes in the order of keys among those that were, a slice at a time', async (t) => {
    const { client } = await startTimed(t, { sources, settings, apiOnly: true });
    await client.call('project.add', { id: 'a', targets });
    const first = await client.call('host.list', { limit: 2 });
    assert.deepEqual([first.hosts.length, first.next], [2, 'http://127.0.0.1:2']);
    const { hosts, next } = await client.call('host.list', { limit: 2, after: first.next ?? '' });
    assert.deepEqual([hosts.map(({ key }) => key), next], [['shop'], undefined]);
  });

  test('may be another one, where more targets are tracked than are looked at and their source has no address of its own', async (t) => {
    const fixed = productSource('fixed', 'url: "http://127.0.0.1:1/{name}"');
    const { client } = await startTimed(t, { sources: { ...sources, fixed }, settings, apiOnly: true });
    const many = (source: string, port: (index: number) => number) =>
      Array.from({ length: 101 }, (_, index) => ({ source, url: `http://127.0.0.1:${port(index)}/${index}` }));
    const fixedTargets = many('fixed', () => 1);
    await client.call('project.add', { id: 'a', targets: fixedTargets });
    assert.equal((await client.call('host.list', {})).cut, undefined);
    await client.call('project.add', { id: 'b', targets: many('wide', (index) => 1_000 + index) });
    const { hosts, next, cut } = await client.call('host.list', { limit: 1_000 });
    assert.deepEqual([hosts.length, next, cut], [101, undefined, ['hosts']]);
    assert.equal((await client.call('host.list', { key: 'http://127.0.0.1:1' })).cut, undefined);
  });

  test('is in what why says of a target', async (t) => {
    const { client, socket } = await startTimed(t, { sources, settings, apiOnly: true });
    await client.call('project.add', { id: 'a', targets });
    const [why] = (await client.call('project.why', { id: 'a' })).targets;
    assert.deepEqual(why?.host, { key: 'shop', nextAt: startAt, waiting: 0, delayMs: second });
    const { out } = await run(['why', 'a', '--socket', socket], { now: startAt });
    assert.match(out, /^ {2}host +shop: can be asked now; a pause of 1s as a rule; nobody waits$/m);
  });

  test('is shown no more once its project is archived', async (t) => {
    const { client } = await startTimed(t, { sources, settings, apiOnly: true });
    await client.call('project.add', { id: 'a', targets });
    await client.call('project.archive', { id: 'a' });
    assert.deepEqual((await client.call('host.list', {})).hosts, []);
  });
});

test('a host of which a restart left nothing but its failures is shown with the pause of its definition', async (t) => {
  const site = await openSite(t, { '/a': { status: 503 }, '/b': productPage('B', '1') });
  const sources = { shop: pausing('shop', 'delay: 1s') };
  const first = await startTimed(t, { sources, settings: settingsOf({}) });
  await first.track('a', { source: 'shop', url: site.url('/a') });
  await first.pass(10 * second);
  await first.close();
  const { folder, clock } = first;
  const again = await startTimed(t, { sources: {}, folder, clock, apiOnly: true, settings });
  const [host] = (await again.client.call('host.list', {})).hosts;
  assert.ok(host !== undefined && host.failures > 0);
  assert.equal(host.delayMs, second);
  const [why] = (await again.client.call('project.why', { id: 'a' })).targets;
  assert.equal(why?.host?.delayMs, second);
});
