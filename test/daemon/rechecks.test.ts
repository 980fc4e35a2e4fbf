import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { crawlSource, page } from './crawls/shop.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

function slow(delay: string, more = ''): string {
  return productSource('shop', more).replace('delay: 1ms, minDelay: 1ms', `delay: ${delay}, minDelay: ${delay}`);
}

/** The last letters of the pages that were asked for, in order. */
function asked({ sent }: TimedDaemon): string {
  return sent.map(({ url }) => new URL(url).pathname.slice(1)).join(' ');
}

function names(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `${letter}${place + 1}`);
}

function siteWith(t: TestContext, pages: readonly string[]): Promise<Site> {
  return openSite(t, Object.fromEntries(pages.map((name) => [`/${name}`, productPage(name, '1')])));
}

/** A daemon that comes up when all that it re-checks every 10 min is overdue, and may ask every 10 s. */
async function overdue(t: TestContext, site: Site, pages: readonly string[]): Promise<TimedDaemon> {
  const timed = await startTimed(t, { sources: { shop: slow('10s') } });
  for (const name of pages)
    await timed.track(name, { source: 'shop', url: site.url(`/${name}`), objective: { errorAfterMs: 10 * minute } });
  await timed.pass((10 * pages.length + 20) * second);
  assert.equal(timed.sent.length, pages.length);
  await timed.close();
  timed.clock.advance(hour);
  const after = await startTimed(t, { clock: timed.clock, folder: timed.folder, sources: {} });
  await after.tracked(pages.length);
  return after;
}

describe('re-checks', () => {
  test('come by their deadlines where they fell due in another order (P45)', async (t) => {
    const site = await siteWith(t, ['long', 'short']);
    const timed = await startTimed(t, { sources: { shop: slow('60s') } });
    const at = (path: string) => ({ source: 'shop', url: site.url(path) });
    await timed.track('long', { ...at('/long'), objective: { errorAfterMs: 10 * hour } });
    await timed.pass(minute);
    await timed.until(startAt + 9 * hour - 8 * minute);
    await timed.track('short', { ...at('/short'), objective: { errorAfterMs: 20 * minute } });
    await timed.pass(2 * minute);
    await timed.close();
    // Both fell due while it was down: the one of ten hours, with a lead of one, before the one of 20 minutes.
    timed.clock.advance(startAt + 9 * hour + 10 * minute + 30 * second - timed.clock.now());
    const after = await startTimed(t, { clock: timed.clock, folder: timed.folder, sources: {} });
    await after.tracked(2);
    await after.pass(3 * minute);
    assert.equal(asked(after), 'short long');
    assert.deepEqual(
      after.events.filter(({ type }) => type.startsWith('objective.')).map(({ type }) => type),
      [],
    );
  });

  test('that have piled up leave every other turn to what is new', async (t) => {
    const [old, fresh] = [names('old', 6), names('new', 3)];
    const site = await siteWith(t, [...old, ...fresh]);
    const timed = await overdue(t, site, old);
    for (const name of fresh) await timed.track(name, { source: 'shop', url: site.url(`/${name}`) });
    await timed.pass(2 * minute);
    assert.match(asked(timed), /^old\d new1 old\d new2 old\d new3 old\d old\d old\d/);
  });

  test('have every other turn while what is new has piled up', async (t) => {
    const [old, fresh] = [names('old', 2), names('new', 6)];
    const site = await siteWith(t, [...old, ...fresh]);
    const timed = await startTimed(t, { sources: { shop: slow('10s') }, settings: settingsOf({ initialDelayMs: 1 }) });
    for (const name of old)
      await timed.track(name, { source: 'shop', url: site.url(`/${name}`), objective: { errorAfterMs: 10 * minute } });
    await timed.pass(minute);
    await timed.until(startAt + 9 * minute - second);
    const before = timed.sent.length;
    for (const name of fresh) await timed.track(name, { source: 'shop', url: site.url(`/${name}`) });
    await timed.pass(100 * second);
    const order = asked(timed).split(' ').slice(before);
    const places = old.map((name) => order.indexOf(name));
    assert.ok(Math.max(...places) <= 4 && Math.min(...places) >= 0, order.join(' '));
    assert.equal(order.length, old.length + fresh.length);
  });

  test('of one project leave turns to what is new in it, and come by their deadlines', async (t) => {
    const pages = ['r40', 'r30', 'r20', 'r10', 'n1', 'n2'];
    const site = await siteWith(t, pages);
    const timed = await startTimed(t, { sources: { shop: slow('10s') } });
    const targets = pages.slice(0, 4).map((name) => ({
      source: 'shop',
      url: site.url(`/${name}`),
      objective: { errorAfterMs: Number(name.slice(1)) * minute },
    }));
    await timed.track('all', ...targets);
    await timed.pass(2 * minute);
    await timed.close();
    timed.clock.advance(2 * hour);
    const after = await startTimed(t, { clock: timed.clock, folder: timed.folder, sources: {} });
    await after.tracked(1);
    const fresh = ['n1', 'n2'].map((name) => ({ source: 'shop', url: site.url(`/${name}`) }));
    await after.client.call('project.apply', { projects: [{ id: 'all', targets: [...targets, ...fresh] }] });
    await after.pass(2 * minute);
    assert.equal(asked(after).split(' ').slice(0, 6).join(' '), 'r10 n1 r20 n2 r30 r40');
  });
});

describe('the pages of a crawl', () => {
  test('count as what is new', async (t) => {
    const old = names('old', 6);
    const site = await siteWith(t, old);
    site.answer('/0', page(['/1', '/2', '/3']));
    for (const path of ['/1', '/2', '/3']) site.answer(path, page([], path));
    const timed = await startTimed(t, {
      sources: {
        shop: slow('10s'),
        sites: crawlSource('sites').replace('delay: 1ms, minDelay: 1ms', 'delay: 10s, minDelay: 10s'),
      },
    });
    for (const name of old)
      await timed.track(name, { source: 'shop', url: site.url(`/${name}`), objective: { errorAfterMs: 10 * minute } });
    await timed.track('crawl', { source: 'sites', url: site.url('/0'), everyMs: 20 * minute });
    await timed.pass(3 * minute);
    await timed.close();
    timed.clock.advance(hour);
    const after = await startTimed(t, { clock: timed.clock, folder: timed.folder, sources: {} });
    await after.tracked(old.length + 1);
    await after.pass(100 * second);
    assert.match(asked(after), /^old\d 0 old\d [123] old\d [123] old\d [123] old\d/);
  });
});
