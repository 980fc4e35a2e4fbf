/**
 * Question: what does it cost to keep each of 60,000 products of one shop fresh? A crawl has found them, each on a page of 5 kB of its own;
 * none may become older than ten minutes, and the host allows a request each 4 ms.
 *
 * `daemon` is a whole daemon with default settings for two minutes, on one core where `taskset` is there, its site on another; `cpuMsEach` is of
 * a re-check, `breaches` are products that were too old at the end. `look` is of the products that are due, by the lines of the re-checks: `all`
 * where all ages are looked at, `next` as it is between two such looks, in processor
 * time, the median of some. `longestMs` is how long it held up the event loop at most.
 * `rounds` are re-checks alone, with answers that come at once, over twenty minutes of simulated time: `perHour` are the requests for a product by the
 * last ten, of which the objective needs `needed`; `cpuMsEach` is of a re-check without its request and its page.
 *
 * Goals: no look holds up the loop for more than 5 ms; at most 1.15 of the needed requests, and no breach.
 *
 * Run with `node bench/rechecks.bench.ts [--json] [--quick]`.
 */
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { type Clock, systemClock, VirtualClock } from '../src/clock.ts';
import type { LoadedSource } from '../src/definition/catalogue.ts';
import { effectiveSchedules } from '../src/definition/effective-schedule.ts';
import { parseSource } from '../src/definition/load.ts';
import type { Circuits } from '../src/request/gate.ts';
import type { ScheduleOf } from '../src/schedule/row.ts';
import { createScheduling } from '../src/schedule/scheduling.ts';
import { createRechecks } from '../src/scrape/recheck.ts';
import { RecheckLines } from '../src/scrape/recheck-lines.ts';
import { closeScrape, commitStep } from '../src/store/commit.ts';
import { addProject } from '../src/store/projects.ts';
import { tellAges } from '../src/store/schedule.ts';
import { beginScrape } from '../src/store/scrapes.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { daemonFolder, type DaemonFolder, ready, shopSource, startDaemon } from './daemon.ts';
import { productPage } from './pages.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openSite, type Site } from './site.ts';
import { at, median, rounded } from './statistics.ts';

const products = isQuick ? 6_000 : 60_000;
const objectiveMs = 600_000;
const delayMs = (objectiveMs * 0.4) / products;
const watchedMs = isQuick ? 40_000 : 120_000;
const hourMs = 3_600_000;
const batch = 1_000;
/** The oldest is due soon after a daemon has started. */
const spreadMs = 0.85 * objectiveMs;

const definition = shopSource({
  every: '7d',
  objectives: { errorAfter: `${objectiveMs / 1_000}s` },
  crawl: { detail: ['/p/'] },
  politeness: { autoThrottle: false, delay: `${delayMs}ms`, minDelay: `${delayMs}ms`, concurrency: 64 },
});

await using site = await openSite({ hosts: 1, kilobytes: 5, cores: '1' });
await using folder = await daemonFolder(definition);
const filled = await open(systemClock());
await fill(filled, site);
await filled.close();
const daemon = await keepFresh(folder, site);
const clock = new VirtualClock(Date.now());
const store = await open(clock);
show('rechecks', [daemon, ...(await look(store)), await rounds(store)]);
await store.close();

/** Opens the store of the daemon. */
function open(by: Clock): Promise<Store> {
  const scheduling = createScheduling(schedulesOf(by), () => 0.5);
  return openStore({ path: join(folder.path, 'data'), now: () => by.now(), scheduling });
}

