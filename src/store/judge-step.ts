import { setImmediate } from 'node:timers/promises';
import { defined } from '../defined.ts';
import { emptyBaseline, forVersion } from '../health/baseline.ts';
import { requestTally, scrapeTally } from '../health/page-tally.ts';
import type { ReadBy } from '../health/last-reading.ts';
import { judgeProvisionally } from '../health/provisional.ts';
import { emptyTally, type RunTally, sumOfTallies } from '../health/tally.ts';
import type { Symptom } from '../view/symptom.ts';
import { slicesOf } from './commit-parts.ts';
import { type Doubts, doubtsOf, noteDoubts } from './doubts.ts';
import type { Held } from './fence.ts';
import { isAsUsual, judgeEnd, type JudgedRun } from './judge-run.ts';
import { KnownRecords } from './known-records.ts';
import { findOdd, type OddFields, withOdd } from './odd-fields.ts';
import type { StepOps } from './ops.ts';
import { hasFewTargets } from './round.ts';
import type { Store } from './store.ts';
import type { RunSoFar } from './tables/runs.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';
import { tallyDrafts } from './tally-drafts.ts';

/** A step that was judged before any of it is stored. */
export interface JudgedStep {
  /** The tally of its page; missing where no page was read. */
  readonly page: RunTally | undefined;
  /** The run with this step. */
  readonly run: RunSoFar;
  /** The judgement of the run that ends with the step; missing for another step, and for a run that says nothing of its target. */
  readonly judged: JudgedRun | undefined;
  /** The fields whose values are held. */
  readonly doubts: Doubts | undefined;
}

const none: OddFields = { fields: new Map(), symptoms: [] };

/**
 * Judges a step before it is stored: the run if it ends with the step, else what the run has read so far. Stores which values are held from now on. To be
 * called within a transaction.
 */
export function judgeStep(
  store: Store,
  held: Held,
  ops: StepOps,
  { page, known, at }: { readonly page: RunTally | undefined; readonly known: KnownRecords; readonly at: number },
): JudgedStep {
  const { target, scrape } = held;
  const run = runSoFar(store, target, scrape, [page, requestTally(ops.log)], ops.unmodified);
  const startedAt = runStart(store, target, scrape);
  const ended = ops.close && { target, scrape, close: ops.close, startedAt, ...run };
  const alone = ended && judgeEnd(store, ended, at);
  const { guards } = ops;
  if (guards === undefined) return { page, run, judged: alone, doubts: undefined };

  const { source, target: number } = target;
  const hasTold = scrape.steps > 0 || startedAt < scrape.startedAt;
  const of = { source, scrape: scrape.scrape, guards };
  const isSmall = alone && alone.own === undefined;
  const isOfRound = isSmall === true && alone.reading.isWhole && run.isPart !== true && page !== undefined;
  // The round of a few targets is of many scrapes of each: what it told is no part of what is unusual now.
  if (isOfRound && !hasFewTargets(store, source)) {
    const round = store.runs.rounds.get(source);
    const sum = sumOfTallies(round?.tally ?? emptyTally, scrapeTally(run.tally));
    const since = round?.startedAt ?? startedAt;
    const common = { ...of, member: 0, since, hasTold: round !== undefined || hasTold };
    noteDoubts(store, common, soFar(store, 0, { held, ops, at }, sum));
  }
  const odd = isOfRound
    ? findOdd(store, { target, by: readBy(scrape, ops), scrape: scrape.scrape, at, guards, drafts: ops.drafts, known })
    : none;
  const judged = alone && { ...alone, symptoms: [...alone.symptoms, ...odd.symptoms] };
  const symptoms = judged?.symptoms ?? (page && soFar(store, number, { held, ops, at }, run.tally)) ?? [];
  noteDoubts(store, { ...of, member: number, since: startedAt, hasTold }, symptoms);
  const isUsual = ended && judged && isAsUsual(ended, judged);
  const doubts = doubtsOf(store, target, defined({ isSmall, isAsUsual: isUsual }));
  return { page, run, judged, doubts: withOdd(doubts, odd.fields) };
}

/** What is unusual about the fields that a run has read so far. */
function soFar(
  store: Store,
  member: number,
  { held: { target, scrape }, ops, at }: { readonly held: Held; readonly ops: StepOps; readonly at: number },
  tally: RunTally,
): readonly Symptom[] {
  const of = readBy(scrape, ops);
  const baseline = () =>
    forVersion(store.runs.baselines.get([target.source, member])?.baseline ?? emptyBaseline(of), of);
  return judgeProvisionally(baseline, tally, at);
}

/** Tallies a page of very many drafts, with pauses in which other work has its turn. */
export async function tallyInParts(
  store: Store,
  { target, scrape }: Held,
  ops: StepOps,
): Promise<RunTally | undefined> {
  const { drafts, item, places, log } = ops;
  if (places === undefined) return undefined;
  let sum: RunTally | undefined;
  const of = { target, by: readBy(scrape, ops), isItemPage: item !== undefined };
  for (const slice of slicesOf(drafts)) {
    // The places of the page are counted once.
    const { absent, unparsed } = log;
    const read = { absent, unparsed, ...places, ...(sum !== undefined && { items: 0, refused: 0 }) };
    const part = tallyDrafts(store, new KnownRecords(store, target.source), { ...of, read }, slice);
    sum = sum === undefined ? part : sumOfTallies(sum, part);
    await setImmediate();
  }
  return sum;
}

/** Tallies the page of a step. */
export function tallyStep(
  store: Store,
  { target, scrape }: Held,
  ops: StepOps,
  known: KnownRecords,
): RunTally | undefined {
  const { absent, unparsed } = ops.log;
  const read = ops.places && { ...ops.places, absent, unparsed };
  const by = readBy(scrape, ops);
  return read && tallyDrafts(store, known, { target, by, isItemPage: ops.item !== undefined, read }, ops.drafts);
}

function readBy({ version }: ScrapeRow, { rules }: StepOps): ReadBy {
  return { version, ...defined({ rules }) };
}

/** A run with what a step adds. A crawl that is resumed goes on with the run of the scrapes before. */
export function runSoFar(
  store: Store,
  target: TargetRow,
  scrape: ScrapeRow,
  more: readonly (RunTally | undefined)[] = [],
  unmodified?: StepOps['unmodified'],
): RunSoFar {
  const isOn = scrape.steps > 0 || firstScrape(store, target, scrape) < scrape.scrape;
  const before = isOn ? store.runs.tallies.get(target.target) : undefined;
  const tally = more.reduce<RunTally>(
    (sum, each) => (each === undefined ? sum : sumOfTallies(sum, each)),
    before?.tally ?? emptyTally,
  );
  return before?.isPart === true || unmodified !== undefined ? { tally, isPart: true } : { tally };
}

/** When a run began: with its scrape, or with the first scrape of the crawl that the scrape resumes. */
export function runStart(store: Store, target: TargetRow, scrape: ScrapeRow): number {
  const first = firstScrape(store, target, scrape);
  return first < scrape.scrape ? (store.scrapes.get(first)?.startedAt ?? scrape.startedAt) : scrape.startedAt;
}

/** The first scrape of the crawl under way that a scrape belongs to, or the scrape itself. */
function firstScrape({ crawls }: Store, { target }: TargetRow, { scrape }: ScrapeRow): number {
  const crawl = crawls.newest(target);
  return crawl === undefined || crawl.endReason !== undefined ? scrape : crawl.firstScrape;
}
