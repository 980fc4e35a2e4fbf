import { backoffMs } from '../backoff.ts';
import { longestRetryAfterMs } from '../politeness.ts';
import { decidingRule, isRobots, type RobotsRules, ruleText } from './parse.ts';

/** What came of asking an origin for its robots.txt. */
export type RobotsOutcome =
  /** It has one, or it said that it has none, which comes without rules. */
  | { readonly kind: 'answered'; readonly status: number; readonly rules: RobotsRules }
  /** What it wants is not known. */
  | { readonly kind: 'failed'; readonly cause: string; readonly retryAfterMs?: number };

/** What is known of the robots.txt of one origin: scheme, host and port. Plain data; all instants are wall time. */
export interface RobotsEntry {
  readonly askedAt: number;
  /** When it is to be asked again, once somebody wants something of the origin. */
  readonly askAt: number;
  /** The last answer; kept while the origin only fails, as long as it may serve. */
  readonly answer?: { readonly at: number; readonly status: number; readonly rules: RobotsRules };
  /** Since that answer, or since ever. */
  readonly failure?: { readonly cause: string; readonly times: number };
}

/** Why something may not be asked. */
export type RobotsRefusal =
  | { readonly code: 'disallowed'; readonly rule: string }
  | { readonly code: 'robots_unreachable'; readonly cause: string; readonly askAt: number };

export type RobotsVerdict = 'allowed' | { readonly refused: RobotsRefusal };

/** No answer is used for longer without asking again (RFC 9309, 2.4). */
const freshMs = 24 * 3_600_000;

/**
 * How long the last answer serves for an origin that only fails. RFC 9309 (2.3.1.4) names 30 days, after which one may
 * also take everything as allowed; here, everything is refused then.
 */
export const lastAnswerServesMs = 30 * 24 * 3_600_000;

/** After a failure: a minute, doubled for each further one, up to an hour. */
const backoff = { baseMs: 60_000, maxMs: 3_600_000 };

/** A wall clock that was set back by more makes an entry worthless. */
const clockSlackMs = 2_000;

/**
 * What is known after an outcome.
 *
 * @param draw - random, in `[0, 1)`.
 */
export function robotsAfter(
  entry: RobotsEntry | undefined,
  outcome: RobotsOutcome,
  now: number,
  draw: number,
): RobotsEntry {
  if (outcome.kind === 'answered') {
    const { status, rules } = outcome;
    return { askedAt: now, askAt: now + freshMs, answer: { at: now, status, rules } };
  }
  const answer = servingAnswer(entry, now);
  const times = (entry?.failure?.times ?? 0) + 1;
  const wishedMs = Math.min(outcome.retryAfterMs ?? 0, longestRetryAfterMs);
  const pauseMs = Math.max(backoffMs(times, backoff, draw), wishedMs);
  return {
    askedAt: now,
    askAt: now + pauseMs,
    failure: { cause: outcome.cause, times },
    ...(answer && { answer }),
  };
}

/** Whether `url` may be asked; `ask` when its origin's robots.txt must be asked for first. Its robots.txt itself always may. */
export function verdict(entry: RobotsEntry | undefined, url: URL, now: number): RobotsVerdict | 'ask' {
  if (isRobots(url)) return 'allowed';
  return !entry || isDue(entry, now) ? 'ask' : knownVerdict(entry, url, now);
}

/** The verdict of what is known, whether or not it is time to ask again. */
export function knownVerdict(entry: RobotsEntry, url: URL, now: number): RobotsVerdict {
  const answer = servingAnswer(entry, now);
  if (answer) {
    const rule = decidingRule(answer.rules, url);
    return !rule || rule.allow ? 'allowed' : { refused: { code: 'disallowed', rule: ruleText(rule) } };
  }
  if (isRobots(url)) return 'allowed';
  const cause = entry.failure?.cause ?? 'its last answer is too old';
  return { refused: { code: 'robots_unreachable', cause, askAt: entry.askAt } };
}

/** The pause between two requests that the origin's robots.txt asks for. */
export function crawlDelayMs(entry: RobotsEntry | undefined, now: number): number | undefined {
  return servingAnswer(entry, now)?.rules.crawlDelayMs;
}

/** Whether an entry is worth no more than none, so that it need not be kept. */
export function isSpent(entry: RobotsEntry, now: number): boolean {
  return isDue(entry, now) && !servingAnswer(entry, now);
}

/** One lower-case sentence for people. */
export function describeRefusal(refusal: RobotsRefusal): string {
  switch (refusal.code) {
    case 'disallowed':
      return `robots.txt refuses it: "${refusal.rule}"`;
    case 'robots_unreachable':
      return `robots.txt is out of reach, so nothing may be asked: ${refusal.cause}`;
    default:
      return refusal satisfies never;
  }
}

function isDue({ askedAt, askAt }: RobotsEntry, now: number): boolean {
  return now >= askAt || now < askedAt - clockSlackMs;
}

function servingAnswer(entry: RobotsEntry | undefined, now: number): RobotsEntry['answer'] {
  return entry?.answer && now - entry.answer.at < lastAnswerServesMs ? entry.answer : undefined;
}
