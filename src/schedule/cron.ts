import { Cron, CronPattern } from 'croner';

/** Turns at the instants that a cron pattern of five fields names, by the clocks of a zone. */
export interface CronTimes {
  /** Minute, hour, day of the month, month, day of the week; `0 6 * * 1` is Mondays at six. */
  readonly pattern: string;
  readonly zone: string;
}

/** A compiled pattern holds some 80 kB and costs half a millisecond, so the last ones in use are kept. */
const keptPatterns = 64;

interface Compiled {
  readonly cron: Cron;
  /** The last answer: no instant of the pattern lies after `from` and before `next`. */
  from: number;
  next: number | undefined;
}

const compiled = new Map<string, Compiled>();

/** Why a text is no cron pattern, in words that follow on what was expected; nothing when it is one. */
export function cronFault(pattern: string): string | undefined {
  if (pattern.trim().split(/\s+/).length !== 5) return 'five fields are minute, hour, day, month and weekday';
  try {
    const job = compile({ pattern, zone: 'UTC' });
    return isNever(job) ? 'no day of the calendar is meant' : undefined;
  } catch (error) {
    // Croner throws only these two for what is wrong with a pattern.
    if (error instanceof TypeError || error instanceof RangeError) return reason(error.message);
    throw error;
  }
}

/**
 * The first instant of the pattern after one, or nothing when there is none. Where clocks are set forward, what the gap
 * swallows happens once, at its end; where they are set back, what comes twice happens the first time. A pattern for every
 * hour goes on by real hours.
 */
export function nextCron(times: CronTimes, after: number): number | undefined {
  const key = `${times.zone} ${times.pattern}`;
  const known = compiled.get(key) ?? { cron: compile(times), from: Infinity, next: undefined };
  if (!(known.from <= after && (known.next === undefined || after < known.next))) {
    known.next = known.cron.nextRun(new Date(after))?.getTime();
    known.from = after;
  }
  compiled.delete(key);
  compiled.set(key, known);
  const oldest = compiled.keys().next();
  if (compiled.size > keptPatterns && !oldest.done) compiled.delete(oldest.value);
  return known.next;
}

/** The instants of a pattern after one and up to another. */
export function* cronTimes(times: CronTimes, after: number, until: number): Generator<number> {
  for (let at = nextCron(times, after); at !== undefined && at <= until; at = nextCron(times, at)) yield at;
}

/** Without a function to run, it arms no timer. */
function compile({ pattern, zone }: CronTimes): Cron {
  return new Cron(listed(pattern), { timezone: zone, mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true });
}

/**
 * The pattern with minutes and hours as lists, unless it is for every hour: only what is written without `*` and steps is
 * taken by croner for times of the day, which a change of the clocks must neither lose nor repeat.
 */
function listed(pattern: string): string {
  const { minute, hour } = new CronPattern(pattern, undefined, { mode: '5-part' });
  if (hour.every((each) => each === 1)) return pattern;
  const [, , ...days] = pattern.trim().split(/\s+/);
  return [list(minute), list(hour), ...days].join(' ');
}

function list(marks: readonly number[]): string {
  return marks.flatMap((mark, index) => (mark === 1 ? [index] : [])).join(',');
}

/** Croner looks as far as the year 9999. */
function isNever(job: Cron): boolean {
  return job.nextRun(new Date(0)) === null;
}

function reason(message: string): string {
  const text = message.replace(/^CronPattern: /, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}
