/** A daemon over a filled store that serves HTTP and commits scrapes at a pace, in a process of its own whose memory can be told. */
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { openDaemon } from '../../src/daemon/open.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { hourMs, scrapePrice } from '../support/filled-store.ts';

/** What the process is asked for: commits of so many scrapes a second from now on, or its memory once garbage is collected. */
export type Question = { readonly type: 'scrape'; readonly perSecond: number } | { readonly type: 'memory' };

/** The memory of the process, in bytes, and what it has done so far. */
export interface Told {
  readonly heapBytes: number;
  readonly arrayBytes: number;
  readonly residentBytes: number;
  readonly lastEvent: number;
  /** The port, first of all. */
  readonly port: number;
}

const [folder = '', projects = '0'] = process.argv.slice(2);
const listening = Promise.withResolvers<number>();
const running = Promise.withResolvers<void>();
let left = Number(projects);
const daemon = await openDaemon({
  clock: systemClock(),
  random: Math.random,
  data: join(folder, 'data'),
  sources: join(folder, 'sources'),
  plugins: join(folder, 'plugins'),
  socket: join(folder, 'socket'),
  version: '0.0.0',
  settings: { initialDelayMs: 1_000, everyMs: 4 * hourMs, timeLimitMs: 60_000, logLevel: 'silent' },
  pulseEveryMs: 300_000,
  bot: { name: 'Heronry', userAgent: 'Heronry/0.0.0', onlyLoopback: true },
  findSecrets: secretsFrom({ environment: {} }),
  threads: 1,
  http: { port: 0, readOnly: false },
  httpListens: listening.resolve,
  report(report) {
    if (report.type !== 'started' || !report.id.startsWith('project-')) return;
    left -= 1;
    if (left === 0) running.resolve();
  },
  warn: (what, error) => console.error(what, error),
});
const store = daemon.parts.state.store();
const port = await listening.promise;
await running.promise;
await daemon.system.idle();

let timer: NodeJS.Timeout | undefined;
process.on('message', (question: Question) => {
  if (question.type === 'memory') return tell();
  clearInterval(timer);
  if (question.perSecond > 0) beginScraping(question.perSecond);
});
process.on('disconnect', () => {
  clearInterval(timer);
  daemon.stop();
});
tell();

function tell(): void {
  for (let pass = 0; pass < 3; pass += 1) globalThis.gc?.();
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  const told: Told = {
    heapBytes: heapUsed,
    arrayBytes: arrayBuffers,
    residentBytes: rss,
    lastEvent: store.events.last(),
    port,
  };
  process.send?.(told);
}

function beginScraping(perSecond: number): void {
  let [made, begunAt] = [0, performance.now()];
  // As many as are due by now, so that a late beat loses none.
  timer = setInterval(() => {
    for (; made < ((performance.now() - begunAt) / 1_000) * perSecond; made += 1) scrapeOne(made);
  }, 10);
}

function scrapeOne(made: number): void {
  const target = store.targets.get(1 + ((made * 7_919) % Number(projects)));
  if (target === undefined) return;
  const number = Number(target.url.split('-').at(-1));
  scrapePrice(store, target.target, { number, url: target.url, price: 12 + (made % 7) }).catch((error: unknown) => {
    throw error;
  });
}
