import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { describeReason } from './actor/errors.ts';
import type { Report } from './actor/report.ts';
import type { ExitReason } from './actor/types.ts';
import { systemClock } from './clock.ts';
import { defaultDataPath, defaultSocketPath } from './control/socket-path.ts';
import { backupPlaceFault } from './definition/backup-place.ts';
import type { DaemonConfig } from './definition/daemon.ts';
import { pageSource } from './definition/page.ts';
import { defined } from './defined.ts';
import {
  baseOf,
  botOf,
  cannotStart,
  clusterKeyName,
  configOf,
  httpFrom,
  loadQueuePackages,
  queuesOf,
  secretsOf,
} from './daemon/configured.ts';
import { createStartWorker } from './daemon/start-worker.ts';
import { dataFault, startFailure, tightenRights } from './daemon/start-failure.ts';
import { exitProcess, hasTerminal, onSignals, onUncaughtErrors } from './daemon/exit-process.ts';
import { type OpenDaemon, openDaemon } from './daemon/open.ts';
import type { DaemonOptions } from './daemon/parts.ts';
import { MissingPeer } from './load-peer.ts';
import { KeyFileError, readOrMakeKey } from './session/seal.ts';
import type { FindSecrets } from './session/secret-store.ts';
import { watchData } from './daemon/watch-data.ts';
import type { Tracing, TracingOptions } from './telemetry/tracing.ts';
import { type LogLevel, createLogger, logFile, logReport } from './log.ts';
import { ownVersion } from './own-package.ts';

export { exitProcess } from './daemon/exit-process.ts';
export { restoreBackup, RestoreError } from './daemon/restore-backup.ts';

/** The options of the command line, which override the configuration file. Relative paths in that file start at its folder. */
export interface RunOptions {
  /** The configuration file. Default: none, so that every setting has its default. */
  readonly config?: string;
  readonly data?: string;
  readonly socket?: string;
  readonly sources?: string;
  readonly logLevel?: LogLevel;
  /** Serves the control methods and scrapes nothing. */
  readonly apiOnly?: boolean;
  /** Called when the daemon listens. */
  listens?(): void;
}

/**
 * Runs a daemon until it is told to stop. Resolves with the exit status: 0 after an orderly stop, 1 when the daemon could not start or
 * ended with an error, 2 for a bad configuration. Prints the reason for a failed start to standard error.
 */
export async function runDaemon(options: RunOptions): Promise<number> {
  const prepared = await prepare(options);
  if (typeof prepared === 'number') return prepared;
  const { config, paths } = prepared;
  const rights = await tightenRights(paths.data);
  if (rights.fault !== undefined) return cannotStart(rights.fault);
  const log = createLogger(options.logLevel ?? config.log.level);
  const reports = holdReports((report) => logReport(log, report));
  const clock = systemClock();
  const findSecrets = secretsOf(config, baseOf(options));
  const queues = await queuesFor(config, { ...options, data: paths.data }, findSecrets);
  if (queues instanceof Error) return cannotStart(`engine: ${queues.message}`);
  const tracing = await tracingOf(config, { clock, version: ownVersion(), warn: (what) => log.warn(what) });
  if (tracing instanceof MissingPeer) return cannotStart(`tracing: ${tracing.message}`);
  const daemon = await openDaemon({
    clock,
    observers: tracing === undefined ? [] : [tracing.observer],
    random: Math.random,
    ...paths,
    builtIn: [pageSource],
    ...defined({ config: options.config }),
    version: ownVersion(),
    settings: {
      initialDelayMs: config.scrape.initialDelay,
      everyMs: config.scrape.every,
      timeLimitMs: config.scrape.timeLimit,
      logLevel: options.logLevel ?? config.log.level,
    },
    pulseEveryMs: config.pulse.every,
    ...defined({ http: config.http && httpFrom(config.http, baseOf(options)) }),
    apiOnly: options.apiOnly ?? false,
    bot: botOf(config.bot),
    findSecrets,
    ...defined({ queues }),
    maxInFlight: config.inFlight,
    history: config.history,
    keptSteps: config.steps.keep,
    vault: config.vault,
    ...defined({
      backup: config.backup && { to: resolve(baseOf(options), config.backup.to), everyMs: config.backup.every },
    }),
    ...defined({ rates: config.rates && ratesFrom(config.rates, baseOf(options)) }),
    threads: config.threads ?? Math.max(1, availableParallelism() - 1),
    report: reports.take,
    warn: (what, error) => log.warn({ err: error }, what),
    log: (level, message, data) => log[level](data, message),
    applied: ({ logLevel }) => {
      log.level = logLevel;
    },
  });
  let watch: Disposable | undefined;
  void daemon.listening.then(() => {
    watch = watchData(paths.data, daemon.fail);
    options.listens?.();
    reports.release();
    log.info({ pid: process.pid, ...paths }, 'heronry is up');
    for (const change of rights.changes) log.warn(change);
    log.flush();
  });
  const reason = await endOf(daemon, log);
  watch?.[Symbol.dispose]();
  await tracing?.close();
  if (reason === 'shutdown') return 0;
  if (reports.areHeld()) {
    if (log.isLevelEnabled('debug')) reports.release();
    return cannotStart(startFailure(reason, paths));
  }
  log.error({ reason: describeReason(reason) }, 'the daemon ends');
  return 1;
}

