import { defined } from '../defined.ts';
import type { StepView } from '../view/scrape.ts';
import type { Store } from './store.ts';
import type { OnlyStep, ScrapeRow, StepRow } from './tables/rows.ts';

/** What the row of a scrape keeps of its only step. */
export function onlyStep({ absent, unparsed, ...log }: Omit<StepRow, 'scrape' | 'step' | 'counts'>): OnlyStep {
  const { bytes: _bytes, errors: _errors, repeated: _repeated, ...kept } = log;
  return {
    ...kept,
    ...(absent.length > 0 && { absent }),
    ...(unparsed.length > 0 && { unparsed }),
  };
}

/** The run log of a scrape: its steps after the step `afterStep`, in order. */
export function stepsOf(
  store: Pick<Store, 'steps'>,
  scrape: ScrapeRow,
  slice: { readonly afterStep?: number; readonly limit?: number } = {},
): readonly StepView[] {
  const { only, bytes, counts, errors, repeated } = scrape;
  if (only === undefined)
    return Array.from(store.steps.ofScrape(scrape.scrape, slice), ({ scrape: _scrape, ...view }) => view);
  const { afterStep = 0, limit = 1 } = slice;
  if (afterStep > 0 || limit < 1) return [];
  return [{ step: 1, absent: [], unparsed: [], ...only, bytes, counts, ...defined({ errors, repeated }) }];
}
