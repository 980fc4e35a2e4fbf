import { defined } from '../../defined.ts';
import { backoffMs } from '../ledger/backoff.ts';
import { longestRetryAfterMs } from '../ledger/ledger.ts';
import { decidingRule, isRobots, noRules, parseRobots, type RobotsRules, ruleText } from './parse.ts';

/** The failures of a request for robots.txt that say nothing of the file: no page of the site could be requested either. */
export const siteFailures = ['unreachable', 'bad_certificate', 'proxy_failed', 'timeout'] as const;

/** The code of a failure that is of the site and not of its robots.txt. */
export type SiteFailure = (typeof siteFailures)[number];

/** The outcome of requesting a robots.txt. */
export type RobotsOutcome =
  /** The origin has a robots.txt, or said that it has none, which means no rules. */
  | { readonly kind: 'answered'; readonly status: number; readonly rules: RobotsRules }
  /** The rules are not known. `site` is set where the site itself failed. */
  | {
      readonly kind: 'failed';
      readonly cause: string;
      readonly site?: SiteFailure;
      readonly retryAfterMs?: number;
    };

/** The knowledge of one origin's robots.txt (scheme, host and port). Plain data; all instants are wall time. */
export interface RobotsEntry {
  readonly askedAt: number;
  /** When the next need of it requests it again. */
  readonly askAt: number;
  /** The last answer. Kept while further requests fail, as long as it may serve. */
  readonly answer?: { readonly at: number; readonly status: number; readonly rules: RobotsRules };
  /** The failures since that answer; cause and site are of the last one. */
  readonly failure?: { readonly cause: string; readonly site?: SiteFailure; readonly times: number };
}

/** Why a URL may not be requested. */
export type RobotsRefusal =
  | { readonly code: 'disallowed'; readonly rule: string }
  | {
      readonly code: 'robots_unreachable';
      readonly cause: string;
      /** The code of the site's failure, where the site itself failed. */
      readonly site?: SiteFailure;
      readonly askAt: number;
    };

/** Whether a URL may be requested. */
export type RobotsVerdict = 'allowed' | { readonly refused: RobotsRefusal };

/** How long an answer is used without requesting it again (RFC 9309, 2.4), in milliseconds. */
const freshMs = 24 * 3_600_000;

/**
 * How long the last answer serves while requests fail, in milliseconds. RFC 9309 (2.3.1.4) names 30 days, after which
 * one may also allow everything; here everything is refused then.
 */
export const lastAnswerServesMs = 30 * 24 * 3_600_000;

/** The pause after failures: a minute, doubled for each further one, up to an hour. */
const backoff = { baseMs: 60_000, maxMs: 3_600_000 };

/** An entry is dropped if the wall clock was set back by more than this. */
const clockSlackMs = 2_000;

/**
 * The entry after a request.
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
  const askedMs = Math.min(outcome.retryAfterMs ?? 0, longestRetryAfterMs);
  const pauseMs = Math.max(backoffMs(times, backoff, draw), askedMs);
  return {
    askedAt: now,
    askAt: now + pauseMs,
    failure: { cause: outcome.cause, times, ...defined({ site: outcome.site }) },
    ...defined({ answer }),
  };
}

/**
 * Whether `url` may be requested; `ask` if its origin's robots.txt must be requested first. A robots.txt itself always
 * may be.
 */
export function verdict(entry: RobotsEntry | undefined, url: URL, now: number): RobotsVerdict | 'ask' {
  if (isRobots(url)) return 'allowed';
  return !entry || isDue(entry, now) ? 'ask' : knownVerdict(entry, url, now);
}

/** The verdict of an entry, whether or not it is too old. */
export function knownVerdict(entry: RobotsEntry, url: URL, now: number): RobotsVerdict {
  const answer = servingAnswer(entry, now);
  if (answer) {
    const rule = decidingRule(answer.rules, url);
    return !rule || rule.allow ? 'allowed' : { refused: { code: 'disallowed', rule: ruleText(rule) } };
  }
  if (isRobots(url)) return 'allowed';
  const { cause = 'its last answer is too old', site } = entry.failure ?? {};
  return { refused: { code: 'robots_unreachable', cause, askAt: entry.askAt, ...defined({ site }) } };
}

/** The crawl-delay of an origin's robots.txt, in milliseconds. */
export function crawlDelayMs(entry: RobotsEntry | undefined, now: number): number | undefined {
  return servingAnswer(entry, now)?.rules.crawlDelayMs;
}

/** Whether an entry is worth no more than none, so that it need not be stored. */
export function isSpentEntry(entry: RobotsEntry, now: number): boolean {
  return isDue(entry, now) && !servingAnswer(entry, now);
}

/** The refusal as one lower-case sentence for people. */
export function describeRefusal(refusal: RobotsRefusal): string {
  switch (refusal.code) {
    case 'disallowed':
      return `robots.txt refuses it: "${refusal.rule}"`;
    case 'robots_unreachable':
      return `robots.txt: ${refusal.cause}; nothing may be asked until it was read`;
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

/** The number of redirects that are followed, to other hosts too (RFC 9309, 2.3.1.2). */
const maxRedirects = 5;

/** The outcome of one exchange for a robots.txt. */
export type RobotsAnswer =
  | { readonly kind: 'body'; readonly status: number; readonly body: ArrayBuffer }
  | { readonly kind: 'redirect'; readonly url: string }
  /** A status without a body that is read. `cause` says so to a person. */
  | { readonly kind: 'status'; readonly status: number; readonly cause: string; readonly retryAfterMs?: number }
  /** `site` is set where the site itself failed. */
  | { readonly kind: 'failed'; readonly cause: string; readonly site?: SiteFailure };

/**
 * Requests the robots.txt of an origin and follows its redirects. Rejects with what `exchange` rejects with.
 *
 * @param exchange - makes one exchange under a turn of its own; called once for each redirect, too.
 */
export async function askRobots(
  origin: string,
  productToken: string,
  exchange: (url: string) => Promise<RobotsAnswer>,
): Promise<RobotsOutcome> {
  let url = `${origin}/robots.txt`;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await exchange(url);
    if (answer.kind !== 'redirect') return robotsOutcome(answer, productToken);
    url = answer.url;
  }
  return { kind: 'failed', cause: `redirected more than ${maxRedirects} times` };
}

/**
 * The outcome by RFC 9309 (2.3.1.3, 2.3.1.4): a 4xx means that there are no rules, a failure of the server or of the
 * way there that they are unknown.
 */
function robotsOutcome(answer: Exclude<RobotsAnswer, { kind: 'redirect' }>, productToken: string): RobotsOutcome {
  if (answer.kind === 'failed') return answer;
  const { status } = answer;
  if (answer.kind === 'body')
    return { kind: 'answered', status, rules: parseRobots(new Uint8Array(answer.body), productToken) };
  if (saysThereIsNone(status)) return { kind: 'answered', status, rules: noRules(productToken) };
  const { cause, retryAfterMs } = answer;
  return { kind: 'failed', cause, ...defined({ retryAfterMs }) };
}

/** Whether a status says that there is no robots.txt. 429 says "not now", not "nothing here". */
function saysThereIsNone(status: number): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
