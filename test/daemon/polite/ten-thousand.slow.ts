import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Client, ConnectionError } from '../../../src/control/client.ts';
import { daemonFolder, startOwnDaemon } from '../own-daemon.ts';
import type { HostReport } from '../../support/receipts.thread.ts';
import { beatMs, type Hosts, openHosts, shortfallsOf } from '../../support/receipts.ts';
import { politeSource } from './support.ts';

const requests = 10_000;
const targetsPerHost = 25;
const failureEvery = 200;
const timeLimitMs = 60_000;
/** How the lives of the daemon end, one after the other. */
const ends = ['kill', 'stop', 'kill'] as const;

/** Sources of one kind share their hosts, two of them each. */
interface Kind {
  readonly name: string;
  readonly concurrency: number;
  readonly delayMs: number;
  readonly minDelayMs: number;
  readonly latencyMs: number;
}

const kinds: readonly Kind[] = [
  { name: 'single', concurrency: 1, delayMs: 30, minDelayMs: 20, latencyMs: 20 },
  { name: 'calm', concurrency: 1, delayMs: 40, minDelayMs: 25, latencyMs: 10 },
  { name: 'pair', concurrency: 2, delayMs: 30, minDelayMs: 20, latencyMs: 100 },
  { name: 'three', concurrency: 3, delayMs: 30, minDelayMs: 20, latencyMs: 140 },
  { name: 'hasty', concurrency: 1, delayMs: 1, minDelayMs: 1, latencyMs: 5 },
];
/** Four of each kind. */
const hosts = Array.from({ length: 20 }, (_, index) => kinds[index % kinds.length] ?? assert.fail());

function definition(id: string, { concurrency, delayMs, minDelayMs }: Kind): string {
  return politeSource(id, {
    politeness: `autoThrottle: false, concurrency: ${concurrency}, delay: ${delayMs}ms, minDelay: ${minDelayMs}ms`,
    retry: 'times: 2',
    robots: 'obey',
    more: `every: 1s
request: { headers: { x-kind: page } }
pulse: { every: 1s, record: product, fields: { sku: { css: h1, required: true } } }`,
  });
}

/** 250 projects of two targets on two hosts each: every host has 25 targets, of two sources. */
function projectsOn(ports: readonly number[]) {
  const targets = ports.flatMap((port, host) =>
    Array.from({ length: targetsPerHost }, (_, index) => ({
      source: `${hosts[host]?.name}-${index % 2}`,
      url: `http://127.0.0.1:${port}/h${host}-${index}`,
    })),
  );
  const half = targets.length / 2;
  return targets.slice(0, half).map((target, index) => ({
    id: `p${index}`,
    targets: [target, targets[half + index] ?? assert.fail()],
  }));
}

/** Asks for one scrape after the other until the daemon hangs up; how many. */
async function keepAsking(client: Client): Promise<number> {
  let asked = 0;
  for (;;) {
    try {
      await client.call('project.rescrape', { id: `p${(asked * 37) % 250}` });
      asked += 1;
    } catch (error) {
      assert.ok(error instanceof ConnectionError, String(error));
      return asked;
    }
  }
}

/** Runs one daemon after the other over the same store until the hosts have seen all requests; how many scrapes were asked for by hand. */
async function scrapeThroughEnds(t: TestContext, web: Hosts): Promise<number> {
  const sources = kinds.flatMap((kind) => [0, 1].map((twin) => [`${kind.name}-${twin}`, kind] as const));
  const folder = await daemonFolder(t, Object.fromEntries(sources.map(([id, kind]) => [id, definition(id, kind)])));
  let manual = 0;
  for (const [index, end] of ends.entries()) {
    const { client, process: own, kill } = await startOwnDaemon(folder);
    if (index === 0) await client.call('project.apply', { projects: projectsOn(web.ports) });
    const asking = keepAsking(client);
    await web.received((requests * (index + 1)) / ends.length);
    if (end === 'kill') await kill();
    else {
      client.close();
      await own.stop();
    }
    manual += await asking;
  }
  return manual;
}

/** By how much each gap of a host is shorter than its policy. */
function judge({ receipts, mostOpen }: HostReport, { concurrency, delayMs, minDelayMs, name }: Kind): number[] {
  assert.ok(mostOpen <= concurrency, `${name}: ${mostOpen} requests at a time`);
  if (concurrency > 1) assert.equal(mostOpen, concurrency, `${name} was asked as much as it may be`);
  return shortfallsOf(receipts, Math.max(minDelayMs, delayMs / 2), name);
}

test(
  'over 10,000 requests from 500 targets on 20 hosts, with pulses, rescrapes by hand, kills and restarts between, no gap is shorter than the policy and no host over its concurrency',
  { timeout: 2 * timeLimitMs },
  async (t) => {
    const web = await openHosts(
      t,
      hosts.map(({ latencyMs }) => ({ latencyMs, failureEvery })),
    );
    const startedAt = performance.now();
    const manual = await scrapeThroughEnds(t, web);
    const tookMs = performance.now() - startedAt;
    const reports = await web.report();
    const shortfalls = reports.flatMap((report, host) => judge(report, hosts[host] ?? assert.fail()));
    const receipts = reports.flatMap((report) => report.receipts);
    const exact = shortfalls.filter((shortfall) => shortfall <= 0).length;
    const late = receipts.filter(({ lateMs }) => lateMs > 2 * beatMs).length;
    for (const wanted of ['page', 'pulse', 'robots']) {
      const count = receipts.filter(({ kind }) => kind === wanted).length;
      t.diagnostic(`${count} requests for a ${wanted}`);
      assert.ok(count >= hosts.length);
    }
    t.diagnostic(`${manual} scrapes asked for by hand; ${Math.round(tookMs)} ms; ${late} requests seen late`);
    t.diagnostic(`${exact} of ${shortfalls.length} gaps were as long as the policy without any tolerance`);
    assert.ok(receipts.length >= requests && manual >= 100);
    assert.ok(exact >= 0.95 * shortfalls.length, 'the tolerance is needed by few');
    assert.ok(tookMs < timeLimitMs, `${tookMs} ms`);
  },
);
