import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';
import { startTimed, type TimedDaemon } from '../passing.ts';
import { afterEnd, lastScrape, minute, politeSource, second } from './support.ts';

/** Has a path answer with a version of a page, and "not modified" to who has that version. */
function versioned(site: Site, version: string, price: string): void {
  site.answer('/a', ({ headers }, response) => {
    const isKnown = headers['if-none-match'] === version;
    response.statusCode = isKnown ? 304 : 200;
    response.setHeader('etag', version).setHeader('content-type', 'text/html');
    response.end(isKnown ? undefined : productPage('A', price));
  });
}

async function rescraped({ client, pass, settle }: TimedDaemon) {
  await client.call('project.rescrape', { id: 'a' });
  await pass(30 * second);
  await settle();
  return (await lastScrape('a', client)).scrape;
}

async function known({ client }: TimedDaemon) {
  const { records } = await client.call('project.records', { id: 'a' });
  const { changes } = await client.call('project.history', { id: 'a' });
  return { price: records[0]?.fields['price'], changes: changes.length };
}

function asked(site: Site): (string | undefined)[] {
  return site.asked.map(({ headers }) => headers['if-none-match']);
}

describe('a page that says its version', () => {
  test('is asked for only if it has changed: a 304 verifies what is known and adds no history', async (t) => {
    const site = await openSite(t);
    versioned(site, '"v1"', '1.00');
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', {}) } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    await timed.settle();
    const before = await known(timed);
    const { status, steps, counts } = await rescraped(timed);
    const after = await known(timed);
    assert.deepEqual(asked(site), [undefined, '"v1"']);
    assert.deepEqual([status, steps, counts.changed, after.changes], ['complete', 1, 0, before.changes]);
    assert.ok((after.price?.verifiedAt ?? 0) > (before.price?.verifiedAt ?? 0), 'verified now');
    assert.deepEqual([after.price?.value, after.price?.observedAt], [before.price?.value, before.price?.observedAt]);
  });

  test('brings its new version when it has one, and that one counts from then on', async (t) => {
    const site = await openSite(t);
    versioned(site, '"v1"', '1.00');
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', {}) } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    versioned(site, '"v2"', '2.00');
    await rescraped(timed);
    await rescraped(timed);
    const { price, changes } = await known(timed);
    assert.deepEqual([price?.value, changes], [{ amount: '2.00', currency: 'EUR' }, 2]);
    assert.deepEqual(asked(site), [undefined, '"v1"', '"v2"']);
  });

  test('is asked for in full by another version of the definition', async (t) => {
    const site = await openSite(t);
    versioned(site, '"v1"', '1.00');
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', {}) } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    await timed.define(
      'shop',
      politeSource('shop', {}).replace('sku: { css: h1', 'title: { css: title }\n      sku: { css: h1'),
    );
    await timed.client.call('source.reload', {});
    await rescraped(timed);
    const { records } = await timed.client.call('project.records', { id: 'a' });
    assert.equal(records[0]?.fields['title']?.value, 'A');
    assert.deepEqual(asked(site), [undefined, undefined]);
  });

  test('is asked for only if it has changed after a restart, too', async (t) => {
    const site = await openSite(t);
    versioned(site, '"v1"', '1.00');
    const sources = { shop: politeSource('shop', {}) };
    const timed = await startTimed(t, { sources });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.pass(minute);
    await timed.settle();
    const again = await startTimed(t, { sources, ...(await afterEnd(t, timed, 'killed')) });
    assert.equal((await rescraped(again)).status, 'complete');
    assert.deepEqual(asked(site), [undefined, '"v1"']);
  });
});
