import { verifiedFields } from './commit-parts.ts';
import type { KnownRecords } from './known-records.ts';
import { noChanges, observe, type Observed, type Sighting, sumOf, verify } from './observe.ts';
import type { StepOps } from './ops.ts';
import { findOther } from './other-record.ts';
import { seePage, verifyPage } from './pages.ts';
import type { Change, Store } from './store.ts';
import type { OtherRow } from './tables/runs.ts';

/** What a step has seen. */
interface Found extends Observed {
  readonly fields: ReadonlySet<string>;
}

/** What a step has seen, and its log, which says what of that is not stored. */
interface SeenByStep {
  readonly found: Found;
  readonly log: StepOps['log'];
  /** Whether a record of its page waits for another look. */
  readonly isWithheld: boolean;
}

const noFields: ReadonlySet<string> = new Set();

/** What the log of a step says of a record that it does not store. */
const withheldNote =
  'the page shows another record in place of the one that it had shown: it is told once the page shows it again';

/**
 * Stores what a step has seen, but for another record that stands in the place of the known one.
 *
 * @param mayBeOther - whether the page is one of a crawl, or all of its target.
 */
export function observeStep(
  store: Store,
  change: Change,
  sighting: Sighting & { readonly known: KnownRecords },
  { ops, mayBeOther }: { readonly ops: StepOps; readonly mayBeOther: boolean },
): SeenByStep {
  const { target, scrape, known } = sighting;
  const { isWithheld, earlier } = mayBeOther
    ? findOther(store, { target, scrape, ops, known })
    : { isWithheld: false, earlier: undefined };
  const before = earlier && observeEarlier(store, change, sighting, earlier);
  const found = foundBy(store, change, sighting, isWithheld ? { ...ops, drafts: [] } : ops);
  const log = isWithheld ? { ...ops.log, notes: [...(ops.log.notes ?? []), withheldNote] } : ops.log;
  if (before === undefined) return { found, log, isWithheld };
  const all = { counts: sumOf(before.counts, found.counts), records: [...before.records, ...found.records] };
  return { found: { ...found, ...all }, log, isWithheld };
}

/** Stores a record that waited for another look, as of when it was seen. */
function observeEarlier(
  store: Store,
  change: Change,
  { digest: _later, ...sighting }: Sighting,
  { draft, ...seen }: OtherRow,
): Observed {
  return observe(store, change, { ...sighting, ...seen }, [draft]);
}

/** Stores what a step has seen: the drafts of its page, or that its page is unchanged. */
function foundBy(store: Store, change: Change, sighting: Sighting, { unmodified, drafts }: StepOps): Found {
  const { target, scrape, url, observedAt: at } = sighting;
  if (unmodified === 'target') return { ...verify(store, target, { scrape, at }), records: [] };
  if (unmodified === undefined) {
    const observed = observe(store, change, sighting, drafts);
    return { ...observed, fields: verifiedFields(drafts, observed) };
  }
  if (unmodified === 'listed') {
    seePage(store, target.target, scrape, url);
    return { counts: noChanges, records: [], fields: noFields };
  }
  const { records, fields } = verifyPage(store, { target: target.target, scrape, url, at });
  const copy = store.copies.get(target.target, url);
  if (copy !== undefined) store.copies.put(target.target, url, { ...copy, readAt: at });
  return { counts: { ...noChanges, confirmed: records.length }, records: [], fields };
}
