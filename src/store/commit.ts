import { goneAfter } from '../schedule/gone.ts';
import { withResult } from '../schedule/priority.ts';
import { endScrape, tellBegin } from './ending.ts';
import { isPagePoorer } from '../health/poorer-page.ts';
import { noteDoubts } from './doubts.ts';
import { judgeEnd, type JudgedRun, keepJudged } from './judge-run.ts';
import { type JudgedStep, judgeStep, runSoFar, runStart, tallyInParts, tallyStep } from './judge-step.ts';
import { KnownRecords } from './known-records.ts';
import { settleHolds } from './settle-holds.ts';
import { forgetWritten, type Held, holds, writeBegin } from './fence.ts';
import { onlyStep, withStep } from './steps.ts';
import { withScrape } from './usual.ts';
import { noteFailure } from './failing-target.ts';
import { finishTarget, isOver } from './finish.ts';
import { freshen, scheduleNext } from './schedule.ts';
import { type StepLeft, askingOf, hasParts, writeParts } from './commit-parts.ts';
import { type CrawlOps, applyCrawl } from './crawl.ts';
import { packLed } from './copies.ts';
import { digestOf } from './tables/digest.ts';
import { settleItemPage } from './item-pages.ts';
import { keepPage } from './pages.ts';
import type { RunSoFar } from './tables/runs.ts';
import { markMissing } from './crawl-missing.ts';
import { findMissing, holdMissing } from './hold-missing.ts';
import { noChanges, sumOf } from './observe.ts';
import { observeStep } from './observe-step.ts';
import type { Close, CommitResult, Fence, Gap, StepOps } from './ops.ts';
import { askAgain } from './scrapes.ts';
import type { ChangeCounts } from '../view/fields.ts';
import type { ShownRecord } from './other-record.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';
import type { Change, Store } from './store.ts';
import { idsOf } from './subjects.ts';

/**
 * Writes one step of a scrape, or nothing: the result is `superseded` when the target is gone or has another epoch, or
 * when its scrape has ended or has this step already. Resolves when the step is committed. A step of very many records
 * or places is written in several transactions, the last of which makes the step. Rejects with `StoreFullError` when
 * the store has no room.
 */
export async function commitStep(store: Store, fence: Fence, ops: StepOps): Promise<CommitResult> {
  const left = hasParts(store, fence, ops)
    ? await writeInParts(store, fence, ops)
    : { ops, counts: noChanges, fields: noFields, records: [], waiting: [] };
  const led = ops.copy && (await packLed(ops.copy.led));
  const result = await store.write((change): CommitResult => {
    const held = holds(store, fence);
    return held === undefined || left === undefined
      ? { outcome: 'superseded' }
      : writeStep(store, change, fence, { ...left, whole: ops, led }, held);
  });
  forgetWritten(store, fence.scrape);
  await settleTarget(store, fence.target);
  return result;
}

/** Has what is held of a target, and of the round of its source, follow its runs and tickets; that of other targets follows within half a minute. */
async function settleTarget(store: Store, number: number): Promise<void> {
  const target = store.holds.isNone() ? undefined : store.targets.get(number);
  if (target !== undefined) await settleHolds(store, target.source, [0, number]);
}

/** The result of an item page without its validators, so that the next request is unconditional. */
function withoutValidators({ result, ...item }: NonNullable<StepOps['item']>): NonNullable<StepOps['item']> {
  return { ...item, result: result.kind === 'read' ? { kind: 'read' } : result };
}

/** Writes most of a large step. Its records name their scrape, so that the scrape is written first. It is judged before the first part is stored. */
async function writeInParts(store: Store, fence: Fence, ops: StepOps): Promise<JudgedLeft | undefined> {
  await writeBegin(store, fence);
  const begun = holds(store, fence);
  const page = begun && (await tallyInParts(store, begun, ops));
  const judged = await store.write((change) => {
    const held = holds(store, fence);
    return (
      held && judgeStep(store, held, ops, { page, known: new KnownRecords(store, held.target.source), at: change.at })
    );
  });
  if (judged === undefined) return undefined;
  const left = await writeParts(store, fence, ops, { holds: () => holds(store, fence)?.target, ...judged });
  return left && { ...left, judged };
}

/** The rest of a step whose first parts are stored. */
interface JudgedLeft extends StepLeft {
  readonly judged: JudgedStep;
}

/** The rest of a step and the whole step, as the rest does not say what the step cost. */
interface StepToWrite extends StepLeft {
  readonly whole: StepOps;
  /** Missing for a step that is not judged yet, as no part of it is stored. */
  readonly judged?: JudgedStep;
  /** What the page of the step led to, packed; missing where no copy is kept. */
  readonly led: string | undefined;
}

