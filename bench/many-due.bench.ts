/**
 * Question: what becomes of targets that are due together? Page targets on 200 hosts of loopback, 5 kB each, all due in one minute
 * of cron or overdue when the daemon starts: a whole daemon with default settings, on one core where `taskset` is there, their
 * sites on another. `ratio` is of scrapes per second of processor time to what 1,000 targets that are scraped over and over reach
 * in the same run; with `--busy` so many programs of the same priority run beside it, for five minutes at most, and `ratio` is of
 * its share's rate.
 *
 * `underLoad` are the pages that were asked for while those programs ran. `deaths` are lives that ended in an error; `failed` are
 * scrapes that did not complete, after a kill those that it cut. `peakMb` is of its own memory. `again` are pages that were asked for more than once
 * (after a kill, those whose scrape was under way), `doubled` targets with more than one complete scrape, `early` requests before
 * the gap of their host was over by the site's clock.
 *
 * Goals: 0.95 of the saturated rate, at most 800 MB, `ping` at p99 in 20 ms; stretch 1, 500 MB, 10 ms. At a load of 30 by others:
 * no death, 0.8 of its share's rate; stretch 0.9. In any case each target is scraped once, and no request is early.
 *
 * Run with `node bench/many-due.bench.ts [--json] [--quick] [--busy 30] [--only PART]`, where PART is part of a row's name.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from '../src/control/client.ts';
import type { Result } from '../src/control/methods.ts';
import { type BenchDaemon, daemonFolder, deaths, fastest, paceOver, ready, shopSource, startDaemon } from './daemon.ts';
import { fillStore } from '../test/support/filled-store.ts';
import { busyPrograms } from './busy.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openSite, type Site } from './site.ts';
import { at, rounded } from './statistics.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    quick: { type: 'boolean' },
    busy: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
  },
});
const busy = Number(values.busy);
const hosts = 200;
const scale = isQuick ? 0.1 : 1;
/** After which a case is given up as it stands. */
const atMostMs = isQuick ? 30_000 : 300_000;

interface Case {
  readonly name: string;
  readonly targets: number;
  readonly due: 'in a minute of cron' | 'overdue at start';
  readonly politeness: Readonly<Record<string, unknown>>;
  /** By which requests of a host must be apart. */
  readonly gapMs: number;
  readonly isKilled: boolean;
}

const polite = { ...fastest, delay: '100ms', minDelay: '50ms' };
const [some, many] = [30_000 * scale, 100_000 * scale];
const asked: readonly Case[] = [
  {
    name: `${some} in a minute of cron`,
    targets: some,
    due: 'in a minute of cron',
    politeness: fastest,
    gapMs: 1,
    isKilled: false,
  },
  {
    name: `${many} overdue at start`,
    targets: many,
    due: 'overdue at start',
    politeness: fastest,
    gapMs: 1,
    isKilled: false,
  },
  {
    name: `${many} overdue at start, 50 ms apart`,
    targets: many,
    due: 'overdue at start',
    politeness: polite,
    gapMs: 50,
    isKilled: false,
  },
  {
    name: `${some} overdue at start, killed halfway`,
    targets: some,
    due: 'overdue at start',
    politeness: fastest,
    gapMs: 1,
    isKilled: true,
  },
];
const cases = asked.filter(({ name }) => name.includes(values.only));

const saturated = await beside(saturatedPace);
const rows = [];
for (const one of cases) rows.push(await measure(one, saturated.cpuMsEach));
show('many-due', rows);

/** Runs `run` with the busy programs beside it. */
async function beside<T>(run: () => Promise<T>): Promise<T> {
  const programs = busyPrograms(busy);
  try {
    return await run();
  } finally {
    programs.end();
  }
}

function urlsOf({ url }: Site, count: number): string[] {
  return Array.from({ length: count }, (_, index) => url(index));
}

/** The processor time of a scrape where nothing is ever late. */
async function saturatedPace() {
  await using site = await openSite({ hosts, kilobytes: 5, cores: '1' });
  await using folder = await daemonFolder(shopSource({ continuous: { sleep: '0s' } }));
  const urls = urlsOf(site, 1_000);
  await fillStore(folder.path, { count: urls.length, urls, pace: { kind: 'continuous' } });
  await using daemon = await startDaemon(folder, '0');
  await delay(isQuick ? 5_000 : 15_000);
  return await paceOver(daemon, isQuick ? 3_000 : 8_000);
}

