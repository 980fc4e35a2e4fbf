import { inspect } from 'node:util';
import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import { describeReason, isNormal } from './actor/errors.ts';
import type { Report } from './actor/report.ts';

/** The least severe lines that are logged; `silent` for none. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** The file in the data folder to which a daemon logs that was started with `--detach`. */
export const logFile = 'daemon.log';

/** A line that is still to be written. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly data?: unknown;
}

/** Writes a line of the log. */
export type Log = (level: LogLine['level'], message: string, data: Readonly<Record<string, unknown>>) => void;

/** Lines that are collected before they are written, and how long they wait for more. */
const collectBytes = 4_096;
const collectMs = 500;

/** Logs to standard error: for people in a terminal, one JSON object per line else, some together, since many lives may start at once. */
export function createLogger(level: LogLevel): Logger {
  const stream = process.stderr.isTTY
    ? pretty({ destination: 2, ignore: 'pid,hostname', colorize: !process.env['NO_COLOR'] })
    : collecting();
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

function collecting(): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest: 2, sync: true, minLength: collectBytes, periodicFlush: collectMs });
  process.on('exit', () => {
    // `flushSync` of sonic-boom tries for ever when nobody reads any more; `flush` notices that, and pino then writes no further line.
    destination.flush();
    destination.flushSync();
  });
  return destination;
}

/** Writes one line for a life's start or end, or a supervisor's report. */
export function logReport(log: Logger, report: Report): void {
  switch (report.type) {
    case 'started':
      return log.info({ life: report.id }, 'started');
    case 'ended': {
      const line = { life: report.id, reason: describeReason(report.reason), ageMs: Math.round(report.ageMs) };
      return isNormal(report.reason)
        ? log.info(line, 'ended')
        : log.warn({ ...line, ...causeOf(report.reason) }, 'ended');
    }
    case 'supervisor':
      return log.error(
        {
          supervisor: report.id,
          child: report.child,
          reason: describeReason(report.reason),
          ...causeOf(report.reason),
        },
        report.context.replaceAll('_', ' '),
      );
    case 'stray':
      return log.warn(
        { life: report.id, reason: describeReason(report.reason), ...causeOf(report.reason) },
        'stray error',
      );
    case 'unexpected':
      return log.warn({ supervisor: report.id, message: inspect(report.message, { depth: 1 }) }, 'unexpected message');
    case 'mailbox':
      return log.warn({ life: report.id, messages: report.length }, 'mailbox grows');
    default:
      report satisfies never;
  }
}

/** The stack of what was thrown, where there is one. */
function causeOf(reason: Extract<Report, { type: 'ended' }>['reason']): { err?: Error } {
  const detail = typeof reason === 'string' ? undefined : reason[1];
  return detail instanceof Error ? { err: detail } : {};
}