function writeStep(
  store: Store,
  change: Change,
  fence: Fence,
  { whole, led, ops, counts: before, ...written }: StepToWrite,
  { target, scrape }: Held,
): CommitResult {
  const isUnwritten = store.scrapes.isUnwritten(fence.scrape);
  if (isUnwritten) tellBegin(store, change, scrape);
  const { observedAt, digest, draftsBefore, since, guards } = ops;
  const of = { target, scrape: fence.scrape, version: scrape.version };
  const seen = { ...of, url: ops.log.url, observedAt, digest, draftsBefore, since, guards };
  const tally = written.tally ?? scrape.emptied;
  const known = new KnownRecords(store, target.source);
  const { page, run, judged, doubts } =
    written.judged ??
    judgeStep(store, { target, scrape }, ops, {
      page: tallyStep(store, { target, scrape }, ops, known),
      known,
      at: change.at,
    });
  const asked = { asking: askingOf(scrape), isItemPage: ops.item !== undefined };
  const sighting = { ...seen, tally, ...asked, doubts, known };
  const isOnly = fence.step === 1 && ops.close !== undefined;
  const seenBy = observeStep(store, change, sighting, { ops, mayBeOther: isOnly || ops.crawl !== undefined });
  const { found, log, isWithheld } = seenBy;
  const counts = sumOf(before, found.counts);
  if (!isOnly) store.steps.put({ scrape: fence.scrape, step: fence.step, ...log, counts });
  const records = [...written.records, ...found.records];
  const isWaiting = isWithheld || written.waiting.length + (found.waiting?.length ?? 0) > 0;
  const isShorter = ops.page !== undefined && hasFewer(store, fence.target, ops.page.url, records.length);
  if (ops.page !== undefined && !isWithheld) {
    const page = isWaiting ? { url: ops.page.url, version: ops.page.version } : ops.page;
    keepPage(store, fence.target, { ...page, observedAt, records });
  }
  const leads = ops.copy?.as !== 'detail' && leadsElsewhere(store, fence.target, ops, led);
  if (ops.copy !== undefined && isWaiting) store.copies.remove(fence.target, digestOf(ops.copy.url));
  else if (ops.copy !== undefined && led !== undefined) {
    const { url, ...copy } = ops.copy;
    store.copies.put(fence.target, url, { ...copy, readAt: observedAt, records: records.length, led });
  }
  const fields = new Set([...written.fields, ...found.fields]);
  if (fields.size > 0) freshen(store, change, target, { at: observedAt, fields });
  if (ops.item !== undefined)
    settleItemPage(store, fence.target, observedAt, isWaiting ? withoutValidators(ops.item) : ops.item);
  if (ops.gap !== undefined) tellGap(store, change, scrape, ops.gap);
  if (ops.crawl !== undefined) crawlOn(store, change, { target, scrape }, believed(ops.crawl, counts, leads), counts);
  const tallied = isOnly || found.tally === undefined ? {} : { emptied: found.tally };
  const walked = { ...withStep(scrape, whole, counts), ...tallied, ...(isOnly && { only: onlyStep(log) }) };

  let after = progressed(target, ops);
  if (ops.close === undefined) {
    store.runs.tallies.put(fence.target, run);
    if (isUnwritten) store.scrapes.move(walked);
    else store.scrapes.put(walked);
    if (isUnwritten || after !== target) store.targets.put(after);
  } else {
    const verifiedAt = wholeAt(store, { target, scrape: walked }, ops);
    const { copy, ...close } = ops.close;
    const kept = copy !== undefined && !isWaiting ? { copy } : {};
    const [draft, record] = [ops.drafts[0], records[0]];
    const isOne = isOnly && records.length === 1 && ops.drafts.length === 1;
    const only = isOne && draft && record !== undefined ? { type: draft.type, record } : undefined;
    const over = { ...run, only };
    after = closed(store, change, { target: after, scrape: walked }, { ...close, ...kept, verifiedAt }, over, judged);
  }
  const lastEvent = change.lastEvent();
  const result = { outcome: 'committed', counts, lastEvent, targetStatus: after.status, records } as const;
  const isPoorer = isPagePoorer(page) || isShorter || (isOnly && isEvidence(judged));
  return { ...result, ...(isWaiting && { isWaiting }), ...(isPoorer && { isPoorer }) };
}

/** Whether a page shows less than half of the records that it showed when it was last read. */
function hasFewer({ pages }: Store, target: number, url: string, records: number): boolean {
  return 2 * records < (pages.get(target, url)?.records.length ?? 0);
}

/**
 * The instant up to which a scrape that ends with this step has seen everything. Of a scrape of several pages, what
 * appeared after its first request may be missing.
 */
