import type { RecordDraft } from '../extract/draft.ts';
import type { Doubts } from './doubts.ts';
import type { Value } from '../extract/value/value.ts';
import { noChanges, observe, type Observed, partlyVerified, sumOf, verify } from './observe.ts';
import type { Fence, StepOps } from './ops.ts';
import type { ChangeCounts } from '../view/fields.ts';
import type { EmptiedTally, ScrapeRow, TargetRow } from './tables/rows.ts';
import type { ItemAsking } from './item-pages.ts';
import { applyCrawl } from './crawl.ts';
import type { Change, Store } from './store.ts';

/** Limits of one transaction: places, records, and characters of drafts. Each takes some 10 ms to write. */
const places = 500;
const records = 200;
const weight = 125_000;

/** Weight of a draft besides its values, in characters. */
const draftWeight = 625;

/** The rest of a step, for the commit that ends it. */
export interface StepLeft {
  /**
   * The step with the drafts and places that are not written yet; without `unmodified` when all records are verified.
   */
  readonly ops: StepOps;
  /** Changes of the parts that are written. */
  readonly counts: ChangeCounts;
  /** Names of the fields that the written parts saw. */
  readonly fields: ReadonlySet<string>;
  /** Numbers of the records of the parts that are written, in page order. */
  readonly records: readonly number[];
  /** Numbers of those with values that are held, or wait to be confirmed. */
  readonly waiting: readonly number[];
  /** What the scrape says of fields that become empty, with the parts that are written. */
  readonly tally?: EmptiedTally | undefined;
}

/** Names of the fields of drafts whose current values were seen. */
export function verifiedFields(
  drafts: StepOps['drafts'],
  { unverified }: Pick<Observed, 'unverified'>,
): ReadonlySet<string> {
  const fields = new Set(drafts.flatMap((draft) => Object.keys(draft.fields)));
  for (const field of unverified ?? []) fields.delete(field);
  return fields;
}

/** How a scrape asks for the pages that items lead to. */
export function askingOf(scrape: ScrapeRow | undefined): ItemAsking | undefined {
  return scrape && { startedAt: scrape.startedAt, version: scrape.version, isFull: scrape.wish?.full === true };
}

/** Whether a step is too large for one transaction, which would hold up all other commits. */
export function hasParts(store: Store, { target }: Fence, { unmodified, drafts, crawl }: StepOps): boolean {
  if ((crawl?.add.length ?? 0) > places) return true;
  if (unmodified === 'target') return store.records.countOfTarget(target, records + 1) > records;
  return drafts.length > records || slicesOf(drafts).length > 1;
}

/**
 * Writes most of a step in several transactions, each of which checks the fence, and returns the rest; `undefined` when
 * the fence no longer holds. The step counts as made, and its place leaves the frontier, only when the rest is written
 * with the step's row. A step that is made again finds its first records confirmed and its first places met, so it
 * tells nothing twice. Rejects with `StoreFullError` when the store has no room.
 */
export async function writeParts(
  store: Store,
  fence: Fence,
  ops: StepOps,
  { holds, doubts }: { readonly holds: Holds; readonly doubts?: Doubts | undefined },
): Promise<StepLeft | undefined> {
  const linked = await addPlaces(store, fence, ops, holds);
  if (linked === undefined) return undefined;
  return ops.unmodified === 'target'
    ? verifyParts(store, fence, linked, holds)
    : observeParts(store, fence, linked, holds, doubts);
}

/** The target, read within a transaction; `undefined` when the fence does not hold. */
type Holds = () => TargetRow | undefined;

async function addPlaces(store: Store, fence: Fence, ops: StepOps, holds: Holds): Promise<StepOps | undefined> {
  const { crawl } = ops;
  if (crawl === undefined) return ops;
  let { add } = crawl;
  while (add.length > places) {
    const some = add.slice(0, places);
    const done = await part(store, holds, () => applyCrawl(store, fence.target, { add: some }));
    if (done === undefined) return undefined;
    add = add.slice(places);
  }
  return { ...ops, crawl: { ...crawl, add } };
}

async function observeParts(
  store: Store,
  fence: Fence,
  ops: StepOps,
  holds: Holds,
  doubts: Doubts | undefined,
): Promise<StepLeft | undefined> {
  const { log, observedAt, digest, since, item, guards } = ops;
  const scrape = store.scrapes.get(fence.scrape);
  const asking = askingOf(scrape);
  let tally = scrape?.emptied;
  let { draftsBefore = 0 } = ops;
  let counts = noChanges;
  const records: number[] = [];
  const waiting: number[] = [];
  const unverified = new Set<string>();
  const slices = slicesOf(ops.drafts);
  const last = slices.pop() ?? [];
  for (const slice of slices) {
    const sighting = {
      ...{
        scrape: fence.scrape,
        version: scrape?.version ?? '',
        url: log.url,
        observedAt,
        digest,
        draftsBefore,
        since,
      },
      ...{ asking, isItemPage: item !== undefined, guards, tally, doubts },
    };
    const found = await part(store, holds, (target, change) => observe(store, change, { target, ...sighting }, slice));
    if (found === undefined) return undefined;
    counts = sumOf(counts, found.counts);
    records.push(...found.records);
    waiting.push(...(found.waiting ?? []));
    for (const field of found.unverified ?? []) unverified.add(field);
    ({ tally } = found);
    draftsBefore += slice.length;
  }
  const fields = verifiedFields(slices.flat(), { unverified });
  return { ops: { ...ops, drafts: last, draftsBefore }, counts, fields, records, waiting, tally };
}

async function verifyParts(store: Store, fence: Fence, ops: StepOps, holds: Holds): Promise<StepLeft | undefined> {
  const sighting = { scrape: fence.scrape, at: ops.observedAt };
  const fields = new Set<string>();
  let counts = noChanges;
  let after: number | undefined;
  do {
    const from = after;
    const found = await part(store, holds, (target) => {
      const { copy } = target;
      if (from === undefined && copy !== undefined) {
        store.targets.put({ ...target, copy: partlyVerified(copy, ops.observedAt) });
      }
      return verify(store, target, sighting, { limit: records, after: from });
    });
    if (found === undefined) return undefined;
    counts = sumOf(counts, found.counts);
    for (const field of found.fields) fields.add(field);
    after = found.last;
  } while (after !== undefined);
  const { unmodified: _, ...left } = ops;
  return { ops: left, counts, fields, records: [], waiting: [] };
}

function part<T>(store: Store, holds: Holds, run: (target: TargetRow, change: Change) => T): Promise<T | undefined> {
  return store.write((change) => {
    const target = holds();
    if (target === undefined) return undefined;
    return run(target, change);
  });
}

/** Drafts in page order, divided by what one transaction may write. */
export function slicesOf(drafts: readonly RecordDraft[]): (readonly RecordDraft[])[] {
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

/** Weight of a value: about the characters of its JSON. */
function weightOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 10;
  return Object.values(value).reduce<number>((sum, each) => sum + weightOf(each) + 20, 0);
}
