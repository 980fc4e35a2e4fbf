import pino, { type Logger } from 'pino';
import pretty from 'pino-pretty';
import { describeReason, isNormal } from './actor/errors.ts';
import type { Report } from './actor/report.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Logs to standard error: for people in a terminal, one JSON object per line else. */
export function createLogger(level: LogLevel): Logger {
  const stream = process.stderr.isTTY
    ? pretty({ destination: 2, ignore: 'pid,hostname', colorize: !process.env['NO_COLOR'] })
    : pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

/** One line for the start and the end of each life, and for what a supervisor has to say. */
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
