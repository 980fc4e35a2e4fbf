import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productPage } from '../../support/daemon.ts';
import { openSite, type Site } from '../../support/site.ts';
import { settingsOf, startTimed, type TimedDaemon } from '../passing.ts';
import { afterEnd, gapsOf, minute, politeSource, second } from './support.ts';

const ten = Array.from({ length: 10 }, (_, index) => `p${index}`);
const page = productPage('A', '1.00');
const settings = settingsOf({ everyMs: 2 * minute });

/** So many requests at once and so short a memory of failures that nothing but the circuit holds a request up. */
const politeness = 'autoThrottle: false, concurrency: 10, delay: 1ms, minDelay: 1ms';

function shop(site: Site): Record<string, string> {
  const pulse = 'pulse: { every: 30s, record: product, fields: { sku: { css: h1, required: true } } }';
  return {
    shop: politeSource('shop', { politeness }),
    pulsing: politeSource('pulsing', { politeness, more: `url: "${site.origin}/{name}"\n${pulse}` }),
  };
}

function set(site: Site, answer: Parameters<Site['answer']>[1]): void {
  for (const id of ten) site.answer(`/${id}`, answer);
}

/** Ten targets of a source, all of which failed at their last scrape. */
async function failing(t: TestContext, source = 'shop'): Promise<{ readonly timed: TimedDaemon; readonly site: Site }> {
  const site = await openSite(t);
  set(site, page);
  const timed = await startTimed(t, { sources: shop(site), settings });
  for (const id of ten) await timed.track(id, { source, url: site.url(`/${id}`) });
  await timed.pass(minute);
  set(site, { status: 403 });
  await timed.pass(2 * minute);
  await timed.settle();
  return { timed, site };
}

/** How the source is shown, and the first of its targets. */
async function shown({ client }: TimedDaemon) {
  const { circuit } = await client.call('source.get', { id: 'shop' });
  const [target] = (await client.call('project.get', { id: 'p0' })).targets;
  return { circuit, isHeld: target?.conditions.includes('circuit_open') };
}

describe('the circuit of a source', () => {
  test('opens when most of its targets fail: one probe goes now and then, the others wait', async (t) => {
    const { timed } = await failing(t);
    // Rows that tell of it are written within a second.
    await timed.pass(second);
    const { circuit, isHeld } = await shown(timed);
    assert.deepEqual([circuit?.state, isHeld], ['open', true]);
    assert.ok((circuit?.nextAt ?? 0) > timed.clock.now());
    const before = timed.sent.length;
    await timed.pass(20 * minute);
    const probes = timed.sent.slice(before);
    // 20 minutes hold ten rounds of ten targets; a probe goes after 1, 2, 4 and 8 minutes.
    assert.ok(probes.length >= 3 && probes.length <= 5, `${probes.length} requests`);
    const gaps = gapsOf(probes);
    assert.ok(
      gaps.every((gap, index) => gap > (gaps[index - 1] ?? minute)),
      gaps.join(),
    );
  });

  test('holds back those that wait for their turn when it opens', async (t) => {
    const ids = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const site = await openSite(t, Object.fromEntries(ids.map((id) => [`/${id}`, { status: 403 }])));
    const slow = politeSource('shop', { politeness: 'autoThrottle: false, delay: 2s, minDelay: 2s' });
    const timed = await startTimed(t, { sources: { shop: slow }, settings });
    const projects = ids.map((id) => ({ id, targets: [{ source: 'shop', url: site.url(`/${id}`) }] }));
    await timed.client.call('project.apply', { projects });
    await timed.tracked(ids.length);
    await timed.pass(minute);
    assert.equal(timed.sent.length, 5);
  });

  test('opens for that source alone', async (t) => {
    const { timed } = await failing(t);
    const other = await openSite(t, { '/x': page });
    await timed.track('x', { source: 'pulsing', url: other.url('/x') });
    await timed.pass(5 * minute);
    await timed.settle();
    assert.ok(other.asked.length >= 2);
  });

  test('closes in a ramp once a probe works', async (t) => {
    const { timed, site } = await failing(t);
    set(site, page);
    const before = timed.sent.length;
    await timed.pass(4 * minute);
    const [probe, ...ramp] = timed.sent.slice(before);
    const since = probe?.at ?? 0;
    assert.ok(ramp.length > 0);
    assert.ok(ramp.filter(({ at }) => at - since < 30 * second).length <= 2, 'few at first');
    await timed.pass(4 * minute);
    await timed.settle();
    const { scrapes } = await timed.client.call('scrape.list', { status: 'complete', limit: 20 });
    assert.deepEqual([...new Set(scrapes.map(({ projects: [project = ''] }) => project))].sort(), ten);
    assert.deepEqual(await shown(timed), { circuit: undefined, isHeld: false });
  });

  test('stays as it is over a restart: nothing is asked before its probe is due', async (t) => {
    for (const how of ['stopped', 'killed'] as const) {
      const { timed, site } = await failing(t);
      const last = timed.sent.at(-1)?.at ?? 0;
      const again = await startTimed(t, { sources: shop(site), settings, ...(await afterEnd(t, timed, how)) });
      await again.pass(10 * minute);
      const [first, second2] = again.sent;
      assert.ok((first?.at ?? 0) >= last + minute, how);
      assert.ok((second2?.at ?? Infinity) >= (first?.at ?? 0) + 2 * minute, how);
    }
  });

  test('holds its pulse back as well', async (t) => {
    const { timed, site } = await failing(t, 'pulsing');
    const { sent, pass, settle, client } = timed;
    await settle();
    const before = sent.length;
    await pass(90 * second);
    assert.ok(sent.length - before <= 2, `${sent.length - before} requests`);
    const { pulse } = await client.call('source.get', { id: 'pulsing' });
    assert.match(pulse?.lastFailure?.message ?? '', /most targets of source "pulsing" fail/);
    set(site, page);
    await pass(10 * minute);
    await settle();
    const after = await client.call('source.get', { id: 'pulsing' });
    assert.equal(after.pulse?.lastFailure, undefined);
  });
});
