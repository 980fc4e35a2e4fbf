import { availableParallelism, hostname } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { nanoid } from 'nanoid';
import { describeReason } from './actor/errors.ts';
import { createSystem } from './actor/system.ts';
import { systemClock } from './clock.ts';
import {
  baseOf,
  botOf,
  cannotStart,
  clusterKeyName,
  configOf,
  loadQueuePackages,
  queuesOf,
  secretsOf,
} from './daemon/configured.ts';
import { hasTerminal, onSignals, onUncaughtErrors } from './daemon/exit-process.ts';
import type { Queues } from './engine/bullmq/open-on-server.ts';
import { MissingPeer } from './load-peer.ts';
import { createLogger, type LogLevel, logReport } from './log.ts';
import { ownVersion } from './own-package.ts';
import { KeyFileError, readKeyIfThere } from './session/seal.ts';
import { runAlone } from './engine/alone.ts';
import { createWorkerEngine } from './worker-engine.ts';
import { workerRoot } from '../supervisors/worker-root.ts';

/** The options of the command line, which override the configuration file. */
export interface WorkerOptions {
  /** The configuration file: that of the daemon, or one with the same `engine` and `bot`. */
  readonly config: string;
  /** The file of the key of the cluster. Default: as the configuration has it. */
  readonly key?: string;
  /** The number of steps that run at a time. Default: 16. */
  readonly concurrency?: number;
  readonly logLevel?: LogLevel;
}

/** The steps that a worker process runs at a time: most of them wait for a site. */
const usualConcurrency = 16;

/** How long the steps that run may take when the process is to stop, in ms. */
const patienceMs = 20_000;

/** The entry file of the process of a step that runs alone: TypeScript in development, JavaScript when built. */
const aloneProcess = new URL(`./alone.process${extname(import.meta.url)}`, import.meta.url);

/**
 * Runs a worker process until it is told to stop: it takes steps from the queues of a daemon and runs them here. Resolves with the exit status: 0
 * after an orderly stop, 1 when it could not start or ended with an error, 2 for a bad configuration. Prints the reason for a failed start to
 * standard error.
 */
export async function runWorker(options: WorkerOptions): Promise<number> {
  process.umask(0o077);
  const config = await configOf(options.config);
  if (config === undefined) return 2;
  if (config.engine === undefined)
    return cannotStart(`${options.config}: expected \`engine: { bullmq: … }\`, which says where steps are taken from`);
  const base = baseOf(options);
  const key = options.key ?? resolve(base, config.engine.bullmq.key ?? join(config.data, clusterKeyName));
  const findSecrets = secretsOf(config, base);
  let queues: Queues;
  try {
    await loadQueuePackages(config.engine.bullmq.url);
    const bytes = await readKeyIfThere(key, 'copy the file of the daemon here again');
    if (bytes === undefined)
      return cannotStart(`${key}: no such file: expected the key that the daemon has made, copied here`);
    queues = queuesOf(config.engine.bullmq, findSecrets, bytes);
  } catch (error) {
    if (error instanceof MissingPeer || error instanceof KeyFileError) return cannotStart(`engine: ${error.message}`);
    throw error;
  }

  const log = createLogger(options.logLevel ?? config.log.level);
  const clock = systemClock();
  const warn = (what: string, error?: unknown): void => log.warn({ err: error }, what);
  const system = createSystem({ clock, report: (report) => logReport(log, report) });
  const threads = config.threads ?? Math.max(1, availableParallelism() - 1);
  const { userAgent } = botOf(config.bot);
  const id = nanoid();
  // What is told of a page is told by the clock of the queues' server.
  let now = (): number => clock.now();
  let stop = (): void => undefined;
  const { run, ...engine } = createWorkerEngine({ clock, threads, userAgent, now: () => now(), warn });
  const spawned = await system.spawn(
    workerRoot({
      ...engine,
      stepTaker: {
        clock,
        queues,
        version: ownVersion(),
        patienceMs,
        self: { id, host: hostname(), pid: process.pid, startedAt: clock.now() },
        concurrency: options.concurrency ?? usualConcurrency,
        run(serverTime) {
          now = serverTime;
          return run;
        },
        runAlone: (serverTime) => runAlone({ file: aloneProcess, clock, userAgent, now: serverTime }),
        warn,
        stop() {
          log.info('an order of the daemon ends the worker process, such as `heronry workers stop`');
          stop();
        },
        begun: () =>
          log.info({ pid: process.pid, worker: id, cluster: queues.cluster }, 'the worker process takes steps'),
      },
    }),
    { id: 'root' },
  );
  if (spawned.ok !== true) return cannotStart(spawned.ok === false ? describeReason(spawned.reason) : 'nothing to do');
  stop = () => void system.stop(spawned.ref, 'shutdown').catch(() => undefined);
  onUncaughtErrors(system, (error) => {
    log.error(
      { reason: error instanceof Error ? error.stack : String(error) },
      'an error that belongs to no life ends the process',
    );
    process.exit(1);
  });
  onSignals(process, {
    hasTerminal: hasTerminal(),
    now: () => performance.now(),
    stop() {
      log.info('a signal ends the worker process');
      stop();
    },
    exit: () => process.exit(1),
    reload: () => undefined,
  });
  const reason = await system.ended(spawned.ref);
  if (reason === 'shutdown') return 0;
  log.error({ reason: describeReason(reason) }, 'the worker process ends');
  return 1;
}
