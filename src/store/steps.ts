import { defined } from '../defined.ts';
import type { ChangeCounts } from '../view/fields.ts';
import type { StepView } from '../view/scrape.ts';
import { sumOf } from './observe.ts';
import type { StepOps } from './ops.ts';
import type { Store } from './store.ts';
import type { OnlyStep, ScrapeRow, SpentRow, StepRow } from './tables/rows.ts';

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

/** What a scrape keeps of that which its steps could not read, at most. */
const mostUnparsed = 20;

/** The scrape after one more step, with its counts and costs. */
export function withStep(
  scrape: ScrapeRow,
  { log, spent: more = {}, unmodified }: StepOps,
  counts: ChangeCounts,
): ScrapeRow {
  const walked: Writable<ScrapeRow> = {
    ...scrape,
    steps: scrape.steps + 1,
    bytes: scrape.bytes + log.bytes,
    counts: sumOf(scrape.counts, counts),
  };
  const errors = (scrape.errors ?? 0) + (log.errors ?? 0);
  if (errors > 0) walked.errors = errors;
  const repeated = (scrape.repeated ?? 0) + (log.repeated ?? 0);
  if (repeated > 0) walked.repeated = repeated;
  const unparsed = [...(scrape.unparsed ?? []), ...log.unparsed.map((each) => ({ ...each, url: log.url }))];
  if (unparsed.length > 0) walked.unparsed = unparsed.slice(0, mostUnparsed);
  const spent: Writable<SpentRow> = { ...scrape.spent };
  if (log.batch !== undefined) spent.batches = (spent.batches ?? 0) + 1;
  if (more.unasked !== undefined) spent.unasked = (spent.unasked ?? 0) + more.unasked;
  if (unmodified === 'target' || unmodified === 'page') spent.notModified = (spent.notModified ?? 0) + 1;
  if (more.validated !== undefined) spent.validated = (spent.validated ?? 0) + more.validated;
  if (more.cpuMs !== undefined) spent.cpuMs = (spent.cpuMs ?? 0) + more.cpuMs;
  if (Object.keys(spent).length > 0) walked.spent = spent;
  return walked;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
