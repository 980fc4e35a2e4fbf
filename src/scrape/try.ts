import type { Source } from '../definition/source.ts';
import { openProvider } from '../provider/all.ts';
import type { Asked } from './ask.ts';
import { type Decision, decide } from './decide.ts';
import { allowanceOf, newSpent, type ScrapeDeps } from './run.ts';

/** One request of a trial, and what a scrape would do after it. */
export interface TriedStep {
  readonly url: string;
  readonly asked: Asked;
  readonly decision: Decision;
}

/**
 * Asks for one page as a scrape does, redirects and log-ins included, but for retries, which it only tells of. Nothing is
 * stored. The last step is the one that counts; there is at least one.
 */
export async function tryPage(
  startUrl: string,
  source: Source,
  deps: Pick<ScrapeDeps, 'clock' | 'random' | 'ask'>,
  signal: AbortSignal,
): Promise<readonly TriedStep[]> {
  const { clock } = deps;
  const provider = openProvider(source);
  const steps: TriedStep[] = [];
  let url = startUrl;
  let spent = newSpent(0, clock.now());
  let stale: number | undefined;
  for (;;) {
    const step = { request: provider.request(url), reading: provider.page, render: source.render };
    const asked = await deps.ask({ step, source, dueAt: clock.now(), ...(stale !== undefined && { stale }) }, signal);
    const allowance = allowanceOf(source, { now: clock.now(), nextDueAt: Infinity, draw: deps.random() });
    const decision = decide(asked, { ...spent, tries: 1 }, allowance);
    steps.push({ url, asked, decision });
    stale = undefined;
    if (decision.do === 'follow') {
      url = decision.url;
      spent = newSpent(spent.redirects + 1, clock.now());
    } else if (decision.do === 'authenticate') {
      stale = asked.generation;
      spent = { ...spent, logins: spent.logins + 1 };
    } else {
      return steps;
    }
  }
}