/** Opens the traces that the configuration asks for. Resolves with what is missing where a package is not installed. */
async function tracingOf(
  { tracing }: DaemonConfig,
  deps: Omit<TracingOptions, 'endpoint'>,
): Promise<Tracing | MissingPeer | undefined> {
  if (tracing === undefined) return undefined;
  const { openTracing } = await import('./telemetry/tracing.ts');
  try {
    return await openTracing({ ...deps, endpoint: tracing.endpoint });
  } catch (error) {
    if (error instanceof MissingPeer) return error;
    throw error;
  }
}

/** The queues that the configuration names, with a key that is made where there is none. Resolves with the error for which they cannot be used. */
async function queuesFor(
  { engine, log }: DaemonConfig,
  { data, config, logLevel = log.level }: RunOptions & { readonly data: string },
  findSecrets: FindSecrets,
): Promise<NonNullable<DaemonOptions['queues']> | MissingPeer | KeyFileError | undefined> {
  if (engine === undefined || config === undefined) return undefined;
  const { bullmq } = engine;
  const key = bullmq.key === undefined ? join(data, clusterKeyName) : resolve(dirname(config), bullmq.key);
  try {
    await loadQueuePackages(bullmq.url);
    const queues = queuesOf(bullmq, findSecrets, await readOrMakeKey(key));
    const print = (line: string) => process.stdout.write(`${line}\n`);
    return { ...queues, workers: bullmq.workers, start: createStartWorker({ config, key, logLevel, wrote: print }) };
  } catch (error) {
    if (error instanceof MissingPeer || error instanceof KeyFileError) return error;
    throw error;
  }
}

/** Where rates of currencies come from; the path of a file starts at the folder of the configuration. */
function ratesFrom(
  { maxAge, ...from }: NonNullable<DaemonConfig['rates']>,
  base: string,
): NonNullable<DaemonOptions['rates']> {
  const maxAgeDays = maxAge / 86_400_000;
  return 'file' in from ? { file: resolve(base, from.file), maxAgeDays } : { ...from, maxAgeDays };
}

/**
 * Reads the configuration and makes the data folder. Resolves with the exit status where the daemon cannot start, after printing why to
 * standard error.
 */
async function prepare(
  options: RunOptions,
): Promise<{ readonly config: DaemonConfig; readonly paths: ReturnType<typeof pathsOf> } | 1 | 2> {
  // Only the user who runs the daemon may read the files that it writes.
  process.umask(0o077);
  const config = await configOf(options.config);
  if (config === undefined) return 2;
  if (config.http?.daemon !== undefined)
    return cannotStart(`${options.config}: http.daemon: expected it with \`heronry start --role api\` alone`);
  const paths = pathsOf(options, config);
  const backup = config.backup && resolve(baseOf(options), config.backup.to);
  const misplaced = backup && backupPlaceFault(backup, paths.data);
  if (misplaced !== undefined) return cannotStart(`backup.to: ${misplaced}`);
  const fault = await dataFault(paths.data);
  return fault === undefined ? { config, paths } : cannotStart(fault);
}

/** Where a daemon listens, keeps its data, and logs when no other file is named. */
export interface DaemonPlaces {
  readonly socket: string;
  readonly data: string;
  readonly log: string;
}

/**
 * Resolves with the places of a daemon that another process is to run with these options, and makes its data folder. Resolves with the exit
 * status where it cannot start, after printing why to standard error.
 */
export async function preparePlaces(options: RunOptions): Promise<DaemonPlaces | 1 | 2> {
  const prepared = await prepare(options);
  if (typeof prepared === 'number') return prepared;
  const { socket, data } = prepared.paths;
  return { socket, data, log: join(data, logFile) };
}

/**
 * Resolves with the reason for which the daemon ended. An uncaught error ends the actor in which it was thrown; outside of actors, it ends
 * the process with status 1.
 */
function endOf(daemon: OpenDaemon, log: Logger): Promise<ExitReason> {
  onUncaughtErrors(daemon.system, (error) => {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error({ reason }, 'an error that belongs to no life ends the daemon');
    exitProcess(1);
  });
  onSignals(process, {
    hasTerminal: hasTerminal(),
    now: () => performance.now(),
    stop: daemon.stop,
    // The store survives an exit at any instant.
    exit: () => exitProcess(1),
    reload() {
      daemon.reload().then(
        (changed) => log.info(changed, 'read the definitions again'),
        (error: unknown) => log.warn({ err: error }, 'could not read the definitions again'),
      );
    },
  });
  return daemon.ended;
}

/** Holds back the reports of the supervision tree until it is up, so that a failed start prints one line alone. */
function holdReports(tell: (report: Report) => void) {
  let held: Report[] | undefined = [];
  return {
    take(report: Report): void {
      if (held === undefined) tell(report);
      else held.push(report);
    },
    release(): void {
      held?.forEach(tell);
      held = undefined;
    },
    areHeld: () => held !== undefined,
  };
}

function pathsOf(
  options: RunOptions,
  config: DaemonConfig,
): { data: string; sources: string; plugins: string; socket: string } {
  const base = baseOf(options);
  const data =
    options.data ?? (options.config === undefined ? defaultDataPath(process.env) : resolve(base, config.data));
  const named = options.socket ?? (process.env['HERONRY_SOCKET'] || undefined);
  const configured = config.socket === undefined ? undefined : resolve(base, config.socket);
  const socket = named ?? configured ?? defaultSocketPath(process.env, data);
  const sources = options.sources ?? resolve(base, config.sources);
  const plugins = config.plugins === undefined ? join(dirname(sources), 'plugins') : resolve(base, config.plugins);
  return { data: resolve(data), sources, plugins, socket };
}
