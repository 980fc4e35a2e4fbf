import { endScrape, halt, scheduleNext } from './ending.ts';
import { observe, sumOf } from './observe.ts';
import { verify } from './verify.ts';
import type { CommitResult, Fence, ProjectRow, ScrapeRow, StepOps, TargetRow } from './rows.ts';
import type { Change, Store } from './store.ts';

/**
 * Writes all that one step of a scrape found, or nothing: `superseded` when the target is gone, has another epoch, or its
 * scrape has ended or has this step already. Resolves when it is committed; a step that closes its scrape also says when
 * the target is next due.
 */
export function commitStep(store: Store, fence: Fence, ops: StepOps): Promise<CommitResult> {
  return store.write((change) => {
    const held = holds(store, fence);
    return held === undefined ? { outcome: 'superseded' } : writeStep(store, change, fence, ops, held);
  });
}

interface Held {
  readonly target: TargetRow;
  readonly scrape: ScrapeRow;
}

/** The rows that a fence names, if it still holds. */
function holds(store: Store, { target: number, epoch, scrape: scrapeNumber, step }: Fence): Held | undefined {
  const target = store.targets.get(number);
  if (target === undefined || target.epoch !== epoch || target.running !== scrapeNumber) return undefined;
  const scrape = store.scrapes.get(scrapeNumber);
  if (scrape?.status !== 'running' || store.steps.has(scrapeNumber, step)) return undefined;
  return { target, scrape };
}

function writeStep(store: Store, change: Change, fence: Fence, ops: StepOps, { target, scrape }: Held): CommitResult {
  const counts = ops.unmodified
    ? verify(store, target, ops.observedAt)
    : observe(store, change, { target, scrape: fence.scrape, observedAt: ops.observedAt }, ops.drafts);
  store.steps.put({ scrape: fence.scrape, step: fence.step, ...ops.log, counts });
  const walked: ScrapeRow = {
    ...scrape,
    steps: scrape.steps + 1,
    bytes: scrape.bytes + ops.log.bytes,
    counts: sumOf(scrape.counts, counts),
  };

  let after = unblamed(target);
  if (ops.close === undefined) {
    store.scrapes.put(walked);
    if (after !== target) store.targets.put(after);
  } else {
    endScrape(store, change, walked, ops.close);
    after = closed(store, change, withCopy(after, ops), ops.close);
  }
  const lastEvent = change.log({ kind: 'step', ...fence });
  return { outcome: 'committed', counts, lastEvent, targetStatus: after.status };
}

/** A scrape that failed says nothing of the page; one that completed says which copy there is now. */
function withCopy(target: TargetRow, { close, copy }: StepOps): TargetRow {
  if (close?.status !== 'complete') return target;
  const { copy: _, ...rest } = target;
  return { ...rest, ...(copy !== undefined && { copy }) };
}

/** The target after a committed step: what it was blamed for is forgotten. */
function unblamed(target: TargetRow): TargetRow {
  if (target.crashes.inRow === 0 && target.parked === undefined) return target;
  const { parked: _, ...rest } = target;
  return { ...rest, crashes: { ...target.crashes, inRow: 0 } };
}

function closed(store: Store, change: Change, target: TargetRow, close: NonNullable<StepOps['close']>): TargetRow {
  const { running, ...rest } = target;
  const ended: TargetRow = {
    ...rest,
    epoch: target.epoch + 1,
    settled: close.status === 'complete' && running !== undefined ? running : target.settled,
  };
  if (!close.finished) {
    store.targets.put(ended);
    scheduleNext(store, change, ended);
    return ended;
  }
  const reason = { status: 'cancelled', failure: { code: 'finished', message: 'the target is finished' } } as const;
  const finished: TargetRow = { ...halt(store, change, ended, reason), status: 'finished' };
  store.targets.put(finished);
  tellIfFinished(store, change, finished.project);
  return finished;
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
