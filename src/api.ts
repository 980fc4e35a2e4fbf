import { systemClock } from './clock.ts';
import { baseOf, cannotStart, configOf, httpFrom } from './daemon/configured.ts';
import { hasTerminal, onSignals, onUncaughtErrors } from './daemon/exit-process.ts';
import { tlsFilesOf } from './daemon/tls-files.ts';
import { type Relay, startRelay } from './http/relay.ts';
import { createLogger, type LogLevel } from './log.ts';

/** The options of the command line, which override the configuration file. */
export interface ApiOptions {
  /** The configuration file, which says where the daemon is. */
  readonly config?: string;
  readonly logLevel?: LogLevel;
}

/**
 * Runs an API process until it is told to stop: it serves the HTTP API and the dashboard by passing requests on to a daemon, and keeps nothing. Resolves with
 * the exit status: 0 after an orderly stop, 1 when it could not start, 2 for a bad configuration. Prints the reason for a failed start to standard error.
 */
export async function runApi(options: ApiOptions): Promise<number> {
  const config = await configOf(options.config);
  if (config === undefined) return 2;
  if (config.http?.daemon === undefined)
    return cannotStart(
      `${options.config ?? 'heronry.yaml'}: expected \`http: { daemon: … }\`, the address of the HTTP server of the daemon`,
    );
  const { tls, daemon = config.http.daemon, ...place } = httpFrom(config.http, baseOf(options));
  const log = createLogger(options.logLevel ?? config.log.level);
  const info = (what: string): void => log.info(what);
  const warn = (what: string, error: unknown): void => log.warn({ err: error }, what);
  let relay: Relay;
  try {
    relay = await startRelay({
      ...place,
      ...(tls && { tls: tlsFilesOf(tls, { info, warn }) }),
      clock: systemClock(),
      daemon,
      answers(problem) {
        if (problem === undefined) info(`the daemon at ${daemon} answers again`);
        else warn(`the daemon at ${daemon} does not answer`, problem);
      },
    });
  } catch (error) {
    return cannotStart(`http: ${error instanceof Error ? error.message : String(error)}`);
  }
  onUncaughtErrors({ blame: () => false }, (error) => {
    log.fatal({ err: error }, 'an error ends the process');
    process.exit(1);
  });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  onSignals(process, {
    hasTerminal: hasTerminal(),
    now: () => performance.now(),
    stop,
    exit: () => process.exit(1),
    reload: () => undefined,
  });
  log.info({ pid: process.pid, daemon }, `the HTTP API is at ${relay.url}`);
  log.flush();
  await stopped;
  await relay.close();
  return 0;
}
