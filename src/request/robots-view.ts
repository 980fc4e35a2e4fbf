import { defined } from '../defined.ts';
import type { Source } from '../definition/source.ts';
import { type RobotsEntry, crawlDelayMs, knownVerdict } from '../fetch/robots/verdict.ts';
import { decidingRule, ruleText } from '../fetch/robots/parse.ts';

/** What is known of the robots.txt at the origin of an address, for people. */
export function robotsTxtView(url: string, entry: RobotsEntry | undefined) {
  const { origin } = new URL(url);
  if (entry === undefined) return { origin };
  const { askedAt, askAt, answer, failure } = entry;
  return {
    origin,
    askedAt: Math.round(askedAt),
    askAt: Math.round(askAt),
    ...defined({
      status: answer?.status,
      rules: answer?.rules.rules.length,
      crawlDelayMs: answer?.rules.crawlDelayMs,
      unreachable: failure && { cause: failure.cause, times: failure.times },
    }),
  };
}

/** The verdict of a robots.txt on an address, for people; nothing is requested for it. */
export function robotsVerdictView({ robots }: Source, href: string, entry: RobotsEntry | undefined, now: number) {
  if (robots === 'ignore') return { verdict: 'ignored' } as const;
  if (entry === undefined) return { verdict: 'unknown' } as const;
  const url = new URL(href);
  const delay = defined({ crawlDelayMs: crawlDelayMs(entry, now) });
  const known = knownVerdict(entry, url, now);
  if (known !== 'allowed') {
    const { refused } = known;
    if (refused.code === 'disallowed') return { verdict: 'disallowed', rule: refused.rule, ...delay } as const;
    return { verdict: 'unreachable', cause: refused.cause } as const;
  }
  const rule = entry.answer && decidingRule(entry.answer.rules, url);
  return { verdict: 'allowed', ...defined({ rule: rule && ruleText(rule) }), ...delay } as const;
}
