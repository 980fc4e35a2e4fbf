/**
 * Question: what does a scrape cost over the least that one takes, when the same pages are scraped over and over? 1,000 projects of
 * one page of 5 kB each on 200 hosts of loopback, by a whole daemon with default settings on one core where `taskset` is there,
 * their sites on another. The least is a bare loop on that core: undici, 64 at once, htmlparser2 with selectors compiled once,
 * and an lmdb put of the record.
 *
 * `cpuMsEach` is the processor time of a scrape, all threads. Goals, as ratios in one run: as fast as it can, 0.45 of the bare loop's
 * scrapes per second of processor time, stretch 0.6; at 400 a second, 1.2 of the time that a scrape takes then, stretch 1.1; the
 * daemon's own memory with 10,000 targets that are scraped over and over, 500 MB at most, stretch 350.
 *
 * Run with `node bench/steady.bench.ts [--json] [--quick]`.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { completed, daemonFolder, type Pace, paceOver, pinned, ready, shopSource, startDaemon } from './daemon.ts';
import { type FilledPace, fillStore } from '../test/support/filled-store.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openSite, type Site } from './site.ts';
import { median, rounded } from './statistics.ts';

const hosts = 200;
const targets = 1_000;
const many = isQuick ? 2_000 : 10_000;
const perSecond = 400;
const [warmMs, windowMs] = isQuick ? [3_000, 3_000] : [10_000, 8_000];
const rounds = isQuick ? 1 : 3;
const settlesWithinMs = 60_000;

await using site = await openSite({ hosts, kilobytes: 5, cores: '1' });
// An interval is of a second at least.
const everyMs = 3_000;
// Rounds alternate: what the machine does besides meets all of them.
const found: Record<'bare' | 'saturated' | 'paced', Measured[]> = { bare: [], saturated: [], paced: [] };
for (let round = 0; round < rounds; round += 1) {
  found.bare.push(await bareLoop(site));
  found.saturated.push(await scraping(site, targets, { kind: 'continuous' }));
  found.paced.push(
    await scraping(site, (everyMs / 1_000) * perSecond, {
      kind: 'interval',
      everyMs,
      originAt: Date.now(),
      isTogether: false,
    }),
  );
}
const crowd = await scraping(site, many, { kind: 'continuous' });

show('steady', [
  { what: 'bare loop', ...figures(found.bare), ratio: 1, goal: '', stretch: '', load: load() },
  {
    what: `${targets} targets, as fast as it can: of the bare loop`,
    ...figures(found.saturated),
    ratio: ratioOf('bare', 'saturated'),
    goal: 0.45,
    stretch: 0.6,
    load: load(),
  },
  {
    what: `${perSecond} a second: time of a scrape, of as fast as it can`,
    ...figures(found.paced),
    ratio: ratioOf('paced', 'saturated'),
    goal: 1.2,
    stretch: 1.1,
    load: load(),
  },
  {
    what: `${many} targets, as fast as it can: memory`,
    ...figures([crowd]),
    ratio: '',
    goal: '500 MB',
    stretch: '350 MB',
    load: load(),
  },
]);

interface Measured extends Pace {
  /** Missing for the bare loop. */
  readonly memoryMb?: number;
}

function figures(runs: readonly Measured[]): Record<string, string | number> {
  const [{ memoryMb } = {}] = runs;
  return {
    perSecond: Math.round(median(runs.map(({ perSecond: rate }) => rate))),
    cpuMsEach: rounded(median(runs.map(({ cpuMsEach }) => cpuMsEach)), 3),
    memoryMb: memoryMb === undefined ? '' : Math.max(...runs.map((run) => run.memoryMb ?? 0)),
  };
}

/** The median over rounds of the time of a scrape in one way, of that in another. */
function ratioOf(one: keyof typeof found, other: keyof typeof found): number {
  return rounded(
    median(found[one].map(({ cpuMsEach }, round) => cpuMsEach / (found[other][round]?.cpuMsEach ?? Number.NaN))),
  );
}

/** The pace of so many targets once they have settled, and the most memory until then. */
async function scraping({ url }: Site, count: number, pace: FilledPace): Promise<Measured> {
  const given = pace.kind === 'interval' ? { every: `${pace.everyMs / 1_000}s` } : { continuous: { sleep: '0s' } };
  await using folder = await daemonFolder(shopSource(given));
  await fillStore(folder.path, { count, urls: Array.from({ length: count }, (_, index) => url(index)), pace });
  await using daemon = await startDaemon(folder, '0');
  await ready(daemon);
  await delay(warmMs);
  // Until each target has had its first scrape, which costs more than the others.
  for (const until = performance.now() + settlesWithinMs; performance.now() < until; await delay(500))
    if ((await completed(daemon.client)) >= count) break;
  return { ...(await paceOver(daemon, windowMs)), memoryMb: Math.round(daemon.peakAnonymousBytes() / 1e6) };
}

async function bareLoop({ url }: Site): Promise<Pace> {
  const program = [process.execPath, join(import.meta.dirname, 'steady-bare.ts')];
  const [command, ...args] = pinned([...program, String(warmMs), String(windowMs)], '0');
  const urls = Array.from({ length: targets }, (_, index) => url(index));
  const { stdout } = await promisify(execFile)(command, args, { env: { ...process.env, URLS: urls.join(',') } });
  return JSON.parse(stdout) as Pace;
}
