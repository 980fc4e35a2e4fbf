import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { describeReason } from './actor/errors.ts';
import { systemClock } from './clock.ts';
import { defaultDataPath, defaultSocketPath } from './control/socket-path.ts';
import { Daemon } from './definition/daemon.ts';
import { loadDaemon } from './definition/load.ts';
import { openDaemon, type OpenDaemon } from './daemon/open.ts';
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
}

/** Runs a daemon until it is told to stop. Resolves with the exit status: 0 after an orderly stop, 1 when it could not live on, 2 for a bad configuration. */
export async function runDaemon(options: RunOptions): Promise<number> {
  const loaded =
    options.config === undefined ? { ok: true as const, value: Daemon.parse({}) } : await loadDaemon(options.config);
  if (!loaded.ok) {
    for (const { file, line, column, message } of loaded.problems)
      process.stderr.write(`${file}:${line}:${column}: ${message}\n`);
    return 2;
  }
  const config = loaded.value;
  const paths = pathsOf(options, config);
  const log = createLogger(options.logLevel ?? config.log.level);
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
    threads: config.threads ?? Math.max(1, availableParallelism() - 1),
    report: (report) => logReport(log, report),
    warn: (what, error) => log.warn({ err: error }, what),
    applied: ({ logLevel }) => {
      log.level = logLevel;
    },
  });
  if (daemon.isUp) log.info({ pid: process.pid, ...paths }, 'heronry is up');
  return untilEnd(daemon, (line, reason) => log.error({ reason }, line));
}

/** Waits for the end; what goes wrong in a life's own context ends that life, and anything else that nobody caught ends the daemon. */
async function untilEnd(daemon: OpenDaemon, fatal: (line: string, reason: string) => void): Promise<number> {
  catchStrays(daemon.system, (error) => {
    fatal(
      'an error that belongs to no life ends the daemon',
      error instanceof Error ? (error.stack ?? error.message) : String(error),
    );
    process.exit(1);
  });
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, daemon.stop);
    // Who asks twice does not want to wait; the store is safe from it.
    process.once(name, () => process.once(name, () => process.exit(1)));
  }
  const reason = await daemon.ended;
  if (reason === 'shutdown') return 0;
  const told = describeReason(reason);
  fatal('the daemon ends', told);
  return 1;
}

function pathsOf(options: RunOptions, config: Daemon): { data: string; sources: string; socket: string } {
  const base = options.config === undefined ? process.cwd() : dirname(options.config);
  const data =
    options.data ?? (options.config === undefined ? defaultDataPath(process.env) : resolve(base, config.data));
  const socket =
    options.socket ??
    (config.socket === undefined ? defaultSocketPath(process.env, data) : resolve(base, config.socket));
  return { data: resolve(data), sources: options.sources ?? resolve(base, config.sources), socket };
}

/** The version in the package's own description. */
function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
