import { withResult } from '../schedule/priority.ts';
import { endScrape, halt, scheduleNext } from './ending.ts';
import { fieldsOf, hasParts, type StepLeft, writeParts } from './commit-parts.ts';
import { freshen } from './fresh.ts';
import { applyCrawl, type CrawlOps } from './crawl.ts';
import { markMissing } from './missing.ts';
import { noChanges, observe, sumOf } from './observe.ts';
import { verify } from './verify.ts';
import type { Close, CommitResult, Fence, Gap, StepOps } from './ops.ts';
import { askAgain } from './scrapes.ts';
import type { ChangeCounts, ProjectRow, ScrapeRow, SpentRow, TargetRow } from './rows.ts';
import type { Change, Store } from './store.ts';

/**
 * Writes all that one step of a scrape found, or nothing: `superseded` when the target is gone, has another epoch, or its
 * scrape has ended or has this step already. Resolves when it is committed; a step that closes its scrape also says when
 * the target is next due. Very many records or places are written in several transactions, of which the last makes the step.
 */
export async function commitStep(store: Store, fence: Fence, ops: StepOps): Promise<CommitResult> {
  const left = hasParts(store, fence, ops)
    ? await writeParts(store, fence, ops, () => holds(store, fence)?.target)
    : { ops, counts: noChanges, fields: noFields };
  return store.write((change) => {
    const held = holds(store, fence);
    return held === undefined || left === undefined
      ? { outcome: 'superseded' }
      : writeStep(store, change, fence, { ...left, whole: ops }, held);
  });
}

interface Held {
  readonly target: TargetRow;
  readonly scrape: ScrapeRow;
}

/** The rows that a fence names, if it still holds. */
function holds(store: Store, fence: Omit<Fence, 'step'> & Partial<Fence>): Held | undefined {
  const { target: number, epoch, scrape: scrapeNumber, step } = fence;
  const target = store.targets.get(number);
  if (target === undefined || target.epoch !== epoch || target.running !== scrapeNumber) return undefined;
  const scrape = store.scrapes.get(scrapeNumber);
  if (scrape?.status !== 'running') return undefined;
  if (step !== undefined && store.steps.has(scrapeNumber, step)) return undefined;
  return { target, scrape };
}

/** What is left of a step, beside all of it: what the step was is not told by its last part. */
interface StepToWrite extends StepLeft {
  readonly whole: StepOps;
}

function writeStep(
  store: Store,
  change: Change,
  fence: Fence,
  { whole, ops, counts: before, fields: seenBefore }: StepToWrite,
  { target, scrape }: Held,
): CommitResult {
  const { observedAt, draftsBefore, since, log } = ops;
  const order = { ...(draftsBefore && { draftsBefore }), ...(since !== undefined && { since }) };
  const sighting = { target, scrape: fence.scrape, url: log.url, observedAt, ...order };
  const found = ops.unmodified
    ? verify(store, target, { scrape: fence.scrape, at: observedAt })
    : { counts: observe(store, change, sighting, ops.drafts), fields: fieldsOf(ops.drafts) };
  const counts = sumOf(before, found.counts);
  store.steps.put({ scrape: fence.scrape, step: fence.step, ...log, counts });
  const fields = new Set([...seenBefore, ...found.fields]);
  if (fields.size > 0) freshen(store, change, target, { at: observedAt, fields });
  if (ops.gap !== undefined) tellGap(change, scrape, ops.gap);
  if (ops.crawl !== undefined) crawlOn(store, change, { target, scrape }, ops.crawl, counts);
  const errors = (scrape.errors ?? 0) + (log.errors ?? 0);
  const repeated = (scrape.repeated ?? 0) + (log.repeated ?? 0);
  const walked: ScrapeRow = {
    ...scrape,
    steps: scrape.steps + 1,
    bytes: scrape.bytes + log.bytes,
    counts: sumOf(scrape.counts, counts),
    ...(errors > 0 && { errors }),
    ...(repeated > 0 && { repeated }),
    ...spentWith(scrape, whole),
  };

  let after = progressed(target, ops);
  if (ops.close === undefined) {
    store.scrapes.put(walked);
    if (after !== target) store.targets.put(after);
  } else {
    const verifiedAt = wholeAt(store, { target, scrape: walked }, ops);
    after = closed(store, change, { target: after, scrape: walked }, { ...ops.close, verifiedAt });
  }
  const lastEvent = change.log({ kind: 'step', ...fence });
  return { outcome: 'committed', counts, lastEvent, targetStatus: after.status };
}

/** As of when a scrape that ends with this step has seen all that there was: of several pages, what came after the first was asked for may be missing. */
function wholeAt(store: Store, { target, scrape }: Held, { since, observedAt }: StepOps): number {
  if (since !== undefined) return store.scrapes.get(since)?.startedAt ?? target.createdAt ?? scrape.startedAt;
  return scrape.steps === 1 ? observedAt : scrape.startedAt;
}

/** Domains that a crawl leaves aside are told, each once. */
function crawlOn(store: Store, change: Change, { target, scrape }: Held, ops: CrawlOps, counts: ChangeCounts): void {
  const tally = { ...ops.tally, changed: counts.changed };
  const { crawl, newDomains } = applyCrawl(store, target.target, { ...ops, tally });
  const of = { project: target.project, source: target.source, target: target.target, scrape: scrape.scrape };
  for (const domain of newDomains) change.tell({ type: 'crawl.offsite', ...of, data: { crawl: crawl.crawl, domain } });
}

