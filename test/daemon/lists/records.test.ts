import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';
import { nth, soon } from '../tracking.ts';
import { again, answerBy, type Item, json, listSource, recordsOf, trackList } from './listing.ts';

interface Shown {
  readonly daemon: TestDaemon;
  readonly site: Site;
  show(...items: readonly unknown[]): void;
}

/** A daemon that watches a list of one page. */
async function shown(t: TestContext, record = ''): Promise<Shown> {
  const site = await openSite(t);
  const sources = { list: listSource('feed: { by: link, mayBeEmpty: true }', record) };
  const daemon = await startDaemon(t, { sources, settings: soon });
  return { daemon, site, show: (...items) => site.answer('/list', json({ items })) };
}

/** Reads the list of these items first, then that of those; what is known of `a` after each. */
async function seenTwice(t: TestContext, before: Item, after: Item, record = '') {
  const { daemon, site, show } = await shown(t, record);
  show(before);
  const first = await trackList(daemon, site, '/list');
  const known = (await recordsOf(daemon.client)).get('a');
  show(after);
  const second = await again(daemon, site);
  const records = await recordsOf(daemon.client);
  const now = records.get('a');
  assert.ok(known !== undefined && now !== undefined);
  return { daemon, first, second, known, now, records };
}

describe('a record', () => {
  test('is created by its first sighting and updated by the next, and stays one (O20)', async (t) => {
    const { first, second, records } = await seenTwice(t, { id: 'a', title: 'One' }, { id: 'a', title: 'Two' });
    assert.deepEqual(first.scrape.counts, { added: 1, changed: 0, confirmed: 0 });
    assert.deepEqual(second.scrape.counts, { added: 0, changed: 1, confirmed: 0 });
    assert.equal(records.size, 1);
  });

  test('keeps the id that it was given (O21)', async (t) => {
    const { known, now } = await seenTwice(t, { id: 'a', title: 'One' }, { id: 'a', title: 'Two' });
    assert.match(known.id, /^[\w-]{10,}$/);
    assert.equal(now.id, known.id);
  });

  test('has an id that no other has (O21)', async (t) => {
    const { daemon, site, show } = await shown(t);
    show(...Array.from({ length: 50 }, (_, index) => ({ id: `${index}` })));
    await trackList(daemon, site, '/list');
    const ids = [...(await recordsOf(daemon.client)).values()].map(({ id }) => id);
    assert.equal(new Set(ids).size, 50);
  });

  test('has the address of the page that it was seen on last (O22)', async (t) => {
    const site = await openSite(t);
    const sources = { list: listSource("feed: { by: cursor, next: { json: '$.next' } }") };
    const daemon = await startDaemon(t, { sources, settings: soon });
    answerBy(site, '/list', (query) =>
      query.has('cursor') ? { items: [{ id: 'a' }] } : { items: [{ id: 'b' }], next: 'x' },
    );
    await trackList(daemon, site, '/list');
    assert.equal((await recordsOf(daemon.client)).get('a')?.url, site.url('/list?cursor=x'));
    answerBy(site, '/list', () => ({ items: [{ id: 'a' }, { id: 'b' }] }));
    await again(daemon, site);
    assert.equal((await recordsOf(daemon.client)).get('a')?.url, site.url('/list'));
  });

  test('says when it was seen first, whatever comes later, and when it was seen last (O23, O24)', async (t) => {
    const { known, now, second } = await seenTwice(t, { id: 'a', title: 'One' }, { id: 'a', title: 'One' });
    assert.equal(known.firstSeenAt, known.updatedAt);
    assert.equal(now.firstSeenAt, known.firstSeenAt);
    assert.ok(now.updatedAt > known.updatedAt);
    assert.deepEqual([now.updatedAt, now.lastScrape], [second.steps[0]?.at, second.scrape.scrape]);
  });

  test('keeps the value of a field that it is seen without (O25)', async (t) => {
    const { now } = await seenTwice(t, { id: 'a', title: 'One' }, { id: 'a' });
    assert.equal(now.fields['title']?.value, 'One');
  });

  test('keeps what a null says nothing of, where its definition says so (O17)', async (t) => {
    const { now } = await seenTwice(t, { id: 'a', title: 'One' }, { id: 'a', title: null }, 'nulls: keep');
    assert.equal(now.fields['title']?.value, 'One');
  });

  test('has a field cleared by null elsewhere (O17)', async (t) => {
    const { daemon, site, show } = await shown(t);
    // A field that no record has any more would be held.
    show({ id: 'a', title: 'One' }, { id: 'b', title: 'Two' });
    await trackList(daemon, site, '/list');
    show({ id: 'a', title: null }, { id: 'b', title: 'Two' });
    await again(daemon, site);
    assert.equal((await recordsOf(daemon.client)).get('a')?.fields['title']?.value, null);
    assert.deepEqual(
      daemon.events.filter(({ type }) => type === 'ticket.opened'),
      [],
    );
  });

  test('without its key is refused and counted, and the others are stored (O19)', async (t) => {
    const { daemon, site, show } = await shown(t);
    show({ id: 'a' }, { title: 'nobody' }, { id: 'b' });
    const { scrape, steps } = await trackList(daemon, site, '/list');
    assert.deepEqual([scrape.status, scrape.errors, steps[0]?.errors], ['complete', 1, 1]);
    assert.deepEqual([...(await recordsOf(daemon.client)).keys()], ['a', 'b']);
    const ended = await nth(1, 'scrape.completed', 'all', daemon);
    assert.equal(ended.data.errors, 1);
  });

  test('with the key of another on its page is counted and told in the log of its scrape; the first one is stored', async (t) => {
    const { daemon, site, show } = await shown(t);
    show({ id: 'a', title: 'One' }, { id: 'a', title: 'Two' }, { id: 'b' }, { id: 'a', title: 'Three' });
    const { scrape, steps } = await trackList(daemon, site, '/list');
    assert.deepEqual([scrape.status, scrape.repeated, steps[0]?.repeated], ['complete', 2, 2]);
    assert.deepEqual(steps[0]?.notes, ['Repeated key: item - a']);
    assert.equal((await recordsOf(daemon.client)).get('a')?.fields['title']?.value, 'One');
    const ended = await nth(1, 'scrape.completed', 'all', daemon);
    assert.equal(ended.data.repeated, 2);
  });

  test('that two scrapes find at once is one (O26)', async (t) => {
    const { daemon, site } = await shown(t);
    for (const path of ['/one', '/two']) site.answer(path, json({ items: [{ id: 'a', title: path }] }));
    await Promise.all([trackList(daemon, site, '/one', 'one'), trackList(daemon, site, '/two', 'two')]);
    const [one, two] = await Promise.all(['one', 'two'].map((id) => recordsOf(daemon.client, id)));
    assert.equal(daemon.events.filter(({ type }) => type === 'record.added').length, 1);
    assert.deepEqual([one?.size, two?.get('a')?.id], [1, one?.get('a')?.id]);
  });
});