function wholeAt(store: Store, { target, scrape }: Held, { since, resume, observedAt }: StepOps): number {
  // What is read in a gap is of an earlier scrape's order, but the head of the list was seen by this one.
  if (since !== undefined && resume !== undefined) return store.scrapes.get(since)?.startedAt ?? target.createdAt;
  return scrape.steps === 1 ? observedAt : scrape.startedAt;
}

/** Whether a page of a crawl led elsewhere when it was read before. */
function leadsElsewhere(store: Store, target: number, { copy }: StepOps, led: string | undefined): boolean {
  const before = copy && store.copies.get(target, copy.url);
  return before !== undefined && before.led !== led;
}

/** The operations of a crawl, which no longer contradict a sitemap where the page has not changed. */
function believed({ contradicts, ...ops }: CrawlOps, { added, changed }: ChangeCounts, leads: boolean): CrawlOps {
  return contradicts === true && (added + changed > 0 || leads) ? { ...ops, contradicts } : ops;
}

/** Applies a step to its crawl, and tells each new domain that the crawl leaves aside. */
function crawlOn(store: Store, change: Change, { target, scrape }: Held, ops: CrawlOps, counts: ChangeCounts): void {
  const tally = { ...ops.tally, changed: counts.changed };
  const { crawl, newDomains } = applyCrawl(store, target.target, { ...ops, tally }, change.at);
  for (const domain of newDomains)
    change.tell({ type: 'crawl.offsite', ...idsOf(store, scrape), data: { crawl: crawl.crawl, domain } });
}

/**
 * The target after a committed step: its crashes in a row are forgotten, unless the step is a crash, and its position and its point to
 * resume at are the step's. A list that was read to where its walk ends is known from then on, whatever becomes of the scrape.
 */
function progressed(target: TargetRow, { position, resume, gaps, listRead, close }: StepOps): TargetRow {
  const isCrash = close?.parksAfter !== undefined;
  const isBlamed = !isCrash && (target.crashes.inRow > 0 || target.parked !== undefined);
  const hasMoved = resume !== undefined && (resume !== 'none' || target.resume !== undefined);
  if (!isBlamed && position === undefined && gaps === undefined && listRead === undefined && !hasMoved) return target;
  const after: Writable<TargetRow> = { ...target };
  if (isBlamed) {
    delete after.parked;
    after.crashes = { ...target.crashes, inRow: 0 };
  }
  if (position !== undefined) after.position = position;
  if (gaps !== undefined && gaps.length > 0) after.gaps = gaps;
  else if (gaps !== undefined) delete after.gaps;
  if (resume === 'none') delete after.resume;
  else if (resume !== undefined) after.resume = resume;
  if (listRead !== undefined) {
    after.settled = target.running ?? target.settled;
    after.walk = listRead;
  }
  return after;
}

/**
 * Closes a scrape whose steps are all written; the result is `superseded` when the fence does not hold. Rejects with
 * `StoreFullError` when the store has no room.
 */
export async function closeScrape(store: Store, fence: Omit<Fence, 'step'>, close: Close): Promise<CommitResult> {
  const { missingSince: since, guards } = close;
  const held = (): TargetRow | undefined => holds(store, fence)?.target;
  const found = since === undefined ? undefined : await findMissing(store, fence.target, since);
  const isHeld =
    since !== undefined &&
    found !== undefined &&
    guards?.missing === true &&
    (await holdMissing(store, fence, since, held, {
      ...found,
      isUnusual: isUnusual(store, fence, close, found.byType),
    }));
  const marked = since === undefined || isHeld ? {} : await markMissing(store, fence, since, held);
  const result = await store.write((change): CommitResult => {
    const held = holds(store, fence);
    if (held === undefined) return { outcome: 'superseded' };
    if (store.scrapes.isUnwritten(fence.scrape)) tellBegin(store, change, held.scrape);
    const counts = { ...noChanges, ...marked };
    const scrape = { ...held.scrape, counts: sumOf(held.scrape.counts, counts) };
    const verifiedAt = scrape.startedAt;
    const run = { ...runSoFar(store, held.target, scrape), missing: found?.byType };
    const startedAt = runStart(store, held.target, scrape);
    const judged = judgeEnd(store, { target: held.target, scrape, close, startedAt, ...run }, change.at);
    if (guards !== undefined && judged !== undefined) {
      const { source, target: member } = held.target;
      const of = { source, member, scrape: fence.scrape, since: startedAt, hasTold: true, guards };
      noteDoubts(store, of, judged.symptoms);
    }
    const { status } = closed(store, change, { ...held, scrape }, { ...close, verifiedAt }, run, judged);
    const lastEvent = change.lastEvent();
    return { outcome: 'committed', counts, lastEvent, targetStatus: status };
  });
  forgetWritten(store, fence.scrape);
  await settleTarget(store, fence.target);
  return result;
}

