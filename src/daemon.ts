import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { describeReason } from './actor/errors.ts';
import type { Report } from './actor/report.ts';
import type { ExitReason } from './actor/types.ts';
import { systemClock } from './clock.ts';
import { defaultDataPath, defaultSocketPath } from './control/socket-path.ts';
import { Daemon } from './definition/daemon.ts';
import { loadDaemon } from './definition/load.ts';
import { dataFault } from './daemon/data-folder.ts';
import { type DaemonOptions, openDaemon, type OpenDaemon } from './daemon/open.ts';
import { startFailure } from './daemon/start-failure.ts';
import { onStopSignals } from './daemon/stop-signals.ts';
import { secretsFrom } from './session/secret-store.ts';
import { leave } from './daemon/leave.ts';
import { catchStrays } from './daemon/strays.ts';
import { createLogger, logReport, type LogLevel } from './log.ts';

/** What the command line says; it goes over the configuration file, whose paths start at its folder. */
export interface RunOptions {
  /** The configuration file. Default: none, so that every setting has its default. */
  readonly config?: string;
  readonly data?: string;
  readonly socket?: string;
  readonly sources?: string;
  readonly logLevel?: LogLevel;
  /** Serves the control methods and scrapes nothing. */
  readonly apiOnly?: boolean;
}

/**
 * Runs a daemon until it is told to stop. Resolves with the exit status: 0 after an orderly stop, 1 when it could not start or
 * live on, 2 for a bad configuration. Why it could not start is one line on standard error.
 */
export async function runDaemon(options: RunOptions): Promise<number> {
  // What it keeps is its owner's alone.
  process.umask(0o077);
  const config = await configOf(options.config);
  if (config === undefined) return 2;
  const paths = pathsOf(options, config);
  const fault = await dataFault(paths.data);
  if (fault !== undefined) return cannotStart(fault);
  const log = createLogger(options.logLevel ?? config.log.level);
  const reports = holdReports((report) => logReport(log, report));
  const daemon = await openDaemon({
    clock: systemClock(),
    random: Math.random,
    ...paths,
    version: ownVersion(),
    settings: {
      initialDelayMs: config.scrape.initialDelay,
      everyMs: config.scrape.every,
      timeLimitMs: config.scrape.timeLimit,
      logLevel: options.logLevel ?? config.log.level,
    },
    pulseEveryMs: config.pulse.every,
    apiOnly: options.apiOnly ?? false,
    bot: botOf(config.bot),
    findSecrets: secretsFrom({
      environment: process.env,
      ...(config.secrets !== undefined && { file: resolve(baseOf(options), config.secrets) }),
    }),
    threads: config.threads ?? Math.max(1, availableParallelism() - 1),
    report: reports.take,
    warn: (what, error) => log.warn({ err: error }, what),
    log: (level, message, data) => log[level](data, message),
    applied: ({ logLevel }) => {
      log.level = logLevel;
    },
  });
  void daemon.listening.then(() => {
    reports.release();
    log.info({ pid: process.pid, ...paths }, 'heronry is up');
    log.flush();
  });
  const reason = await endOf(daemon, log);
  if (reason === 'shutdown') return 0;
  if (reports.areHeld()) {
    if (log.isLevelEnabled('debug')) reports.release();
    return cannotStart(startFailure(reason, paths));
  }
  log.error({ reason: describeReason(reason) }, 'the daemon ends');
  return 1;
}

/** Waits for the end; what goes wrong in a life's own context ends that life, and anything else that nobody caught ends the daemon. */
function endOf(daemon: OpenDaemon, log: Logger): Promise<ExitReason> {
  catchStrays(daemon.system, (error) => {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error({ reason }, 'an error that belongs to no life ends the daemon');
    leave(1);
  });
  onStopSignals(process, {
    now: () => performance.now(),
    stop: daemon.stop,
    // The store is safe from it.
    leave: () => leave(1),
  });
  return daemon.ended;
}

/** Keeps what the tree reports until it is up: of a start that fails, one line is enough. */
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

function cannotStart(why: string): number {
  process.stderr.write(`heronry: ${why}\n`);
  return 1;
}

/** The configuration, with every default where there is no file; nothing when the file has problems, which are told. */
async function configOf(file: string | undefined): Promise<Daemon | undefined> {
  if (file === undefined) return Daemon.parse({});
  if (!existsSync(file)) {
    process.stderr.write(`heronry: ${file}: no such file: expected the configuration there\n`);
    return undefined;
  }
  const loaded = await loadDaemon(file);
  if (loaded.ok) return loaded.value;
  for (const { line, column, path, message } of loaded.problems)
    process.stderr.write(`${file}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}\n`);
  return undefined;
}

/** A site learns from the user agent whom to write to; who tells no contact asks none but its own. */
function botOf({ name, contact }: Daemon['bot']): DaemonOptions['bot'] {
  const version = ownVersion();
  const userAgent = contact === undefined ? `${name}/${version}` : `${name}/${version} (+${contact})`;
  return { name, userAgent, onlyLoopback: contact === undefined };
}

function pathsOf(
  options: RunOptions,
  config: Daemon,
): { data: string; sources: string; plugins: string; socket: string } {
  const base = baseOf(options);
  const data =
    options.data ?? (options.config === undefined ? defaultDataPath(process.env) : resolve(base, config.data));
  const socket =
    options.socket ??
    (config.socket === undefined ? defaultSocketPath(process.env, data) : resolve(base, config.socket));
  const sources = options.sources ?? resolve(base, config.sources);
  const plugins = config.plugins === undefined ? join(dirname(sources), 'plugins') : resolve(base, config.plugins);
  return { data: resolve(data), sources, plugins, socket };
}

/** The folder that paths in the configuration start at. */
function baseOf({ config }: RunOptions): string {
  return config === undefined ? process.cwd() : dirname(config);
}

/** The version in the package's own description. */
function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
