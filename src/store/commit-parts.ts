import type { RecordDraft, Value } from '../extract/draft.ts';
import { noChanges, observe, sumOf } from './observe.ts';
import type { Fence, StepOps } from './ops.ts';
import type { ChangeCounts, RecordRow, TargetRow } from './rows.ts';
import { applyCrawl } from './crawl.ts';
import type { Change, Store } from './store.ts';
import { partlyVerified, verify } from './verify.ts';

/** Of each, so much takes some 10 ms to write. */
const places = 500;
const records = 200;
const weight = 125_000;

/** What a draft weighs besides its texts, in characters. */
const draftWeight = 625;

/** What parts leave of a step for the commit that ends it. */
export interface StepLeft {
  /** With the drafts and places that are still to be written, and no longer `unmodified` once all is verified; all else is as it was. */
  readonly ops: StepOps;
  /** What its parts did. */
  readonly counts: ChangeCounts;
  /** Fields that they saw. */
  readonly fields: ReadonlySet<string>;
}

/** Fields that drafts have, whatever their values. */
export function fieldsOf(drafts: StepOps['drafts']): ReadonlySet<string> {
  return new Set(drafts.flatMap(({ fields }) => Object.keys(fields)));
}

/** Whether a step is too much for one transaction, which would hold everybody up. */
export function hasParts(store: Store, { target }: Fence, { unmodified, drafts, crawl }: StepOps): boolean {
  if ((crawl?.add.length ?? 0) > places) return true;
  if (unmodified === true) return store.records.countOfTarget(target, records + 1) > records;
  return drafts.length > records || slicesOf(drafts).length > 1;
}

/**
 * Writes most of a step in as many transactions as it takes, each of which holds the fence; nothing when that broke. Until the rest is
 * written with the step's row, the step is not made and its place has not left the frontier: whoever makes it again finds its first
 * records confirmed and its first places met, so that nothing is told twice.
 */
export async function writeParts(
  store: Store,
  fence: Fence,
  ops: StepOps,
  holds: () => TargetRow | undefined,
): Promise<StepLeft | undefined> {
  const linked = await addPlaces(store, fence, ops, holds);
  if (linked === undefined) return undefined;
  return ops.unmodified === true ? verifyParts(store, fence, linked, holds) : observeParts(store, fence, linked, holds);
}

/** The target within a transaction, if the fence holds. */
type Holds = () => TargetRow | undefined;

async function addPlaces(store: Store, fence: Fence, ops: StepOps, holds: Holds): Promise<StepOps | undefined> {
  const { crawl } = ops;
  if (crawl === undefined) return ops;
  let { add } = crawl;
  while (add.length > places) {
    const some = add.slice(0, places);
    const done = await part(store, fence, holds, () => applyCrawl(store, fence.target, { add: some }));
    if (done === undefined) return undefined;
    add = add.slice(places);
  }
  return { ...ops, crawl: { ...crawl, add } };
}

async function observeParts(store: Store, fence: Fence, ops: StepOps, holds: Holds): Promise<StepLeft | undefined> {
  const { log, observedAt, since } = ops;
  let { draftsBefore = 0 } = ops;
  let counts = noChanges;
  const slices = slicesOf(ops.drafts);
  const last = slices.pop() ?? [];
  for (const slice of slices) {
    const order = { draftsBefore, ...(since !== undefined && { since }) };
    const sighting = { scrape: fence.scrape, url: log.url, observedAt, ...order };
    const found = await part(store, fence, holds, (target, change) =>
      observe(store, change, { target, ...sighting }, slice),
    );
    if (found === undefined) return undefined;
    counts = sumOf(counts, found);
    draftsBefore += slice.length;
  }
  const fields = fieldsOf(slices.flat());
  return { ops: { ...ops, drafts: last, ...(draftsBefore > 0 && { draftsBefore }) }, counts, fields };
}

async function verifyParts(store: Store, fence: Fence, ops: StepOps, holds: Holds): Promise<StepLeft | undefined> {
  const sighting = { scrape: fence.scrape, at: ops.observedAt };
  const fields = new Set<string>();
  let counts = noChanges;
  let after: RecordRow | undefined;
  do {
    const from = after;
    const found = await part(store, fence, holds, (target) => {
      const { copy } = target;
      if (from === undefined && copy !== undefined) {
        store.targets.put({ ...target, copy: partlyVerified(copy, ops.observedAt) });
      }
      return verify(store, target, sighting, { limit: records, ...(from !== undefined && { after: from }) });
    });
    if (found === undefined) return undefined;
    counts = sumOf(counts, found.counts);
    for (const field of found.fields) fields.add(field);
    after = found.last;
  } while (after !== undefined);
  const { unmodified: _, ...left } = ops;
  return { ops: left, counts, fields };
}

function part<T>(
  store: Store,
  fence: Fence,
  holds: Holds,
  run: (target: TargetRow, change: Change) => T,
): Promise<T | undefined> {
  return store.write((change) => {
    const target = holds();
    if (target === undefined) return undefined;
    const done = run(target, change);
    change.log({ kind: 'step.part', ...fence });
    return done;
  });
}

/** Drafts in page order, as many at a time as one transaction may write. */
function slicesOf(drafts: readonly RecordDraft[]): (readonly RecordDraft[])[] {
  const slices: (readonly RecordDraft[])[] = [];
  let [start, sum] = [0, 0];
  for (const [index, draft] of drafts.entries()) {
    const added = draftWeight + weightOf(draft.fields);
    if (index > start && sum + added > weight) {
      slices.push(drafts.slice(start, index));
      [start, sum] = [index, 0];
    }
    sum += added;
  }
  if (drafts.length > 0) slices.push(drafts.slice(start));
  return slices;
}

/** About how many characters it takes to write a value down. */
function weightOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 10;
  return Object.values(value).reduce<number>((sum, each) => sum + weightOf(each) + 20, 0);
}
