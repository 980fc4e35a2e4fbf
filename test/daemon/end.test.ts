import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openSite, type Site } from '../support/site.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon, type TimedOptions } from './passing.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A page that says when it ends, that many minutes after the start. */
function sale(minutes: number): string {
  return `<h1>lamp</h1><time datetime="${new Date(startAt + minutes * minute).toISOString()}"></time>`;
}

/** A source of such pages; a target is at `/sale/…`, and its pulse at `/pulse/…`. */
function source(site: Site, when: string, more = ''): string {
  return `id: shop
url: "${site.origin}/sale/{name}"
allowPrivate: true
robots: ignore
retry: { times: 0 }
every: 4h
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
records:
  sale: { key: name, fields: { name: h1, ends: { css: time, attr: datetime, type: datetime } } }
finished: { record: sale, when: '${when}' }
${more}`;
}

async function start(
  t: TestContext,
  when: string,
  more?: string,
  options?: Partial<TimedOptions>,
): Promise<{ site: Site; timed: TimedDaemon }> {
  const site = await openSite(t, { '/sale/lamp': sale(90) });
  const timed = await startTimed(t, {
    sources: { shop: source(site, when, more) },
    settings: settingsOf({}),
    ...options,
  });
  await timed.track('lamp', { source: 'shop', params: { name: 'lamp' } });
  await timed.pass(5 * minute);
  assert.equal(site.asked.length, 1);
  return { site, timed };
}

const statusOf = async ({ client }: TimedDaemon) => (await client.call('project.get', { id: 'lamp' })).status;

/** Minutes after the start at which the project was told to be finished. */
function finishedAt({ events }: TimedDaemon): number[] {
  return events.filter(({ type }) => type === 'project.finished').map(({ at }) => Math.round((at - startAt) / minute));
}

describe('a target whose end is known', () => {
  test('is finished at that instant, without a scrape, also when its site is gone', async (t) => {
    const { site, timed } = await start(t, 'ends < now');
    await site.close();
    await timed.pass(84 * minute);
    assert.equal(await statusOf(timed), 'active');
    await timed.pass(2 * minute);
    assert.equal(await statusOf(timed), 'finished');
    assert.deepEqual(finishedAt(timed), [90]);
    await timed.pass(24 * hour);
    assert.equal(timed.sent.length, 1);
    assert.deepEqual(
      await timed.client.call('project.get', { id: 'lamp' }).then(({ targets }) => targets[0]?.dueAt),
      undefined,
    );
  });

  test('goes on where a scrape finds a later end, and keeps a time after it for the last numbers', async (t) => {
    const { site, timed } = await start(
      t,
      'ends + duration("30m") <= now',
      'pulse: { every: 300m, record: sale, fields: { name: h1 } }',
    );
    site.answer('/sale/lamp', sale(200));
    await timed.client.call('project.rescrape', { id: 'lamp' });
    await timed.pass(180 * minute);
    assert.equal(await statusOf(timed), 'active');
    await timed.pass(hour);
    assert.deepEqual(finishedAt(timed), [230]);
  });

  test('is finished after a restart that comes later than the end', async (t) => {
    const { timed } = await start(t, 'ends < now');
    await timed.close();
    timed.clock.advance(10 * hour);
    const again = await startTimed(t, {
      sources: {},
      settings: settingsOf({}),
      folder: timed.folder,
      clock: timed.clock,
    });
    await again.pass(minute);
    assert.equal(await statusOf(again), 'finished');
    assert.equal(again.sent.length, 0);
  });

  test('ends at another time once its definition says so', async (t) => {
    const { site, timed } = await start(t, 'ends < now');
    await timed.define('shop', source(site, 'ends + duration("1h") < now'));
    await timed.client.call('source.reload', {});
    await timed.pass(90 * minute);
    assert.equal(await statusOf(timed), 'active');
    await timed.define('shop', source(site, 'now > timestamp("2020-01-01T00:00:00Z")'));
    await timed.client.call('source.reload', {});
    await timed.pass(minute);
    assert.equal(await statusOf(timed), 'finished');
    assert.equal(timed.sent.length, 1);
  });

  test('ends when its pulse says so', async (t) => {
    const pulse = `pulse: { every: 30m, url: "__/pulse/{name}", record: sale, fields: { name: h1, ends: { css: time, attr: datetime, type: datetime } } }`;
    const site = await openSite(t, { '/sale/lamp': sale(900), '/pulse/lamp': sale(40) });
    const sources = { shop: source(site, 'ends < now', pulse.replace('__', site.origin)) };
    const timed = await startTimed(t, { sources, settings: settingsOf({}) });
    await timed.track('lamp', { source: 'shop', params: { name: 'lamp' } });
    await timed.pass(39 * minute);
    assert.equal(await statusOf(timed), 'active');
    await timed.pass(2 * minute);
    assert.deepEqual(finishedAt(timed), [40]);
  });

  test('is finished also while it is parked', async (t) => {
    const { timed } = await start(t, 'ends < now');
    const { state } = timed.daemon.parts;
    const { parkTarget } = await import('../../src/store/targets.ts');
    await parkTarget(state.store(), 1, 'it crashed', startAt + 10 * hour);
    timed.daemon.parts.names.projects.whereis('lamp')?.send({ type: 'look' });
    await timed.pass(90 * minute);
    assert.equal(await statusOf(timed), 'finished');
  });
});
