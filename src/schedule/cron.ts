import { Cron, CronPattern } from 'croner';

/** Turns at the instants that a cron pattern of five fields names, by the clocks of a zone. */
export interface CronTimes {
  /** Minute, hour, day of the month, month, day of the week; `0 6 * * 1` is Mondays at six. */
  readonly pattern: string;
  readonly zone: string;
}

/** A compiled pattern holds some 80 kB, so only the last ones in use are kept. */
const keptPatterns = 64;
/** Compiling costs a fifth of a millisecond and more, and many targets are looked at in a row, so answers are kept of many more patterns. */
const keptAnswers = 10_000;

/** No instant of the pattern lies after `from` and before `next`. */
interface Answer {
  readonly from: number;
  readonly next: number | undefined;
}

/** Both by zone and pattern, the last ones at the end. */
const compiled = new Map<string, Cron>();
const answers = new Map<string, Answer>();

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
  const known = answers.get(key);
  if (known !== undefined && known.from <= after && (known.next === undefined || after < known.next)) return known.next;
  const cron = compiled.get(key) ?? compile(times);
  const next = cron.nextRun(new Date(after))?.getTime();
  keep(compiled, key, cron, keptPatterns);
  keep(answers, key, { from: after, next }, keptAnswers);
  return next;
}

/** Puts an entry last, and takes out the first one when there are more than `limit`. */
function keep<V>(entries: Map<string, V>, key: string, value: V, limit: number): void {
  entries.delete(key);
  entries.set(key, value);
  const first = entries.keys().next();
  if (entries.size > limit && !first.done) entries.delete(first.value);
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

const fields = ['second', 'minute', 'hour', 'day', 'month', 'weekday'];

/** Croner looks as far as the year 9999. */
function isNever(job: Cron): boolean {
  return job.nextRun(new Date(0)) === null;
}

function reason(message: string): string {
  const text = message
    .replace(/^CronPattern: /, '')
    .replace(/\.$/, '')
    // Croner counts days and months from 0, and its fields from the seconds on.
    .replace(/(day|month): (-?\d+)$/, (_, field: string, index: string) => `${field}: ${Number(index) + 1}`)
    .replace(/configuration entry (\d)/i, (whole, index: string) => fields[Number(index)] ?? whole)
    .replace('dayOfWeek', 'weekday');
  return text.charAt(0).toLowerCase() + text.slice(1);
}
