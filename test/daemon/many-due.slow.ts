import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { politeSource } from './polite/support.ts';
import { daemonFolder, type OwnDaemon, startOwnDaemon } from './own-daemon.ts';
import { fillStore } from '../support/filled-store.ts';
import { type Hosts, openHosts, shortfallsOf } from '../support/receipts.ts';

const targets = 10_000;
const hosts = 200;
const [delayMs, minDelayMs] = [200, 100];
/** Time for the daemon to start, before all targets fall due. */
const leadMs = 10_000;
const dayMs = 86_400_000;
/** More than are ever under way. */
const mostUnderWay = 256;

interface Setting {
  readonly web: Hosts;
  readonly folder: string;
}

/** Hosts, and a store in which all targets fall due at one instant. */
async function dueTogether(t: TestContext): Promise<Setting> {
  const web = await openHosts(
    t,
    Array.from({ length: hosts }, () => ({ latencyMs: 5 })),
  );
  const source = politeSource('shop', {
    politeness: `autoThrottle: false, delay: ${delayMs}ms, minDelay: ${minDelayMs}ms`,
    more: 'every: 1d\nrequest: { headers: { x-kind: page } }',
  });
  const folder = await daemonFolder(t, { shop: source });
  const urls = Array.from({ length: targets }, (_, index) => `http://127.0.0.1:${web.ports[index % hosts]}/p-${index}`);
  const pace = { kind: 'interval', everyMs: dayMs, originAt: Date.now() + leadMs, isTogether: true } as const;
  await fillStore(folder, { count: targets, urls, pace });
  return { web, folder };
}

/** How often each project completed a scrape, by the events of all lives, once each has completed one. */
async function completions({ client }: OwnDaemon): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  await client.subscribe({ after: 0 }, (event) => {
    const { type, projects: [project = ''] = [] } = event;
    if (type === 'scrape.completed') counts.set(project, (counts.get(project) ?? 0) + 1);
    // Those that were under way at a kill are told as such, and begin again.
    const wasCut = type === 'scrape.failed' && event.data.failure?.code === 'interrupted';
    if (/failed|aborted|parked|crashed/.test(type) && !wasCut) all.reject(new Error(`${type} ${project}`));
    if (counts.size === targets) all.resolve();
  });
  await all.promise;
  return counts;
}

/** Fails where a life of the daemon ended in an error, by the end of what it wrote at `warn`. */
function noDeathIn(tail: readonly string[]): void {
  assert.deepEqual(
    tail.filter((line) => /"msg":"ended"|"msg":"[^"]*(?:start error|child terminated)/.test(line)),
    [],
  );
}

/** How often each page was asked for, after the gaps between the requests of each host have been looked at. */
async function asked(t: TestContext, web: Hosts): Promise<number[]> {
  const reports = await web.report();
  const shortfalls = reports.flatMap(({ receipts }, host) => shortfallsOf(receipts, minDelayMs, `host ${host}`));
  const exact = shortfalls.filter((shortfall) => shortfall <= 0).length;
  t.diagnostic(`${exact} of ${shortfalls.length} gaps were as long as the policy without any tolerance`);
  const counts = new Map<string, number>();
  for (const { path } of reports.flatMap(({ receipts }) => receipts)) counts.set(path, (counts.get(path) ?? 0) + 1);
  assert.equal(counts.size, targets, 'pages that were asked for');
  return [...counts.values()];
}

test(
  '10,000 targets on 200 hosts that fall due together are scraped once each, no life dies of it, and no request is early',
  { timeout: 90_000 },
  async (t) => {
    const { web, folder } = await dueTogether(t);
    const daemon = await startOwnDaemon(folder);
    const counts = await completions(daemon);
    assert.deepEqual(new Set(counts.values()), new Set([1]), 'scrapes of a target that completed');
    daemon.client.close();
    const { tail } = await daemon.process.stop();
    noDeathIn(tail);
    assert.deepEqual(new Set(await asked(t, web)), new Set([1]), 'requests for a page');
  },
);

test(
  'a daemon killed in the middle of 10,000 targets that fell due together loses and doubles none of their scrapes',
  { timeout: 90_000 },
  async (t) => {
    const { web, folder } = await dueTogether(t);
    const first = await startOwnDaemon(folder);
    await web.received(targets / 2);
    await first.kill();
    noDeathIn((await first.process.ended).tail);

    const second = await startOwnDaemon(folder);
    const counts = await completions(second);
    assert.deepEqual(new Set(counts.values()), new Set([1]), 'scrapes of a target that completed');
    second.client.close();
    const { tail } = await second.process.stop();
    noDeathIn(tail);
    const again = (await asked(t, web)).filter((count) => count > 1);
    t.diagnostic(`${again.length} pages were asked for again, as their scrapes were under way at the kill`);
    assert.ok(again.length <= mostUnderWay, `${again.length} pages were asked for again`);
    assert.ok(again.every((count) => count === 2));
  },
);
