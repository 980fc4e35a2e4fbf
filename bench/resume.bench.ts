/**
 * Question: how soon does a daemon go on after `kill -9`, and does it poll once it has nothing to do? Page targets on 200 hosts of
 * loopback are overdue; a whole daemon with default settings, on one core where `taskset` is there, is killed halfway and started
 * again. Milliseconds are from that start: until its socket answers, until its first request, and until the sites are asked for a
 * second at 0.8 of the pace of the five seconds before the kill. What the daemon takes of the processor in a minute with nothing
 * due is measured once it is through.
 *
 * Goals: at full pace again within 5 s of the start; less than 600 ms of processor a minute (1 % of a core) while nothing is due.
 *
 * Run with `node bench/resume.bench.ts [--json] [--quick]`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { daemonFolder, rest, shopSource, startDaemon } from './daemon.ts';
import { fillStore } from '../test/support/filled-store.ts';
import { load } from './process-figures.ts';
import { isQuick, show } from './show.ts';
import { openSite } from './site.ts';
import { rounded } from './statistics.ts';

const targets = isQuick ? 5_000 : 30_000;
const idleMs = isQuick ? 5_000 : 60_000;
const atMostMs = isQuick ? 30_000 : 300_000;
/** Tenths of a second. */
const [lastTenths, window] = [50, 10];

await using site = await openSite({ hosts: 200, kilobytes: 5, cores: '1' });
const dueAt = Math.floor((Date.now() - 600_000) / 60_000) * 60_000;
const due = new Date(dueAt);
const pattern = `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
await using folder = await daemonFolder(shopSource({ cron: pattern }));
const urls = Array.from({ length: targets }, (_, index) => site.url(index));
await fillStore(folder.path, { count: targets, urls, pace: { kind: 'cron', pattern, dueAt } });

const first = await startDaemon(folder, '0');
await asked(targets / 2);
const { perTenth: lately } = await site.report(Date.now() - lastTenths * 100);
const rate = sum(lately) / (lately.length / 10);
await first.kill();

const startedAt = Date.now();
await using daemon = await startDaemon(folder, '0');
const answersMs = Date.now() - startedAt;
await asked(targets);
const isThrough = (await site.report()).pages >= targets;
const throughMs = isThrough ? Date.now() - startedAt : 'not yet';
const { perTenth } = await site.report(startedAt);
const firstTenth = perTenth.findIndex((requests) => requests > 0);
const fullTenth = perTenth.findIndex(
  (_, tenth) => sum(perTenth.slice(tenth, tenth + window)) >= (0.8 * rate * window) / 10,
);
const idleCpuMs = isThrough ? await idle() : 'not yet';

show('resume', [
  { what: `requests a second before the kill, ${targets} overdue`, value: Math.round(rate), goal: '', load: load() },
  { what: 'ms until it answers', value: answersMs, goal: '', load: load() },
  { what: 'ms until its first request', value: firstTenth < 0 ? 'never' : 100 * firstTenth, goal: '', load: load() },
  { what: 'ms until full pace', value: fullTenth < 0 ? 'never' : 100 * fullTenth, goal: 5_000, load: load() },
  { what: 'ms until all were asked for', value: throughMs, goal: '', load: load() },
  { what: 'ms of processor a minute, nothing due', value: idleCpuMs, goal: 600, load: load() },
]);

/** Waits until the sites were asked for so many pages, or it takes too long. */
async function asked(pages: number): Promise<void> {
  for (const until = performance.now() + atMostMs; performance.now() < until;) {
    if ((await site.report()).pages >= pages) return;
    await delay(100);
  }
}

/** What the daemon takes of the processor in a minute, in milliseconds, once it rests. */
async function idle(): Promise<number> {
  const before = await rest(daemon);
  await delay(idleMs);
  return rounded(((daemon.cpuMs() - before) / idleMs) * 60_000, 0);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
