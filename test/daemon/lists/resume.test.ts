import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { ScrapeView } from '../../../src/view/scrape.ts';
import { startDaemon, startDaemonIn, type TestDaemon } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';
import { soon } from '../tracking.ts';
import { again, answerBy, held, isEnd, type Item, itemsOf, listSource, recordsOf } from './listing.ts';

interface Listed {
  readonly site: Site;
  /** The list, the newest item first. */
  readonly items: Item[];
  /** The pages that were asked for since this was last called. */
  asked(): number[];
  /** Has a page answer otherwise from now on, nothing by default; resolves when it is asked for. */
  stop(page: number, answer?: unknown): Promise<void>;
  goOn(): void;
}

async function listed(t: TestContext, count: number): Promise<Listed> {
  const site = await openSite(t);
  const items = itemsOf(0, count);
  let stop: { readonly page: number; readonly answer: unknown; reached(): void } | undefined;
  let seen = 0;
  answerBy(site, '/list', (query) => {
    const page = Number(query.get('page'));
    if (page !== stop?.page) return { items: items.slice((page - 1) * 5, page * 5) };
    stop.reached();
    return stop.answer;
  });
  return {
    site,
    items,
    asked() {
      const pages = site.asked
        .slice(seen)
        .map(({ path }) => Number(new URL(path, site.origin).searchParams.get('page')));
      seen = site.asked.length;
      return pages;
    },
    stop(page, answer = held) {
      const { promise, resolve } = Promise.withResolvers<void>();
      stop = { page, answer, reached: resolve };
      return promise;
    },
    goOn() {
      stop = undefined;
    },
  };
}

/** A daemon whose first visit of a list waits for its fourth page. */
async function begun(t: TestContext, list: Listed, answer?: unknown): Promise<TestDaemon> {
  const daemon = await startDaemon(t, { sources: { list: listSource('feed: { by: page }') }, settings: soon });
  const stopped = list.stop(4, answer);
  await daemon.client.call('project.add', { id: 'all', targets: [{ source: 'list', url: list.site.url('/list') }] });
  await stopped;
  return daemon;
}

/** Another daemon over what one leaves behind. */
async function restarted(t: TestContext, { folder, close }: TestDaemon, list: Listed): Promise<TestDaemon> {
  await close();
  list.asked();
  list.goOn();
  return startDaemonIn(t, folder, { settings: soon });
}

/** Resolves when the first visit has got to the end. */
async function ended({ client, event }: TestDaemon): Promise<ScrapeView> {
  const { scrape = 0 } = await event(({ type }) => type === 'scrape.completed');
  return (await client.call('scrape.get', { scrape })).scrape;
}

function newestFirst(records: Awaited<ReturnType<typeof recordsOf>>): string[] {
  return [...records.values()].sort((a, b) => b.sequence - a.sequence).map(({ key }) => key);
}

describe('a first visit that was cut as the daemon ended', () => {
  test('goes on where it stood, and its items keep their order', async (t) => {
    const list = await listed(t, 23);
    const daemon = await restarted(t, await begun(t, list), list);
    const { status, counts } = await ended(daemon);
    assert.deepEqual(list.asked(), [3, 4, 5, 6, 7]);
    assert.deepEqual([status, counts], ['complete', { added: 8, changed: 0, confirmed: 5 }]);
    assert.deepEqual(
      newestFirst(await recordsOf(daemon.client)),
      list.items.map(({ id }) => id),
    );
  });

  test('hides nothing that is new since: the next visit reads it from the head on', async (t) => {
    const list = await listed(t, 23);
    const first = await begun(t, list);
    list.items.unshift(...['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6'].map((id) => ({ id, title: 'new' })));
    const daemon = await restarted(t, first, list);
    await ended(daemon);
    assert.deepEqual(list.asked(), [3, 4, 5, 6, 7, 8]);
    await again(daemon, list.site);
    assert.deepEqual(list.asked(), [1, 2]);
    assert.equal((await recordsOf(daemon.client)).size, 30);
  });

  test('is begun anew where so much was taken away that what it stood at is gone', async (t) => {
    const list = await listed(t, 33);
    const first = await begun(t, list);
    list.items.splice(0, 10);
    const daemon = await restarted(t, first, list);
    await ended(daemon);
    assert.deepEqual(list.asked(), [3, 1, 2, 3, 4, 5, 6, 7]);
    assert.equal((await recordsOf(daemon.client)).size, 33);
  });

  test('is begun anew by another definition', async (t) => {
    const list = await listed(t, 23);
    const daemon = await begun(t, list);
    await daemon.define('list', listSource('name: other\nfeed: { by: page }'));
    const other = await restarted(t, daemon, list);
    await ended(other);
    assert.deepEqual(list.asked(), [1, 2, 3, 4, 5, 6, 7]);
  });

  test('is begun anew once a person has cancelled it, or wants all of it', async (t) => {
    for (const wish of [undefined, { full: true }]) {
      const list = await listed(t, 23);
      const daemon = await begun(t, list, wish === undefined ? held : 500);
      const { scrape = 0 } = await daemon.event(({ type }) => type === 'scrape.started');
      if (wish === undefined) await daemon.client.call('scrape.cancel', { scrape });
      await daemon.event((each) => isEnd(each) && each.scrape === scrape);
      list.asked();
      list.goOn();
      await again(daemon, list.site, wish);
      assert.deepEqual(list.asked(), [1, 2, 3, 4, 5, 6, 7]);
    }
  });
});

test('all of a list that a person wants again goes on where it stood when the daemon ended, and begins anew for another such wish', async (t) => {
  const list = await listed(t, 15);
  const daemon = await begun(t, list, 404);
  await ended(daemon);
  list.items.push(...itemsOf(15, 8));
  const stopped = list.stop(4);
  await daemon.client.call('project.rescrape', { id: 'all', wish: { full: true } });
  await stopped;
  const other = await restarted(t, daemon, list);
  const { scrapes } = await other.client.call('scrape.list', { limit: 1 });
  await other.event((each) => isEnd(each) && each.scrape === scrapes[0]?.scrape);
  assert.deepEqual(list.asked(), [3, 4, 5, 6, 7]);
  await again(other, list.site, { full: true });
  assert.deepEqual(list.asked(), [1, 2, 3, 4, 5, 6, 7]);
});
