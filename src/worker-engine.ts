import { Registry } from './actor/registry.ts';
import type { Clock } from './clock.ts';
import type { RunStep } from './engine/step.ts';
import { ExtractRoom } from './extract/room.ts';
import { BodyBudget } from './fetch/body-budget.ts';
import { readElsewhere } from './plugin/read-page.ts';
import type { WorkerRootDeps } from '../supervisors/worker-root.ts';
import { type EngineMessage, runOn } from '../workers/engine.ts';
import { extractPage, type ExtractorsMessage } from '../workers/extractors.ts';
import { callPlugin, type PluginsMessage } from '../workers/plugins.ts';

/** The largest number of pages that wait for each thread. */
const pagesPerThread = 8;

/** What the engine of a worker process is made with. */
export interface WorkerEngineOptions {
  readonly clock: Clock;
  /** The number of threads that read pages. */
  readonly threads: number;
  readonly userAgent: string;
  /** The time that is told of what is asked and read: that of the queues' server. */
  now(): number;
  warn(what: string, error?: unknown): void;
}

/** What runs steps in a worker process: the actors for it, and how a step is run on them. */
export interface WorkerEngine extends Pick<WorkerRootDeps, 'extractors' | 'plugins' | 'engine'> {
  readonly run: RunStep;
}

/** Makes what runs steps in a worker process. */
export function createWorkerEngine({ clock, threads, userAgent, now, warn }: WorkerEngineOptions): WorkerEngine {
  const extracting = new Registry<'extractors', ExtractorsMessage>();
  const plugged = new Registry<'plugins', PluginsMessage>();
  const engines = new Registry<'engine', EngineMessage>();
  return {
    extractors: { registry: extracting, room: new ExtractRoom(threads * pagesPerThread, () => undefined), threads },
    plugins: { registry: plugged },
    engine: {
      registry: engines,
      budget: new BodyBudget({}),
      now,
      clock,
      userAgent,
      warn,
      extract: (page, reading, signal, keepsBody) =>
        extractPage(extracting.via('extractors'), { page, reading, keepsBody }, signal),
      readByPlugin: (page, reading, signal) =>
        readElsewhere(page, reading, (question) => callPlugin(plugged.via('plugins'), question), signal),
    },
    run: (...args) => runOn(engines.via('engine'))(...args),
  };
}