/** The target after a committed step: what it was blamed for is forgotten, and its walk may have come further. */
function progressed(target: TargetRow, { position, reach }: StepOps): TargetRow {
  const isBlamed = target.crashes.inRow > 0 || target.parked !== undefined;
  const isReached = reach !== undefined && (reach !== 'none' || target.reach !== undefined);
  if (!isBlamed && position === undefined && !isReached) return target;
  const { parked: _, reach: before, ...rest } = target;
  const kept = reach === undefined ? before : reach === 'none' ? undefined : reach;
  return {
    ...rest,
    crashes: { ...target.crashes, inRow: 0 },
    ...(position !== undefined && { position }),
    ...(kept !== undefined && { reach: kept }),
  };
}

/** Ends a scrape whose steps have all been written, unless it is no longer its target's. */
export async function closeScrape(store: Store, fence: Omit<Fence, 'step'>, close: Close): Promise<CommitResult> {
  const since = close.missingSince;
  const marked = since === undefined ? {} : await markMissing(store, fence, since, () => holds(store, fence)?.target);
  return store.write((change) => {
    const held = holds(store, fence);
    if (held === undefined) return { outcome: 'superseded' };
    const counts = { ...noChanges, ...marked };
    const scrape = { ...held.scrape, counts: sumOf(held.scrape.counts, counts) };
    const verifiedAt = scrape.startedAt;
    const { status } = closed(store, change, { ...held, scrape }, { ...close, verifiedAt });
    const lastEvent = change.log({ kind: 'scrape.close', ...fence });
    return { outcome: 'committed', counts, lastEvent, targetStatus: status };
  });
}

/** How a scrape closes, with when what it saw was so. */
interface Closing extends Close {
  readonly verifiedAt: number;
}

const noFields: ReadonlySet<string> = new Set();

function closed(store: Store, change: Change, { target, scrape }: Held, close: Closing): TargetRow {
  const over = endScrape(store, change, scrape, close);
  if (close.gap !== undefined) tellGap(change, scrape, close.gap);
  if (close.crawl !== undefined) applyCrawl(store, target.target, { add: [], end: close.crawl });
  const { running, copy, reach, found = [], ...rest } = target;
  const isComplete = close.status === 'complete';
  // A scrape that failed says nothing of the page; one that completed says which copy there is now.
  const kept = isComplete ? close.copy : copy;
  const ended: TargetRow = {
    ...rest,
    ...(kept !== undefined && { copy: kept }),
    ...(!isComplete && reach !== undefined && { reach }),
    epoch: target.epoch + 1,
    settled: isComplete && running !== undefined ? running : target.settled,
    ...((isComplete || found.length > 0) && {
      found: withResult(found, { ok: isComplete, found: over.counts.added }),
    }),
    ...(isComplete && { verifiedAt: close.verifiedAt }),
  };
  if (!close.finished) {
    store.targets.put(ended);
    if (isComplete) freshen(store, change, ended, { at: close.verifiedAt, whole: true, fields: noFields });
    scheduleNext(store, change, ended, over);
    // What its source's hours cut short goes on when they begin again, as it was wished.
    if (over.endReason === 'unavailable') askAgain(store, change, ended, over);
    return ended;
  }
  const reason = { status: 'cancelled', failure: { code: 'finished', message: 'the target is finished' } } as const;
  const finished: TargetRow = { ...halt(store, change, ended, reason), status: 'finished' };
  store.targets.put(finished);
  tellIfFinished(store, change, finished.project);
  return finished;
}

function tellGap(change: Change, { project, source, target, scrape }: ScrapeRow, gap: Gap): void {
  change.tell({ type: 'scrape.gap', project, source, target, scrape, data: { ...gap } });
}

/** Tells that a project is finished, when the target that was just finished was its last. */
function tellIfFinished(store: Store, change: Change, id: string): void {
  const project = store.projects.get(id);
  if (project !== undefined && isFinished(store, project))
    change.tell({ type: 'project.finished', project: id, data: {} });
}

/** Whether all targets of a project are finished; those it no longer has do not count. */
export function isFinished(store: Pick<Store, 'targets'>, project: ProjectRow): boolean {
  return areFinished(project.targets.flatMap((target) => store.targets.get(target) ?? []));
}

/** Whether targets are all that a finished project has. */
export function areFinished(targets: readonly TargetRow[]): boolean {
  const tracked = targets.filter(({ status }) => status !== 'disabled');
  return tracked.length > 0 && tracked.every(({ status }) => status === 'finished');
}

/** What a scrape has spent with one step more. */
function spentWith(
  { spent = {} }: ScrapeRow,
  { spent: more = {}, log, unmodified }: StepOps,
): Pick<ScrapeRow, 'spent'> {
  const sum: SpentRow = {
    ...spent,
    ...(log.batch !== undefined && { batches: (spent.batches ?? 0) + 1 }),
    ...(more.unasked !== undefined && { unasked: (spent.unasked ?? 0) + more.unasked }),
    ...(unmodified === true && { notModified: (spent.notModified ?? 0) + 1 }),
    ...(more.validated !== undefined && { validated: (spent.validated ?? 0) + more.validated }),
    ...(more.cpuMs !== undefined && { cpuMs: (spent.cpuMs ?? 0) + more.cpuMs }),
  };
  return Object.keys(sum).length === 0 ? {} : { spent: sum };
}
