import type { Client } from '../control/client.ts';
import type { ScrapeView, StepView } from '../control/methods/scrape.ts';

/** How long a step that changed nothing may go unseen. */
const lookMs = 500;

/** The most steps that a daemon tells in one answer. */
const maxSteps = 1_000;

/**
 * Follows a scrape to its end: calls `onStep` for each step, in order and once, as it happens, and `onLook` with what it saw.
 * It looks again whenever an event tells of the scrape, and every half second for steps that no event tells of.
 */
export async function followScrape(
  client: Client,
  scrape: number,
  onStep: (step: StepView) => void,
  onLook: (seen: ScrapeView) => void = () => {},
): Promise<ScrapeView> {
  let wake = () => {};
  await client.subscribe({ scrape }, () => wake());
  let afterStep = 0;
  for (;;) {
    const { promise: told, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const seen = await client.call('scrape.get', { scrape, afterStep, limit: maxSteps });
    for (const step of seen.steps) {
      onStep(step);
      afterStep = step.step;
    }
    onLook(seen.scrape);
    if (seen.steps.length === maxSteps) continue;
    if (seen.scrape.status !== 'waiting' && seen.scrape.status !== 'running') return seen.scrape;
    const timer = setTimeout(resolve, lookMs);
    await told;
    clearTimeout(timer);
  }
}
