import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Report } from '../../src/actor/report.ts';
import { VirtualClock } from '../../src/clock.ts';
import { ControlError } from '../../src/control/error.ts';
import { productPage, productSource, startDaemon, startDaemonIn, type TestDaemon } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { settingsOf, startTimed } from './passing.ts';

const everyMs = 60_000;
const limitBytes = 1_000_000;
const settings = { initialDelayMs: 0, everyMs, timeLimitMs: 60_000, logLevel: 'silent' } as const;

/** A site whose one page says something long and new at each visit. */
async function talkativeSite(t: TestContext): Promise<Site> {
  const site = await openSite(t);
  let visits = 0;
  site.answer('/a', (_request, response) => {
    visits += 1;
    response.setHeader('content-type', 'text/html');
    response.end(productPage('A', '1.50', `${visits} ${'x'.repeat(20_000)}`));
  });
  return site;
}

interface FullDaemon extends TestDaemon {
  readonly clock: VirtualClock;
  readonly site: Site;
  /** What the daemon said when it paused. */
  readonly warning: string;
  /** What a person was told whose request could not be kept; nothing when scraping noticed first. */
  readonly refusal: unknown;
}

/** A daemon that has scraped until its store was full. */
async function fullDaemon(t: TestContext): Promise<FullDaemon> {
  const clock = new VirtualClock(Date.now());
  const site = await talkativeSite(t);
  const { promise: warned, resolve: warn } = Promise.withResolvers<string>();
  const daemon = await startDaemon(t, {
    clock,
    settings,
    warn,
    storeLimitBytes: limitBytes,
    sources: { shop: productSource('shop') },
  });
  const { client, event } = daemon;
  clock.advance(10);
  await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: site.url('/a') }] });
  await event(({ type }) => type === 'scrape.completed');
  let refusal: unknown;
  for (let paused = false; !paused && refusal === undefined;) {
    try {
      clock.advance(10);
      const { scrapes } = await client.call('project.rescrape', { id: 'lamp' });
      const completed = event(({ type, scrape }) => type === 'scrape.completed' && scrape === scrapes[0]?.scrape);
      paused = await Promise.race([completed.then(() => false), warned.then(() => true)]);
    } catch (error) {
      // The store is full, or the test that looks at this says what else it is.
      refusal = error;
    }
  }
  clock.advance(everyMs);
  return { ...daemon, clock, site, refusal, warning: await warned };
}

/** Every scrape, step, history row and event of the project, as the socket tells them, contradicts no other. */
async function checkWhole({ client }: Pick<TestDaemon, 'client'>): Promise<void> {
  const { changes } = await client.call('project.history', { id: 'lamp', limit: 1_000 });
  const { records } = await client.call('project.records', { id: 'lamp' });
  assert.equal(records.length, 1);
  assert.deepEqual(records[0]?.fields['state']?.value, changes[0]?.fields['state']?.new);
  for (const [place, { fields }] of changes.slice(0, -1).entries())
    assert.deepEqual(fields['state']?.old, changes[place + 1]?.fields['state']?.new);
  const { scrapes } = await client.call('scrape.list', { limit: 1_000 });
  const complete = scrapes.filter(({ status }) => status === 'complete');
  assert.ok(complete.every(({ steps, counts }) => steps === 1 && counts.added + counts.changed === 1));
  assert.ok(changes.every(({ scrape }) => complete.some((each) => each.scrape === scrape)));
}

test('a full store is a clear error, pauses scraping, and is read as before', async (t) => {
  const { client, clock, site, daemon, refusal, warning } = await fullDaemon(t);
  assert.match(warning, /^scraping pauses: .*bytes are in use: expected less than the limit of 1000000$/);
  await assert.rejects(
    client.call('project.add', { id: 'more', targets: [{ source: 'shop', url: site.url('/b') }] }),
    (error) => error instanceof ControlError && error.code === 'not_ready' && /bytes are in use/.test(error.message),
  );
  // Which of the two meets the limit first depends on their sizes.
  if (refusal !== undefined) assert.ok(refusal instanceof ControlError && refusal.code === 'not_ready');

  const asked = site.asked.length;
  clock.advance(3 * everyMs);
  await daemon.system.idle();
  const status = await client.call('daemon.status', {});
  assert.match(status.paused ?? '', /bytes are in use/);
  assert.equal(status.state, 'ready');
  const inMs = (status.pausedUntil ?? 0) - clock.now();
  assert.ok(inMs >= 0 && inMs <= 30_000, `looks for room in ${inMs} ms`);
  assert.equal(site.asked.length, asked);
  assert.equal((await client.call('project.get', { id: 'lamp' })).status, 'active');
  await checkWhole({ client });
});

