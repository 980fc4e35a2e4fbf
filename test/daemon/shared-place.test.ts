import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import type { Client } from '../../src/control/client.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { type TimedDaemon, settingsOf, startTimed } from './passing.ts';
import { answerWith, hold, nth, runningUnder, soon } from './tracking.ts';

const sources = { shop: productSource('shop') };
const minute = 60_000;

/** The changes of a project's prices, the newest first. */
async function pricesOf(id: string, client: Client): Promise<unknown[]> {
  const { changes } = await client.call('project.history', { id });
  return changes.map(({ fields }) => fields['price']?.new).map((price) => JSON.stringify(price));
}

const euros = (amount: string): string => JSON.stringify({ amount: `${amount}.00`, currency: 'EUR' });

async function paceOf(id: string, { client }: TimedDaemon) {
  const [why] = (await client.call('project.why', { id })).targets;
  return [why?.pace?.kind === 'interval' ? why.pace.everyMs / minute : why?.pace?.kind, why?.paceFrom];
}

describe('two projects on one address', () => {
  test('share its requests and see every change, which is told once', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const place = { source: 'shop', url: site.url('/a') };
    const daemon = await startTimed(t, { sources, settings: settingsOf({ everyMs: minute }) });
    const { client } = daemon;
    await daemon.track('one', place);
    await daemon.track('two', { ...place, url: `${place.url}#price` });
    const [target] = (await client.call('project.get', { id: 'two' })).targets;
    assert.deepEqual(target?.others, { count: 1, first: ['one'] });
    for (const price of ['1', '2', '3']) {
      site.answer('/a', productPage('A', price));
      await daemon.pass(minute);
    }
    const { targets } = await client.call('daemon.status', {});
    assert.equal(targets.active, 1);
    assert.equal(site.asked.length, daemon.events.filter(({ type }) => type === 'scrape.completed').length);
    assert.ok(site.asked.length >= 3 && site.asked.length <= 4, String(site.asked.length));
    for (const id of ['one', 'two']) assert.deepEqual(await pricesOf(id, client), ['3', '2', '1'].map(euros));
    const changes = daemon.events.filter(({ type }) => type.startsWith('record.'));
    assert.deepEqual(
      changes.map(({ type, projects }) => [type, projects]),
      ['added', 'changed', 'changed'].map((kind) => [`record.${kind}`, ['one', 'two']]),
    );

    // Who comes later sees what is known, without a request.
    const asked = site.asked.length;
    await daemon.track('three', place);
    assert.deepEqual(await pricesOf('three', client), ['3', '2', '1'].map(euros));
    assert.equal((await client.call('project.records', { id: 'three' })).records.length, 1);
    assert.equal(site.asked.length, asked);
    assert.deepEqual(await runningUnder('projects', client), ['one', 'three', 'two']);
  });

  test('follow who asks most often, and go on as the other has it when that one is archived', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const place = { source: 'shop', url: site.url('/a') };
    const daemon = await startTimed(t, { sources, settings: settingsOf({ everyMs: 8 * minute }) });
    const { client } = daemon;
    await daemon.track('slow', { ...place, everyMs: 4 * minute });
    assert.deepEqual(await paceOf('slow', daemon), [4, undefined]);
    await daemon.track('fast', { ...place, everyMs: minute });
    for (const id of ['slow', 'fast']) assert.deepEqual(await paceOf(id, daemon), [1, 'fast']);
    await client.call('project.archive', { id: 'fast' });
    assert.deepEqual(await paceOf('slow', daemon), [4, undefined]);
    await daemon.pass(9 * minute);
    assert.ok(site.asked.length >= 2 && site.asked.length <= 4, String(site.asked.length));
    await client.call('project.archive', { id: 'slow' });
    const asked = site.asked.length;
    await daemon.pass(20 * minute);
    assert.equal(site.asked.length, asked);
    assert.deepEqual(await runningUnder('projects', client), []);
  });

  test('lose nothing when the first is archived during a scrape: the other makes it anew at once', async (t) => {
    const site = await openSite(t);
    const held = hold(site, '/a');
    const place = { source: 'shop', url: site.url('/a') };
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    await client.call('project.add', { id: 'one', targets: [place] });
    const response = await held;
    await client.call('project.add', { id: 'two', targets: [place] });
    const hungUp = once(response, 'close');
    const again = hold(site, '/a');
    await client.call('project.archive', { id: 'one' });
    await hungUp;
    answerWith(productPage('A', '1'), await again);
    const { scrape } = await nth(1, 'scrape.completed', 'two', daemon);
    const cancelled = await nth(1, 'scrape.cancelled', 'one', daemon);
    assert.deepEqual([cancelled.projects, cancelled.data.failure?.code], [['one', 'two'], 'archived']);
    assert.notEqual(scrape, cancelled.scrape);
    for (const id of ['one', 'two']) assert.deepEqual(await pricesOf(id, client), [euros('1')]);
    assert.deepEqual(await runningUnder('projects', client), ['two']);
  });

  test('may each ask for a scrape of it, wait for it and cancel it', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const place = { source: 'shop', url: site.url('/a') };
    const daemon = await startDaemon(t, { sources, settings: soon });
    const { client } = daemon;
    for (const id of ['one', 'two']) await client.call('project.add', { id, targets: [place] });
    await nth(1, 'scrape.completed', 'one', daemon);
    const held = hold(site, '/a');
    const { scrapes } = await client.call('project.rescrape', { id: 'two' });
    const response = await held;
    const waiting = await client.call('project.rescrape', { id: 'one' });
    const running = scrapes[0]?.scrape ?? 0;
    const hungUp = once(response, 'close');
    site.answer('/a', productPage('A', '2'));
    const cancelled = await client.call('scrape.cancel', { scrape: running });
    await hungUp;
    assert.deepEqual([cancelled.status, cancelled.projects], ['cancelled', ['one', 'two']]);
    const next = waiting.scrapes[0]?.scrape;
    const done = await daemon.event(({ type, scrape }) => type === 'scrape.completed' && scrape === next);
    assert.deepEqual(done.projects, ['one', 'two']);
    const ofTwo = await client.call('scrape.list', { project: 'two' });
    assert.deepEqual(ofTwo, await client.call('scrape.list', { project: 'one' }));
  });

  test('are still two on one after a restart, and idle ones are left alone by each pass', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const place = { source: 'shop', url: site.url('/a') };
    const settings = settingsOf({ everyMs: minute });
    const first = await startTimed(t, { sources, settings });
    for (const id of ['one', 'two', 'three']) await first.track(id, place);
    await first.pass(2_000);
    await first.close();
    const started: string[] = [];
    const daemon = await startTimed(t, {
      folder: first.folder,
      sources,
      settings,
      clock: new VirtualClock(first.clock.now()),
      report: (report) => void (report.type === 'started' && started.push(report.id)),
    });
    await daemon.tracked(3);
    const before = site.asked.length;
    await daemon.pass(2 * minute + 1);
    assert.equal(site.asked.length - before, 2);
    assert.equal(started.filter((id) => /^(one|two|three)#/.test(id)).length, 3);
    const last = daemon.events.findLast(({ type }) => type === 'scrape.completed');
    assert.deepEqual(last?.projects, ['one', 'two', 'three']);
  });

  test('are told of each other by apply', async (t) => {
    const { client } = await startTimed(t, { sources, settings: settingsOf({}) });
    const url = 'http://127.0.0.1:9/';
    const projects = ['one', 'two'].map((id) => ({ id, targets: [{ source: 'shop', url }] }));
    const details = async (ids: readonly string[]) => {
      const listed = projects.filter(({ id }) => ids.includes(id));
      const { changes } = await client.call('project.apply', { projects: listed });
      return changes.map((change) => change.details);
    };
    assert.deepEqual(await details(['one']), [[`+ shop ${url}`]]);
    assert.deepEqual(await details(['one', 'two']), [[`+ shop ${url}, watched by one`]]);
  });
});