function loaded(): LoadedSource {
  const parsed = parseSource(JSON.stringify(definition), 'shop.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return { source: parsed.value, version: 'v1' };
}

function schedulesOf(by: Clock): ScheduleOf {
  const catalogue = {
    sources: new Map([['shop', loaded()]]),
    types: new Map(),
    sinks: new Map(),
    pipelines: new Map(),
    problems: [],
  };
  return effectiveSchedules({
    clock: by,
    catalogue: () => catalogue,
    settings: () => ({ everyMs: 4 * hourMs, initialDelayMs: 1_000 }),
    paces: { of: () => undefined },
  });
}

/** Stores the products as if a crawl had found one after the other. */
async function fill(into: Store, { url }: Site): Promise<void> {
  const target = { source: 'shop', url: new URL('/', url(0)).href };
  await addProject(into, { id: 'all', name: 'all', labels: [], multiplier: 1, targets: [target] });
  const began = await beginScrape(into, 1, 'v1');
  if (!began.ok) throw new Error('the shop could not be crawled');
  const { fields } = productPage(1, 5);
  const beganAt = Date.now() - spreadMs;
  for (let from = 0; from < products; from += batch)
    await Promise.all(
      Array.from({ length: batch }, (_, index) => {
        const number = from + index;
        const page = url(number);
        const sku = page.slice(-7);
        const observedAt = Math.round(beganAt + (number * spreadMs) / products);
        const log = { url: page, at: observedAt, elapsedMs: 1, bytes: 5_000, absent: [], unparsed: [] };
        const drafts = [
          { type: 'product', key: sku, fields: { ...fields, sku, image: new URL(fields.image, page).href } },
        ];
        return commitStep(
          into,
          { ...began.fence, step: number + 1 },
          { observedAt, drafts, log, page: { url: page, version: 'v1' } },
        );
      }),
    );
  await closeScrape(into, began.fence, { status: 'complete', finished: false });
  while ((await tellAges(into, 500)).count > 0);
}

/** How long it takes to find what is due, and how long that holds up the event loop. */
async function look(of: Store) {
  const deps = { clock: systemClock(), store: () => of, dues: { scheduleOf: schedulesOf(systemClock()) } };
  const all: Held[] = [];
  const next: Held[] = [];
  for (let round = 0; round < 10; round += 1) {
    const lines = new RecheckLines(deps);
    all.push(await timed(() => lines.look('shop')));
    for (let more = 0; more < 10; more += 1) next.push(await timed(() => lines.look('shop')));
  }
  return Object.entries({ 'look, all': all, 'look, next': next }).map(([what, times]) => ({
    what,
    ms: rounded(median(times.map(({ ms }) => ms))),
    longestMs: rounded(median(times.map(({ longestMs }) => longestMs))),
    goalMs: 5,
  }));
}

/** Re-checks by a clock that passes as fast as they are made. */
async function rounds(of: Store) {
  const { source } = loaded();
  const catalogue = {
    sources: new Map([['shop', loaded()]]),
    types: new Map(),
    sinks: new Map(),
    pipelines: new Map(),
    problems: [],
  };
  const dues = { scheduleOf: schedulesOf(clock) };
  const asked: number[] = [];
  const run = createRechecks({
    clock,
    random: () => 0.5,
    store: () => of,
    vault: () => undefined,
    unlessFull: (write) => write(),
    catalogue: () => catalogue,
    paused: () => undefined,
    settings: () => ({ timeLimitMs: 60_000 }),
    dues,
    lines: new RecheckLines({ clock, store: () => of, dues }),
    circuits: { ended: () => undefined } as Partial<Circuits> as Circuits,
    freshnessChanged: () => undefined,
    makeRequest: ({ step }) => {
      clock.advance(source.politeness.delay);
      asked.push(clock.now());
      const drafts = [{ type: 'product', key: step.request.url.slice(-7), fields: {} }];
      const extraction = { drafts, finished: false, items: 1, refused: 0, absent: [], unparsed: [] };
      const outcome = { kind: 'read', extraction, at: clock.now(), elapsedMs: 1, bytes: 0, status: 200 } as const;
      return Promise.resolve({ outcome, generation: 0, wasAsked: true, waitedMs: 0 });
    },
  });
  const signal = new AbortController().signal;
  const beganAt = clock.now();
  const spentBefore = process.cpuUsage();
  for (const until = beganAt + 2 * objectiveMs; clock.now() < until;) {
    const nextAt = await run('shop', signal);
    // Those of a tenth of a second go together: a commit each would be waited for.
    clock.advance(Math.max(100, (nextAt ?? clock.now()) - clock.now()));
  }
  const { user, system } = process.cpuUsage(spentBefore);
  const from = clock.now() - objectiveMs;
  const perHour = (asked.filter((each) => each >= from).length / products / objectiveMs) * hourMs;
  const needed = hourMs / objectiveMs;
  return {
    what: 'rounds',
    perHour: rounded(perHour),
    needed,
    ratio: rounded(perHour / needed),
    goal: 1.15,
    cpuMsEach: rounded((user + system) / 1_000 / asked.length, 3),
  };
}

interface Held {
  readonly ms: number;
  readonly longestMs: number;
}

/** Runs something beside a loop that notes how long it was held up at most; in processor time, as what else runs does not count. */
async function timed(run: () => Promise<unknown>): Promise<Held> {
  let isOver = false;
  let longestMs = 0;
  const watching = (async () => {
    for (let last = spentMs(); !isOver;) {
      await setImmediate();
      const now = spentMs();
      longestMs = Math.max(longestMs, now - last);
      last = now;
    }
  })();
  await setImmediate();
  const before = spentMs();
  await run();
  const ms = spentMs() - before;
  isOver = true;
  await watching;
  return { ms, longestMs };
}

/** The processor time of this thread so far. */
function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function keepFresh(of: DaemonFolder, asked: Site) {
  await using daemon = await startDaemon(of, '0');
  await ready(daemon);
  await delay(10_000);
  const pings: number[] = [];
  const before = { cpuMs: daemon.cpuMs(), requests: (await asked.report()).requests, at: performance.now() };
  while (performance.now() - before.at < watchedMs) {
    const startedAt = performance.now();
    await daemon.client.call('daemon.ping', {});
    pings.push(performance.now() - startedAt);
    await delay(10);
  }
  const ms = performance.now() - before.at;
  const cpuMs = daemon.cpuMs() - before.cpuMs;
  const requests = (await asked.report()).requests - before.requests;
  const { all } = await daemon.client.call('objective.report', {});
  const { changes } = await daemon.client.call('project.history', { id: 'all', limit: 1 });
  if (changes.some(({ kind }) => kind === 'changed')) throw new Error('expected the pages as they were stored');
  return {
    what: 'daemon',
    products,
    perSecond: rounded((requests / ms) * 1_000, 1),
    breaches: all.breaches,
    cpuMsEach: rounded(cpuMs / requests, 3),
    cpuShare: rounded(cpuMs / ms),
    memoryMb: Math.round(daemon.peakAnonymousBytes() / 1e6),
    pingP50Ms: rounded(at(0.5, pings), 1),
    pingP99Ms: rounded(at(0.99, pings), 1),
    load: load(),
  };
}
