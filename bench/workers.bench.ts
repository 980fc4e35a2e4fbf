/**
 * Question: what does it cost to have steps run by worker processes, what do more of them bring, and how soon does the work go on when a daemon is
 * killed? On a Redis and a PostgreSQL of the bench's own, on loopback; PostgreSQL does not wait for its disk, and Redis writes to it once a second.
 *
 * - `steps`: pages of 5 kB, 32 at once, by the local engine, and through the queues by one step worker. Then steps that ask nobody, beside bare BullMQ:
 *   two queues with texts of the same lengths, the same width and one worker on each side. `ratio` is that of steps a second to the line's peer,
 *   `cpuUs` the processor time of a step in the process that hands it out, `workerCpuUs` in the one that takes it.
 * - `scaling`: a whole daemon with pages that take a second each, by one and by four `heronry worker` processes of 16 slots, and by the local engine with as
 *   many requests in flight as the four have slots; scrapes a second, and the processor time of each in the daemon.
 * - `take-over`: from `kill -9` of a daemon until its next life, started at once, asks for a page, and until a second daemon that waits for the queues does.
 *   Targets are due all the time. The peer of the next life is that of a daemon with the local engine.
 * - `memory`: of each step that waits for a worker process, in the heap of the daemon and in the server of the queues.
 *
 * Goals: four worker processes bring 3.6 times what one does. With `--quick` on Redis alone.
 *
 * Run with `node --expose-gc bench/workers.bench.ts [--json] [--quick]`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../src/clock.ts';
import { Dispatcher } from '../src/engine/bullmq/dispatcher.ts';
import { openQueueServer } from '../src/engine/bullmq/open-queue-server.ts';
import type { QueueServer } from '../src/engine/bullmq/queue-server.ts';
import type { RunStep, StepOutcome } from '../src/engine/step.ts';
import { type Pace, paceOver, ready, startDaemon } from './daemon.ts';
import { load } from './process-figures.ts';
import { postgresqlQueues, type QueueStore, redisQueues } from './queues.ts';
import { isQuick, show } from './show.ts';
import { openSite } from './site.ts';
import { median, rounded } from './statistics.ts';
import { benchCluster, localSteps, startStepProcess, stepFor, type Task } from './step-process.ts';
import {
  askedAfter,
  busyFolder,
  busyHosts as hosts,
  keyFolder,
  nextLife,
  nextLocalLife,
  slots,
  startWorker,
  workersThere,
} from './worker-daemons.ts';

const rounds = isQuick ? 1 : 3;
const [steps, width] = [isQuick ? 400 : 1_500, 32];
/** Worker processes, in `scaling`. */
const most = 4;
const waiting = isQuick ? 1_000 : 4_000;
const [warmMs, windowMs] = isQuick ? [3_000, 6_000] : [5_000, 10_000];
const never = new AbortController().signal;

let clusters = 0;
const rows: Record<string, string | number>[] = [];

await using ends = new AsyncDisposableStack();
const ending = { after: (end: () => Promise<unknown>) => ends.defer(async () => void (await end())) };
const quickSite = ends.use(await openSite({ hosts, kilobytes: 5 }));
const slowSite = ends.use(await openSite({ hosts, kilobytes: 5, waitMs: 1_000 }));
const localNexts: number[] = [];
for (let round = 0; round < rounds; round += 1) localNexts.push(await nextLocalLife(quickSite));
const localNextMs = median(localNexts);
rows.push({
  server: '',
  what: 'take-over: ms until the next life asks, local engine',
  value: localNextMs,
  load: load(),
});
const stores = [await redisQueues(ending), ...(isQuick ? [] : [await postgresqlQueues(ending)])];
for (const store of stores) {
  rows.push(...(await memory(store)));
  rows.push(...(await compareSteps(store)));
  rows.push(...(await scaling(store)));
  rows.push(...(await takeOver(store)));
}
show('workers', rows);

/** A daemon's side of queues that are its own; disposing of it ends it. */
interface Side extends AsyncDisposable {
  readonly cluster: string;
  readonly server: QueueServer;
  readonly dispatcher: Dispatcher;
  /** Resolves once so many steps can be handed out. */
  credit(steps: number): Promise<void>;
}

async function openSide({ url }: QueueStore): Promise<Side> {
  const cluster = nextCluster();
  const server = await openQueueServer(url, { failed: console.error, migrate: true });
  let credit = 0;
  const dispatcher = await Dispatcher.open(
    server,
    {
      clock: systemClock(),
      cluster: benchCluster(cluster),
      holder: 'bench',
      forgetAfterMs: 3_600_000,
      credited: (now) => {
        credit = now;
      },
      superseded: () => console.error('superseded'),
      // A machine that is slow may take longer than a turn to hand out all.
      sendWithinMs: 60_000,
      warn: console.error,
    },
    never,
  );
  return {
    ...{ cluster, server, dispatcher },
    async credit(wanted) {
      while (credit < wanted) await delay(10);
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.close();
      await server.close();
    },
  };
}