/** Whether fewer records were found than is usual, by the judgement of the run that ends. */
function isUnusual(
  store: Store,
  fence: Omit<Fence, 'step'>,
  close: Close,
  missing: ReadonlyMap<string, number>,
): boolean {
  const held = holds(store, fence);
  if (held === undefined) return false;
  const run = runSoFar(store, held.target, held.scrape);
  const startedAt = runStart(store, held.target, held.scrape);
  const { symptoms = [] } = judgeEnd(store, { ...held, close, startedAt, ...run, missing }, store.now()) ?? {};
  return symptoms.some(
    ({ kind, observed, expected }) => kind === 'missing' || (kind === 'records' && observed < (expected?.median ?? 0)),
  );
}

/** How a scrape closes, and the instant as of which its target is verified. */
interface Closing extends Close {
  readonly verifiedAt: number;
}

const noFields: ReadonlySet<string> = new Set();

/** A run that is over. */
interface RunResult extends RunSoFar {
  /** Records that a whole list or crawl no longer found, by type. */
  readonly missing?: ReadonlyMap<string, number> | undefined;
  /** The record of a scrape whose only page showed one alone. */
  readonly only?: ShownRecord | undefined;
}

/** Whether what a run has read is unusual: not that it was slow, or met many changes. */
function isEvidence(judged: JudgedRun | undefined): boolean {
  return judged?.symptoms.some(({ kind }) => kind !== 'duration' && kind !== 'changes') ?? false;
}

function closed(
  store: Store,
  change: Change,
  { target, scrape }: Held,
  close: Closing,
  run: RunResult,
  judged: JudgedRun | undefined,
): TargetRow {
  const startedAt = runStart(store, target, scrape);
  const over = endScrape(store, change, scrape, close);
  const ended = { target, scrape: over, close, startedAt, ...run };
  if (judged !== undefined) keepJudged(store, change, ended, judged);
  // That of a crawl that goes on in the next scrape stays.
  const isRunOver = close.crawl !== undefined || (close.reading !== undefined && over.steps > 1);
  if (isRunOver) store.runs.tallies.remove(target.target);
  if (close.gap !== undefined) tellGap(store, change, scrape, close.gap);
  if (close.crawl !== undefined) applyCrawl(store, target.target, { add: [], end: close.crawl });
  const { running, usual, ended: before = { scrapes: 0, discovered: 0 }, ...rest } = target;
  const isComplete = close.status === 'complete';
  const all = { scrapes: before.scrapes + 1, discovered: before.discovered + over.counts.added };
  const after: Writable<TargetRow> = { ...rest, epoch: target.epoch + 1, ended: all };
  const gone = isComplete ? undefined : goneAfter(target.gone, missingCause(close, over), change.at);
  if (gone !== undefined) after.gone = gone;
  noteFailure(store, change, after, over);
  const mean = withScrape(usual, over);
  if (mean !== undefined) after.usual = mean;
  // A scrape that failed says nothing of the page; one that completed says which copy there is now.
  if (isComplete) {
    forgetDecided(store, target, scrape);
    after.settled = running ?? target.settled;
    after.found = withResult(target.found ?? [], { ok: true, found: over.counts.added });
    after.verifiedAt = close.verifiedAt;
    if (close.walk !== undefined) after.walk = close.walk;
    if (close.position !== undefined) after.position = close.position;
    if (close.isRevisit === true) after.revisitedAt = close.verifiedAt;
    delete after.resume;
    delete after.gone;
    if (close.copy === undefined) delete after.copy;
    else after.copy = close.copy;
  }
  if (close.finished || isOver(store, change, after)) return finishTarget(store, change, after);
  store.targets.put(after);
  if (isComplete) freshen(store, change, after, { at: close.verifiedAt, whole: true, fields: noFields });
  scheduleNext(store, change, after, over);
  // A person's scrape that its source's hours cut short goes on when they begin again.
  if (over.endReason === 'unavailable') askAgain(store, change, after, over);
  return after;
}

/** The cause of a failure, where it may say that the target's page is not there: a scrape that stored something has met another page. */
function missingCause({ failure }: Close, { counts }: ScrapeRow): string | undefined {
  return counts.added + counts.changed + counts.confirmed === 0 ? failure?.cause : undefined;
}

function tellGap(store: Store, change: Change, scrape: ScrapeRow, gap: Gap): void {
  change.tell({ type: 'scrape.gap', ...idsOf(store, scrape), data: gap });
}

/** Forgets what a person has decided of fields that became empty, once a complete scrape that began later has not found them so. */
function forgetDecided(store: Store, { source, target }: TargetRow, { scrape }: ScrapeRow): void {
  for (const { place, row } of [...store.holds.masses(source, target)])
    if (row.kind === 'empty' && row.state !== 'held' && row.lastScrape < scrape) store.holds.removeMass(place);
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
