import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { openSite, type Site } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon, type TimedOptions } from './passing.ts';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/** A source that lists items, each the first time that it is seen a find. */
const tokens = `id: shop
provider: html
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
tokens: true
records:
  item: { key: sku, each: { css: li }, fields: { sku: { css: b } } }
`;

function list(...skus: readonly (string | number)[]): string {
  return `<ul>${skus.map((sku) => `<li><b>${sku}</b></li>`).join('')}</ul>`;
}

/** Lets a day pass, from plan to plan, and tells how many scrapes of a project it had. */
async function nextDay(timed: TimedDaemon, number: number, project = 'a'): Promise<number> {
  const before = timed.starts(project).length;
  await timed.until(startAt + number * day);
  await timed.settle();
  for (;;) {
    const { turns } = await timed.client.call('schedule.list', { project, before: startAt + (number + 1) * day });
    const [next] = turns;
    if (next === undefined) break;
    await timed.until(next.dueAt);
    await timed.pass(second);
  }
  return timed.starts(project).length - before;
}

async function paceOf({ client }: TimedDaemon, id = 'a') {
  const { targets } = await client.call('project.why', { id });
  const pace = targets[0]?.pace;
  if (pace?.kind !== 'tokens') throw new Error('expected a target with tokens');
  return pace;
}

async function start(t: TestContext, site: Site, options: Partial<TimedOptions> = {}): Promise<TimedDaemon> {
  const timed = await startTimed(t, { sources: { shop: tokens }, ...options });
  await timed.track('a', { source: 'shop', url: site.url('/a') });
  return timed;
}

describe('a target that is scraped by tokens', () => {
  test('is scraped on its first day (J25)', async (t) => {
    const timed = await start(t, await openSite(t, { '/a': list(1) }));
    await timed.pass(2 * second);
    assert.deepEqual(timed.starts('a'), [startAt + second]);
  });

  test('has its priority from what its scrapes found, at once and for all to see (J12)', async (t) => {
    const site = await openSite(t, { '/a': list(1, 2, 3) });
    const timed = await start(t, site);
    assert.equal((await paceOf(timed)).priority, 1);
    await timed.pass(2 * second);
    assert.deepEqual([(await paceOf(timed)).found, (await paceOf(timed)).priority], [[3], 1.75]);
    await timed.client.call('project.rescrape', { id: 'a' });
    await timed.pass(second);
    const { found, priority } = await paceOf(timed);
    assert.deepEqual(found, [0, 3]);
    assert.ok(priority < 1.75 && priority > 0.07);
  });

  test('keeps its priority over a scrape that failed (J13)', async (t) => {
    const site = await openSite(t, { '/a': list(1, 2) });
    const timed = await start(t, site);
    await timed.pass(2 * second);
    const before = await paceOf(timed);
    site.answer('/a', { status: 404 });
    await timed.client.call('project.rescrape', { id: 'a' });
    await timed.pass(second);
    assert.equal(timed.events.filter(({ type }) => type === 'scrape.failed').length, 1);
    assert.deepEqual(await paceOf(timed), before);
  });

  test('has it doubled by a multiplier of 2, within the bounds (J15)', async (t) => {
    const timed = await start(t, await openSite(t, { '/a': list(1) }));
    await timed.pass(2 * second);
    const { priority } = await paceOf(timed);
    await timed.client.call('project.update', { id: 'a', multiplier: 2 });
    assert.ok(Math.abs((await paceOf(timed)).priority - Math.min(1.75, 2 * priority)) < 1e-9);
    await timed.client.call('project.update', { id: 'a', multiplier: 100 });
    assert.equal((await paceOf(timed)).priority, 1.75);
  });

  test('gets by its priority each day what is paid for, and keeps the rest (J16, J17, J18)', async (t) => {
    const site = await openSite(t);
    // Each visit finds three that are new, so that the priority stays the highest.
    let visits = 0;
    site.answer('/a', (_request, response) => {
      visits += 1;
      response.setHeader('content-type', 'text/html').end(list(`${visits}a`, `${visits}b`, `${visits}c`));
    });
    const timed = await start(t, site);
    await timed.pass(2 * second);
    const counts: number[] = [];
    for (let number = 1; number <= 8; number += 1) counts.push(await nextDay(timed, number));
    assert.deepEqual(counts, [1, 2, 2, 2, 1, 2, 2, 2]);
    assert.equal((await paceOf(timed)).tokens, 0);
  });

  test('is told with the exact times of what is to come, in their order (J39)', async (t) => {
    const site = await openSite(t, { '/a': list(1), '/b': list(2) });
    const timed = await start(t, site);
    await timed.track('b', { source: 'shop', url: site.url('/b'), tokens: { perDay: 2 } });
    await timed.pass(2 * second);
    await timed.client.call('project.update', { id: 'a', multiplier: 30 });
    await timed.until(startAt + day + 1);
    await timed.settle();
    const { turns } = await timed.client.call('schedule.list', {});
    assert.ok(turns.length > 0);
    assert.ok(turns.every(({ dueAt, url }) => dueAt > startAt + day && url.startsWith(site.origin)));
    assert.deepEqual(
      turns,
      turns.toSorted((one, other) => one.dueAt - other.dueAt),
    );
  });
});