function nextCluster(): string {
  clusters += 1;
  return `bench-${process.pid}-${clusters}`;
}

async function memory(store: QueueStore): Promise<typeof rows> {
  await using side = await openSide(store);
  const queue = side.server.openQueue(benchCluster(side.cluster).steps);
  const { run } = side.dispatcher;
  const waits = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1)
      run(stepFor(quickSite.url(index)), never, () => undefined).catch(() => undefined);
    while ((await queue.getJobCounts('waiting'))['waiting'] !== to) await delay(50);
  };
  // Code and connections have their memory from the first ones on.
  await waits(0, width);
  const before = { heap: heapBytes(), held: await store.heldBytes() };
  await waits(width, width + waiting);
  const each = (bytes: number): number => Math.round(bytes / waiting);
  const held = (await store.heldBytes()) - before.held;
  await queue.drain();
  return [
    {
      server: store.name,
      what: `memory: ${waiting} waiting steps, bytes each in the daemon`,
      value: each(heapBytes() - before.heap),
    },
    { server: store.name, what: `memory: ${waiting} waiting steps, bytes each in the server`, value: each(held) },
  ].map((row) => ({ ...row, load: load() }));
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Steps a second, and the processor time of a step here and where it is taken, in microseconds. */
interface Measured {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly workerCpuUs: number;
}

async function compareSteps(store: QueueStore): Promise<typeof rows> {
  const outcome = await localSteps(Date.now)(stepFor(quickSite.url(0)), never, () => undefined);
  const found: Record<'local' | Task, Measured[]> = { local: [], ask: [], play: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.local.push(await measure(localSteps(Date.now)));
    found.ask.push(await throughQueues(store, 'ask', outcome));
    found.play.push(await throughQueues(store, 'play', outcome));
    found.bare.push(await bareQueues(store, outcome));
  }
  const row = (what: string, of: keyof typeof found, peer: keyof typeof found): (typeof rows)[number] => {
    const figure = (key: keyof Measured): number => median(found[of].map((measured) => measured[key]));
    const ratios = found[of].map(({ perSecond }, round) => perSecond / (found[peer][round]?.perSecond ?? Number.NaN));
    return {
      server: store.name,
      what: `steps: ${what}`,
      value: Math.round(figure('perSecond')),
      cpuUs: Math.round(figure('cpuUs')),
      workerCpuUs: Math.round(figure('workerCpuUs')),
      ratio: rounded(median(ratios)),
      load: load(),
    };
  };
  return [
    row('local engine', 'local', 'local'),
    row('one step worker, of the local engine', 'ask', 'local'),
    row('bare BullMQ, nobody asked', 'bare', 'bare'),
    row('one step worker, nobody asked, of bare BullMQ', 'play', 'bare'),
  ];
}

async function throughQueues(store: QueueStore, task: Task, outcome: StepOutcome): Promise<Measured> {
  await using side = await openSide(store);
  await using taker = await startStepProcess({
    task,
    url: store.url,
    cluster: side.cluster,
    concurrency: width,
    outcome,
    text: '',
  });
  await side.credit(width);
  return await measure(
    async (...args) => {
      const ran = await side.dispatcher.run(...args);
      side.dispatcher.acknowledge(ran.receipt ?? '');
      return ran;
    },
    () => taker.cpuMs(),
  );
}

/** The same by BullMQ alone, with texts of the lengths that sealed steps and their results have. */
async function bareQueues({ url }: QueueStore, outcome: StepOutcome): Promise<Measured> {
  const name = nextCluster();
  const cluster = benchCluster(name);
  const text = cluster.seal('result', 'x', { worker: 'x', key: 'x'.repeat(43), wasSent: true, kind: 'ended', outcome });
  const job = cluster.seal('job', 'x', {
    step: stepFor(quickSite.url(0)),
    key: 'x'.repeat(43),
    sendBy: 0,
    dispatchedAt: 0,
  });
  const server = await openQueueServer(url, { failed: console.error, migrate: true });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => server.close());
  const waiters = new Map<string, () => void>();
  const queue = server.openQueue(cluster.steps);
  server.openWorker(cluster.results, async ({ id }) => waiters.get(id)?.(), {
    concurrency: width,
    removeOnComplete: { count: 0 },
  });
  const taker = closing.use(
    await startStepProcess({ task: 'bare', url, cluster: name, concurrency: width, outcome, text }),
  );
  let last = 0;
  return await measure(
    async () => {
      last += 1;
      const [id, { promise, resolve }] = [`bare-${last}`, Promise.withResolvers<void>()];
      waiters.set(id, resolve);
      await queue.add('step', job, { jobId: id, attempts: 1, removeOnComplete: true });
      await promise;
      waiters.delete(id);
      return outcome;
    },
    () => taker.cpuMs(),
  );
}

