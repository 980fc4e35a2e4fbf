/**
 * Steps of product pages as a daemon hands them out, and a process that takes them from a queue: by a step worker that asks the site, by one
 * that asks nobody, or by a bare worker of BullMQ that hands back a text of the same length.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../src/clock.ts';
import { defined } from '../src/defined.ts';
import { Source } from '../src/definition/source.ts';
import { Cluster } from '../src/engine/bullmq/cluster.ts';
import { openQueueServer } from '../src/engine/bullmq/open-queue-server.ts';
import { StepWorker } from '../src/engine/bullmq/step-worker.ts';
import { runLocally } from '../src/engine/local.ts';
import type { RunStep, Step, StepOutcome } from '../src/engine/step.ts';
import { extract } from '../src/extract/extract.ts';
import { BodyBudget } from '../src/fetch/body-budget.ts';
import { createClient } from '../src/fetch/wire/client.ts';
import { openProvider } from '../src/provider/declared.ts';
import { shopSource } from './daemon.ts';
import { cpuMs } from './process-figures.ts';

/** What a process does with a step. */
export type Task = 'ask' | 'play' | 'bare';

interface StepProcessOptions {
  readonly task: Task;
  readonly url: string;
  /** Of the queues. */
  readonly cluster: string;
  readonly concurrency: number;
  /** What is handed back for a step that asks nobody. */
  readonly outcome: StepOutcome;
  /** What a bare worker hands back. */
  readonly text: string;
}

/** A process that takes steps; disposing of it ends it. */
export interface StepProcess extends AsyncDisposable {
  cpuMs(): number;
}

const source = Source.parse(shopSource({}));
const { page: reading } = openProvider(source);
const limits = { connectMs: 10_000, headersMs: 30_000, bodyMs: 30_000, totalMs: 60_000, maxBytes: 33_554_432 };

/** The step for a page of the shop. */
export function stepFor(url: string): Step {
  return { request: { url, allowPrivate: true, limits }, reading };
}

export function benchCluster(name: string): Cluster {
  return new Cluster({ name, version: 'bench', key: new Uint8Array(32).fill(1) });
}

/** Runs steps in this process, and reads their pages on this thread. */
export function localSteps(now: () => number): RunStep {
  const budget = new BodyBudget({});
  const client = createClient({ budget });
  const deps = {
    ...{ client, budget, now },
    renderPage: () => Promise.reject(new Error('expected no page to be rendered')),
    extract: ({ body, url, headers }: { body: ArrayBuffer; url: string; headers: Readonly<Record<string, string>> }) =>
      Promise.resolve(extract({ body, url, plan: reading.plan, ...defined({ contentType: headers['content-type'] }) })),
  };
  return (step, signal, onSent, onCame) => runLocally(step, deps, signal, onSent, onCame);
}

/** Starts a process that takes steps; resolves when it does. */
export async function startStepProcess(options: StepProcessOptions): Promise<StepProcess> {
  const child = fork(import.meta.filename, { execArgv: [] });
  child.send(options);
  await once(child, 'message');
  return {
    cpuMs: () => cpuMs(child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

if (import.meta.main) {
  const [options] = (await once(process, 'message')) as [StepProcessOptions];
  process.on('disconnect', () => process.exit());
  await take(options);
  process.send?.('ready');
}

async function take({ task, url, cluster: name, concurrency, outcome, text }: StepProcessOptions): Promise<void> {
  const server = await openQueueServer(url, { failed: console.error, migrate: false });
  const cluster = benchCluster(name);
  if (task === 'bare') {
    const results = server.openQueue(cluster.results);
    const hand = async ({ id }: { readonly id: string }): Promise<void> =>
      void (await results.add('result', text, { jobId: id, attempts: 1, removeOnComplete: true }));
    server.openWorker(cluster.steps, hand, { concurrency });
    return;
  }
  await StepWorker.open(server, {
    clock: systemClock(),
    cluster,
    self: { id: task, host: 'bench', pid: process.pid, startedAt: Date.now() },
    concurrency,
    run: (now) => (task === 'ask' ? localSteps(now) : playedSteps(outcome)),
    runAlone: () => () => Promise.reject(new Error('expected no step to run alone')),
    stop: () => undefined,
    warn: console.error,
  });
}

/** Steps whose outcome is there at once. */
function playedSteps(outcome: StepOutcome): RunStep {
  return async (_step, _signal, onSent) => {
    onSent();
    return outcome;
  };
}