async function measure({ name, targets, due, politeness, gapMs, isKilled }: Case, saturatedMs: number) {
  const { pattern, dueAt } = due === 'overdue at start' ? minuteAround(Date.now() - 600_000) : soon(targets);
  await using site = await openSite({ hosts, kilobytes: 5, cores: '1', gapMs });
  await using folder = await daemonFolder(shopSource({ cron: pattern, politeness }));
  const urls = urlsOf(site, targets);
  await fillStore(folder.path, { count: targets, urls, pace: { kind: 'cron', pattern, dueAt } });

  const beganAt = Math.max(dueAt, Date.now());
  const pings: number[] = [];
  const spent: Spent[] = [];
  await using daemon = await beside(async () => {
    if (isKilled) {
      await using killed = await startDaemon(folder, '0');
      spent.push(await work(killed, site, targets / 2, pings));
      await killed.kill();
    }
    const started = await startDaemon(folder, '0');
    if (due === 'in a minute of cron') {
      await ready(started);
      await delay(Math.max(0, dueAt - Date.now()));
    }
    spent.push(await work(started, site, targets, pings));
    return started;
  });
  const seconds = (Date.now() - beganAt) / 1_000;
  const { pages: underLoad } = await site.report();
  // What the busy programs kept it from is done when they have ended.
  if (underLoad < targets) spent.push(await work(daemon, site, targets, []));
  const { pages, again, early } = await site.report();
  const { complete, failed, doubled } = await scrapesOf(daemon.client);
  const cpuMsEach = spent.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / complete;
  return {
    what: name,
    busy,
    scraped: complete,
    failed,
    doubled,
    deaths: deaths(folder),
    pages,
    underLoad,
    again,
    early,
    perSecond: Math.round(underLoad / seconds),
    cpuMsEach: rounded(cpuMsEach, 3),
    ratio: rounded(saturatedMs / cpuMsEach),
    goal: busy > 0 ? 0.8 : 0.95,
    peakMb: Math.round(Math.max(...spent.map(({ peakBytes }) => peakBytes)) / 1e6),
    memoryGoal: 800,
    pingP50Ms: rounded(at(0.5, pings), 1),
    pingP99Ms: rounded(at(0.99, pings), 1),
    pingGoal: busy > 0 ? 100 : 20,
    load: load(),
  };
}

/** The pattern of the minute that an instant lies in, every day, and when it begins. */
function minuteAround(instant: number): { readonly pattern: string; readonly dueAt: number } {
  const dueAt = Math.floor(instant / 60_000) * 60_000;
  const date = new Date(dueAt);
  return { pattern: `${date.getUTCMinutes()} ${date.getUTCHours()} * * *`, dueAt };
}

/** The first minute that begins once so many targets can be tracked. */
function soon(targets: number): ReturnType<typeof minuteAround> {
  return minuteAround(Date.now() + 70_000 + targets * (busy > 0 ? 3 : 0.6));
}

interface Spent {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

/** Lets a daemon scrape until its sites have seen so many pages and nothing is under way, or it takes too long; what it took for that. */
async function work(daemon: BenchDaemon, site: Site, pages: number, pings: number[]): Promise<Spent> {
  const before = daemon.cpuMs();
  const over = new AbortController();
  const pinging = ping(daemon.client, pings, over.signal);
  for (const until = performance.now() + atMostMs; performance.now() < until;) {
    const seen = await site.report();
    if (seen.pages >= pages) break;
    await delay(seen.pages < 0.95 * pages ? 500 : 50);
  }
  const spent = { cpuMs: daemon.cpuMs() - before, peakBytes: daemon.peakAnonymousBytes() };
  over.abort();
  await pinging;
  return spent;
}

/** Milliseconds of `daemon.ping`, one call after the other with a pause of 10 ms. */
async function ping(client: Client, times: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    await client.call('daemon.ping', {});
    times.push(performance.now() - startedAt);
    await delay(10);
  }
}

/** How many scrapes completed and failed in all, and how many targets have several that completed, once none is under way. */
async function scrapesOf(client: Client): Promise<Record<'complete' | 'failed' | 'doubled', number>> {
  for (let left = 100; left > 0 && (await client.call('daemon.status', {})).scrapes.running > 0; left -= 1)
    await delay(100);
  const counts = new Map<number, number>();
  let failed = 0;
  for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined;) {
    const slice: Result<'scrape.list'> = await client.call('scrape.list', { before, limit: 1_000 });
    for (const { target, status } of slice.scrapes) {
      if (status === 'complete') counts.set(target, (counts.get(target) ?? 0) + 1);
      else failed += 1;
    }
    before = slice.next;
  }
  const each = [...counts.values()];
  const complete = each.reduce((sum, count) => sum + count, 0);
  return { complete, failed, doubled: each.filter((count) => count > 1).length };
}