describe('the plan of a day', () => {
  test('is neither paid for nor made twice by a restart in the middle of it (J26)', async (t) => {
    const site = await openSite(t, { '/a': list(1, 2, 3) });
    const before = await start(t, site);
    await before.pass(2 * second);
    await before.client.call('project.update', { id: 'a', multiplier: 30 });
    await before.until(startAt + 2 * day);
    await before.settle();
    const [first = 0, ...others] = (await paceOf(before)).planned;
    assert.ok(others.length >= 1);
    await before.until(first);
    await before.pass(second);
    const { tokens: left } = await paceOf(before);
    await before.close();
    before.clock.advance(second);
    const from = before.clock.now();
    const after = await startTimed(t, { clock: before.clock, folder: before.folder, sources: {} });
    await after.tracked(1);
    await after.pass(10 * second);
    assert.deepEqual(
      after.starts('a').filter((at) => at >= from),
      [],
    );
    const pace = await paceOf(after);
    assert.deepEqual([pace.tokens, pace.planned], [left, others]);
  });

  test('gives back a turn whose day has passed while its target, which a person had asked for as well, waited for its host', async (t) => {
    const site = await openSite(t, { '/a': list(1, 2) });
    const timed = await start(t, site, { settings: settingsOf({ timeLimitMs: 10 * day }) });
    await timed.pass(2 * second);
    // The second scrape has to wait until the third day.
    await timed.define('shop', tokens.replace('delay: 1ms, minDelay: 1ms', 'delay: 60h, minDelay: 60h'));
    await timed.client.call('source.reload', {});
    await timed.until(startAt + day);
    await timed.settle();
    const { tokens: left, planned, priority } = await paceOf(timed);
    assert.equal(planned.length, 1);
    await timed.until(startAt + day + hour);
    await timed.client.call('project.rescrape', { id: 'a' });
    await timed.pass(second);
    await timed.until(startAt + day + 23 * hour, hour);
    await timed.until(startAt + 2 * day);
    await timed.settle();
    assert.deepEqual(timed.starts('a').length, 1);
    const after = await paceOf(timed);
    assert.equal(after.tokens + after.planned.length, left + 1 + priority);
  });

  test('after three days without the daemon grants the cap at most, and a day has three scrapes at most (J27)', async (t) => {
    const site = await openSite(t, { '/a': list(1, 2, 3) });
    const before = await start(t, site);
    await before.pass(2 * second);
    await before.client.call('project.update', { id: 'a', multiplier: 30 });
    await before.close();
    before.clock.advance(3 * day + 6 * hour);
    const after = await startTimed(t, { clock: before.clock, folder: before.folder, sources: {} });
    await after.tracked(1);
    await after.settle();
    const { planned, tokens: left } = await paceOf(after);
    assert.ok(planned.length <= 3 && planned.length + left <= 4);
    assert.equal(planned.length, 3);
    assert.ok(planned.every((at) => at > after.clock.now()));
  });

  test('gives a target that was taken away nothing, and it is not scraped (J28)', async (t) => {
    const site = await openSite(t, { '/a': list(1), '/b': list(2) });
    const timed = await start(t, site);
    await timed.pass(2 * second);
    await timed.client.call('project.update', { id: 'a', targets: [{ source: 'shop', url: site.url('/b') }] });
    await timed.pass(2 * second);
    const asked = (): number => timed.sent.filter(({ url }) => url === site.url('/a')).length;
    assert.equal(asked(), 1);
    await nextDay(timed, 1);
    await nextDay(timed, 2);
    assert.equal(asked(), 1);
  });

  test('skips a source whose credentials are missing, without loss, and leaves the others alone (J58)', async (t) => {
    const site = await openSite(t, { '/a': list(1), '/b': list(2) });
    const closed = `${tokens.replace('id: shop', 'id: closed')}url: "${site.origin}/{name}"\nauth: { type: bearer, token: { secret: MISSING } }\n`;
    const timed = await startTimed(t, { sources: { shop: tokens, closed } });
    await timed.track('a', { source: 'shop', url: site.url('/a') });
    await timed.track('b', { source: 'closed', url: site.url('/b') });
    await timed.pass(2 * second);
    const before = (await paceOf(timed, 'b')).tokens;
    await timed.client.call('project.update', { id: 'a', multiplier: 30 });
    assert.ok((await nextDay(timed, 1)) >= 1);
    const { tokens: saved, planned } = await paceOf(timed, 'b');
    assert.deepEqual(planned, []);
    assert.ok(saved > before);
    const { sources } = await timed.client.call('source.list', {});
    assert.equal(sources.find(({ id }) => id === 'closed')?.session?.code, 'not_initialised');
    assert.deepEqual(
      timed.sent.filter(({ url }) => url === site.url('/b')),
      [],
    );
  });
});