/** Runs steps, so many at once, after some that are not counted. */
async function measure(run: RunStep, workerCpuMs = (): number => 0): Promise<Measured> {
  await runAll(run, steps / 5);
  const [cpu, workerCpu, startedAt] = [process.cpuUsage(), workerCpuMs(), performance.now()];
  await runAll(run, steps);
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return {
    perSecond: (steps / tookMs) * 1_000,
    cpuUs: (user + system) / steps,
    workerCpuUs: ((workerCpuMs() - workerCpu) / steps) * 1_000,
  };
}

async function runAll(run: RunStep, count: number): Promise<void> {
  let next = 0;
  const runOn = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const outcome = await run(stepFor(quickSite.url(next)), never, () => undefined);
      if (outcome.kind !== 'read') throw new Error(`a page was not read: ${JSON.stringify(outcome)}`);
    }
  };
  await Promise.all(Array.from({ length: width }, runOn));
}

async function scaling({ name, url }: QueueStore): Promise<typeof rows> {
  const found: Record<'local' | 'one' | 'four', Pace[]> = { local: [], one: [], four: [] };
  for (let round = 0; round < rounds; round += 1) {
    found.local.push(await localPace());
    await using keys = await keyFolder();
    const engine = { bullmq: { url, cluster: nextCluster(), key: keys.file } };
    await using folder = await busyFolder(slowSite, { engine });
    await using daemon = await startDaemon(folder);
    await using workers = new AsyncDisposableStack();
    const pace = async (count: number): Promise<Pace> => {
      await workersThere(daemon, count);
      await delay(warmMs);
      return await paceOver(daemon, windowMs);
    };
    workers.use(await startWorker(folder));
    found.one.push(await pace(1));
    for (let more = 1; more < most; more += 1) workers.use(await startWorker(folder));
    found.four.push(await pace(most));
  }
  const row = (what: string, of: keyof typeof found): (typeof rows)[number] => ({
    server: name,
    what: `scaling: ${what}`,
    value: Math.round(median(found[of].map(({ perSecond }) => perSecond))),
    cpuUs: Math.round(median(found[of].map(({ cpuMsEach }) => cpuMsEach * 1_000))),
    load: load(),
  });
  const ratio = median(
    found.four.map(({ perSecond }, round) => perSecond / (found.one[round]?.perSecond ?? Number.NaN)),
  );
  return [
    row(`local engine with ${most * slots} requests in flight`, 'local'),
    row('one worker process', 'one'),
    { ...row('four worker processes, of one', 'four'), ratio: rounded(ratio), goal: 3.6 },
  ];
}

/** The pace of the local engine with as many requests in flight as all worker processes have slots. */
async function localPace(): Promise<Pace> {
  await using folder = await busyFolder(slowSite, { inFlight: most * slots });
  await using daemon = await startDaemon(folder);
  await ready(daemon);
  await delay(warmMs);
  return await paceOver(daemon, windowMs);
}

async function takeOver({ name, url }: QueueStore): Promise<typeof rows> {
  const found: { next: number; second: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await using keys = await keyFolder();
    const config = { engine: { bullmq: { url, cluster: nextCluster(), key: keys.file } } };
    await using otherSite = await openSite({ hosts, kilobytes: 5 });
    await using folder = await busyFolder(quickSite, config);
    await using otherFolder = await busyFolder(otherSite, config);
    const first = await startDaemon(folder);
    await using _worker = await startWorker(folder);
    await askedAfter(quickSite, Date.now());
    const other = await startDaemon(otherFolder);
    const killedAt = Date.now();
    await first.kill();
    const second = await askedAfter(otherSite, killedAt);
    found.push({ second, next: await nextLife(other, otherFolder, otherSite) });
  }
  const row = (what: string, ms: number, peer: number): (typeof rows)[number] => ({
    server: name,
    what: `take-over: ms until ${what}`,
    value: ms,
    ratio: rounded(ms / peer),
    load: load(),
  });
  const next = median(found.map((each) => each.next));
  return [
    row('the next life asks', next, localNextMs),
    row('a second daemon asks, of the next life', median(found.map(({ second }) => second)), next),
  ];
}