test('a pulse asks for nothing while scraping pauses, and goes on when it resumes', async (t) => {
  const site = await talkativeSite(t);
  site.answer('/b', productPage('B', '1.50'));
  const pulsing = productSource(
    'ticks',
    `url: "${site.origin}/{name}"
pulse:
  every: 5s
  record: product
  url: "${site.origin}/{name}"
  fields: { sku: { css: h1, required: true } }`,
  );
  const { client, folder, pass, settle, sent, track } = await startTimed(t, {
    settings: settingsOf({ everyMs: 1_000 }),
    sources: { shop: productSource('shop'), ticks: pulsing },
    storeLimitBytes: limitBytes,
  });
  await track('ticks', { source: 'ticks', url: site.url('/b'), everyMs: 3_600_000 });
  await track('lamp', ...[1, 2, 3, 4].map((page) => ({ source: 'shop', url: site.url(`/a?${page}`) })));
  await pass(40_000);
  assert.match((await client.call('daemon.status', {})).paused ?? '', /bytes are in use/);
  await settle();
  const asked = sent.length;
  await pass(60_000);
  await settle();
  assert.equal(sent.length, asked);
  const waiting = (await client.call('daemon.status', {})).offers;
  assert.deepEqual(
    waiting.map(({ waitFor }) => waitFor),
    ['room'],
  );

  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'trimming.ts'), join(folder, 'data')]);
  await pass(32_000);
  await settle();
  assert.ok(sent.slice(asked).some(({ url }) => url.endsWith('/b')));
});

test('a parked target waits for room to be tried again, and its project goes on', async (t) => {
  const site = await talkativeSite(t);
  site.answer('/bad', productPage('B', '1.50'));
  const ended: Report[] = [];
  let crashes = 4;
  const { client, clock, folder, pass, settle, track } = await startTimed(t, {
    settings: settingsOf({ everyMs: 1_000 }),
    sources: { shop: productSource('shop') },
    storeLimitBytes: limitBytes,
    report: (report) => void (report.type === 'supervisor' && ended.push(report)),
    intercept: (runStep) => (step, signal, onSent) => {
      if (!step.request.url.endsWith('/bad') || crashes === 0) return runStep(step, signal, onSent);
      crashes -= 1;
      throw new Error('the scraper is broken');
    },
  });
  const bad = async () => (await client.call('project.get', { id: 'bad' })).targets[0];
  await track('bad', { source: 'shop', url: site.url('/bad') });
  await pass(10_000);
  assert.equal((await bad())?.status, 'parked');
  ended.length = 0;
  const lamps = [1, 2, 3, 4].map((page) => ({ source: 'shop', url: site.url(`/a?${page}`) }));
  await track('lamp', ...lamps);
  await pass(40_000);
  assert.match((await client.call('daemon.status', {})).paused ?? '', /bytes are in use/);
  assert.ok(((await bad())?.parked?.retryAt ?? 0) > clock.now());

  await pass(120_000);
  await settle();
  assert.deepEqual(ended, []);
  assert.equal((await bad())?.status, 'parked');

  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'trimming.ts'), join(folder, 'data')]);
  await pass(32_000);
  await settle();
  const released = await bad();
  assert.deepEqual([released?.status, released?.lastScrape?.status], ['active', 'complete']);
});

test('scraping resumes by itself when there is room again, and nothing was corrupted', async (t) => {
  const { client, clock, daemon, site, folder, event, close } = await fullDaemon(t);
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'trimming.ts'), join(folder, 'data')]);
  const asked = site.nextAsked('/a');
  const { lastEvent } = await client.call('daemon.status', {});
  // The reconciler looks every 30 s; the target is overdue then.
  clock.advance(everyMs);
  await asked;
  await event(({ type, id }) => type === 'scrape.completed' && id > lastEvent);
  await daemon.system.idle();
  const { paused, pausedUntil } = await client.call('daemon.status', {});
  assert.deepEqual([paused, pausedUntil], [undefined, undefined]);
  await checkWhole({ client });
  const before = await client.call('project.records', { id: 'lamp' });
  await close();

  const again = await startDaemonIn(t, folder, { clock, settings });
  assert.deepEqual(await again.client.call('project.records', { id: 'lamp' }), before);
  await checkWhole(again);
});
