/**
 * Question: how soon does control answer beside scraping? 1,000 projects of one page of 5 kB each on 200 hosts of loopback are
 * scraped over and over by a whole daemon with default settings that saturates one core; one client calls one method after the
 * other with a pause of 10 ms, from another process. With `--busy` so many programs of the same priority run beside.
 *
 * Goals, at p99: `daemon.ping` and `project.get` in 10 ms, `project.rescrape` accepted in 25 ms; at a load of 30, five times that.
 *
 * Run with `node bench/control-beside.bench.ts [--json] [--quick] [--busy 30]`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { busyPrograms } from './busy.ts';
import { daemonFolder, paceOver, shopSource, startDaemon } from './daemon.ts';
import { fillStore } from '../test/support/filled-store.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openSite } from './site.ts';
import { at, rounded } from './statistics.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, quick: { type: 'boolean' }, busy: { type: 'string', default: '0' } },
});
const busy = Number(values.busy);
const targets = 1_000;
const [warmMs, windowMs] = isQuick ? [3_000, 5_000] : [10_000, 40_000];

await using site = await openSite({ hosts: 200, kilobytes: 5, cores: '1' });
await using folder = await daemonFolder(shopSource({ continuous: { sleep: '0s' } }));
const urls = Array.from({ length: targets }, (_, index) => site.url(index));
await fillStore(folder.path, { count: targets, urls, pace: { kind: 'continuous' } });
await using daemon = await startDaemon(folder, '0');
const programs = busyPrograms(busy);
await delay(warmMs);

const { client } = daemon;
let calls = 0;
const projectId = () => ({ id: `project-${(calls * 7_919) % targets}` });
const asked = [
  { method: 'daemon.ping', goal: 10, times: [] as number[], call: () => client.call('daemon.ping', {}) },
  { method: 'project.get', goal: 10, times: [] as number[], call: () => client.call('project.get', projectId()) },
  {
    method: 'project.rescrape',
    goal: 25,
    times: [] as number[],
    call: () => client.call('project.rescrape', projectId()),
  },
];
const pace = paceOver(daemon, windowMs);
for (const until = performance.now() + windowMs; performance.now() < until; calls += 1) {
  for (const { call, times } of asked) {
    const startedAt = performance.now();
    await call();
    times.push(performance.now() - startedAt);
    await delay(10);
  }
}
const { perSecond } = await pace;
programs.end();
show(
  'control-beside',
  asked.map(({ method, goal, times }) => ({
    method,
    busy,
    calls: times.length,
    p50Ms: rounded(at(0.5, times), 1),
    p99Ms: rounded(at(0.99, times), 1),
    goalMs: busy > 0 ? 5 * goal : goal,
    scrapesPerSecond: Math.round(perSecond),
    load: load(),
  })),
);
