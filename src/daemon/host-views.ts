import type { CircuitView as SourceCircuit, RobotsView } from '../control/methods/host.ts';
import type { RobotsVerdictView } from '../control/methods/source.ts';
import type { Source } from '../definition/source.ts';
import type { CircuitView } from '../fetch/circuit-book.ts';
import { crawlDelayMs, knownVerdict, type RobotsEntry } from '../fetch/robots/entry.ts';
import { decidingRule, ruleText } from '../fetch/robots/parse.ts';

/** The circuits that are not closed, as people are told of them. */
export function circuitsBySource(circuits: readonly CircuitView[]): ReadonlyMap<string, SourceCircuit> {
  return new Map(
    circuits.flatMap(({ source, state, nextAt, times }) =>
      state === 'closed'
        ? []
        : [[source, { state, times, ...(nextAt !== undefined && { nextAt: Math.round(nextAt) }) }] as const],
    ),
  );
}

/** What is known of the robots.txt of an URL's origin. */
export function robotsTxtView(url: string, entry: RobotsEntry | undefined): RobotsView {
  const { origin } = new URL(url);
  if (entry === undefined) return { origin };
  const { askedAt, askAt, answer, failure } = entry;
  return {
    origin,
    askedAt: Math.round(askedAt),
    askAt: Math.round(askAt),
    ...(answer && { status: answer.status, rules: answer.rules.rules.length }),
    ...(answer?.rules.crawlDelayMs !== undefined && { crawlDelayMs: answer.rules.crawlDelayMs }),
    ...(failure && { unreachable: failure }),
  };
}

/** What is known of what robots.txt says to an URL. */
export function robotsVerdictView(
  { robots }: Source,
  href: string,
  entry: RobotsEntry | undefined,
  now: number,
): RobotsVerdictView {
  if (robots === 'ignore') return { verdict: 'ignored' };
  if (entry === undefined) return { verdict: 'unknown' };
  const url = new URL(href);
  const delayMs = crawlDelayMs(entry, now);
  const delay = delayMs === undefined ? {} : { crawlDelayMs: delayMs };
  const known = knownVerdict(entry, url, now);
  if (known !== 'allowed') {
    const { refused } = known;
    if (refused.code === 'disallowed') return { verdict: 'disallowed', rule: refused.rule, ...delay };
    return { verdict: 'unreachable', cause: refused.cause };
  }
  const rule = entry.answer && decidingRule(entry.answer.rules, url);
  return { verdict: 'allowed', ...(rule && { rule: ruleText(rule) }), ...delay };
}
