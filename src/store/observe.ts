import type { RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import type { ChangeCounts } from '../view/fields.ts';
import type { EmptiedTally, PageCopy, TargetRow } from './tables/rows.ts';
import type { Evidence, FieldCell, HistoryView, RecordView } from '../view/record.ts';
import type { Change, Store } from './store.ts';
import { projectsOf } from '../schedule/watchers.ts';
import type { Guards } from '../health/guard.ts';
import { type DraftGuards, type GuardedFields, guardedDraft } from './guarded-draft.ts';
import type { Doubts } from './doubts.ts';
import { KnownRecords } from './known-records.ts';
import { PageGuard } from './page-guard.ts';
import { sameValue } from './same-value.ts';
import { defined } from '../defined.ts';
import { type ItemAsking, leadToPage } from './item-pages.ts';
import { moveLinks } from './entities.ts';
import { moveFiles } from './files.ts';
import { moveAges } from './record-ages.ts';
import type { RecordSlice } from './tables/records.ts';

/** The counts of a commit without records. */
export const noChanges: ChangeCounts = { added: 0, changed: 0, confirmed: 0 };

/** The target, scrape and page on which drafts were seen. */
export interface Sighting {
  readonly target: TargetRow;
  /** Number of the scrape; 0 for a pulse or a re-check. */
  readonly scrape: number;
  /** Set for a re-check. */
  readonly recheck?: true | undefined;
  /** The version of the definition by which the page was read. */
  readonly version: string;
  /** Address of the page. */
  readonly url: string;
  readonly observedAt: number;
  /** The digest of the page, as evidence of what it changes. */
  readonly digest?: string | undefined;
  /** Drafts that the walk found before these. Default: 0. */
  readonly draftsBefore?: number | undefined;
  /** The scrape that began the walk. Default: this scrape. */
  readonly since?: number | undefined;
  /** How the pages are asked for that the drafts' items lead to. Missing where the drafts name none. */
  readonly asking?: ItemAsking | undefined;
  /** Set for drafts of a page that items lead to: they say more of records that are known, and show none of them in a list. */
  readonly isItemPage?: boolean;
  /** What guards the values of the source. Default: nothing does. */
  readonly guards?: Guards | undefined;
  /** What the earlier pages of the scrape say of fields that become empty. */
  readonly tally?: EmptiedTally | undefined;
  /** Fields whose values are not believed. Only values of a source with guards are held. */
  readonly doubts?: Doubts | undefined;
  /** The known records that were read before. */
  readonly known?: KnownRecords | undefined;
}

/**
 * Places in the order of records per scrape: more than one scrape has drafts, and few enough for all scrapes to come.
 * Drafts of a longer walk share the last place.
 */
const draftsPerScrape = 2 ** 21;

/**
 * The place in the order of all records of a record that this scrape adds. `index` counts the drafts of the walk in
 * page order, from 0.
 */
export function sequenceOf(scrape: number, index: number): number {
  // Lists begin with what is newest.
  return (scrape + 1) * draftsPerScrape - 1 - Math.min(index, draftsPerScrape - 1);
}

/** The changes of drafts that were stored, and the numbers of their records in page order. */
export interface Observed {
  readonly counts: ChangeCounts;
  readonly records: readonly number[];
  /** Names of fields that the drafts have and whose current values were not seen: others are held, or wait to be confirmed. */
  readonly unverified?: ReadonlySet<string>;
  /** Numbers of the records with such fields. */
  readonly waiting?: readonly number[];
  /** What the scrape's pages up to this one say of fields that become empty. */
  readonly tally?: EmptiedTally;
}

/** Stores drafts as records in page order, with history and events. To be called within a transaction. */
export function observe(store: Store, change: Change, sighting: Sighting, drafts: readonly RecordDraft[]): Observed {
  const { target, scrape, recheck, version, url, observedAt, digest, draftsBefore = 0, since = scrape } = sighting;
  const { asking, isItemPage = false, guards, tally, doubts } = sighting;
  const evidence = { target: target.target, scrape, version, ...defined({ recheck, page: digest }) };
  const counts = { added: 0, changed: 0, confirmed: 0 };
  const records: number[] = [];
  const { source } = target;
  const isListed = asking !== undefined && !isItemPage;
  const projects = projectsOf(target);
  const hasFiles = store.files.fieldsOf(source) !== undefined;
  const { known: knownRecords = new KnownRecords(store, source) } = sighting;
  const seenOf = { target, scrape, observedAt, tally, doubts };
  const guard = guards && new PageGuard(store, change, { ...seenOf, guards }, { drafts, known: knownRecords });

  for (const [index, draft] of drafts.entries()) {
    const known = knownRecords.take(draft);
    // It may have been removed since its list showed it.
    if (isItemPage && known === undefined) continue;
    const sequence = sequenceOf(since, draftsBefore + index);
    const seen = {
      source,
      evidence,
      url: draft.url ?? url,
      sequence,
      observedAt,
      at: change.at,
      isItemPage,
      isListed,
    };
    const id = known?.id ?? store.newId();
    const found = difference(known, draft, { ...seen, id, guards: guard?.guardsOf(draft.type) });
    if (found.kind === 'stale') {
      // Another target has said something newer, but this one has seen it as well.
      if (known === undefined) continue;
      if (!isItemPage) store.records.see(known.record, { target: target.target, scrape });
      records.push(known.record);
      continue;
    }
    // What its own page adds to a record that the same scrape has added is no change of it.
    const isOfAdded = isItemPage && known !== undefined && known.firstSeenAt >= (asking?.startedAt ?? Infinity);
    if (!isOfAdded) counts[found.kind] += 1;
    const stored = known === undefined ? store.records.add(found.row) : { ...found.row, record: known.record };
    if (isItemPage) store.records.putPage(stored, found.kind === 'changed');
    else if (known !== undefined) {
      const write = found.kind === 'changed' ? store.records.put : store.records.confirm;
      write(stored, { target: target.target, scrape });
    }
    moveAges(store, stored, known, stored);
    // Also where nothing has changed, as the definition may have.
    if (hasFiles) moveFiles(store, change, stored, stored.fields);
    if (isListed && (stored.page ?? known?.page) !== undefined)
      leadToPage(store, target.target, { record: stored, before: known, isSame: found.kind === 'confirmed' }, asking);
    records.push(stored.record);
    if (found.guarded !== undefined) guard?.keep(stored, found.guarded, projects);
    if (guard !== undefined && known !== undefined)
      guard.count(draft.type, found.kind === 'changed' ? found.fields : undefined);
    if (found.kind === 'confirmed') continue;
    moveLinks(store, change, stored, { before: known?.fields, after: stored.fields });

    const { kind, fields } = found;
    // What a second look has released is told by itself.
    if (
      known !== undefined &&
      Object.keys(fields).length === 0 &&
      found.guarded !== undefined &&
      known.absent === undefined
    )
      continue;
    const { type, key } = draft;
    const { record } = stored;
    change.tellChange({ record, source, type, key, at: observedAt, ...evidence, kind, fields }, projects);
  }
  return { counts, records, ...guard?.finish() };
}

/** The sum of two counts of changes; `missing` and `gone` are left out where they are 0. */
export function sumOf(one: ChangeCounts, other: ChangeCounts): ChangeCounts {
  return {
    added: one.added + other.added,
    changed: one.changed + other.changed,
    confirmed: one.confirmed + other.confirmed,
    ...optionalSum('missing', one, other),
    ...optionalSum('gone', one, other),
  };
}

function optionalSum(name: 'missing' | 'gone', one: ChangeCounts, other: ChangeCounts): Partial<ChangeCounts> {
  const sum = (one[name] ?? 0) + (other[name] ?? 0);
  return sum === 0 ? {} : { [name]: sum };
}

/** The source, target and page on which a draft was seen, and when. */
export interface Observation {
  readonly source: string;
  /** What its values go back to. */
  readonly evidence: Evidence;
  /** Address of the page. */
  readonly url: string;
  /** The id of a new record. */
  readonly id: string;
  readonly sequence: number;
  /** Instant at which the response head came, by the daemon's clock. */
  readonly observedAt: number;
  /** Instant of the comparison, by the same clock. */
  readonly at: number;
  /** Set where the draft was read from the record's own page. */
  readonly isItemPage?: boolean;
  /** What guards the fields of the record. */
  readonly guards?: DraftGuards | undefined;
  /** Set where the draft was read from a list: its item leads to the page that it names, or to none. */
  readonly isListed?: boolean;
}

/** What guards know of a record that is new. */
const nothingKnown = { fields: {} };

/** A record whose number is left to the store. */
type UnnumberedRecord = Omit<RecordView, 'record'>;

/** The effect of a draft on a record; `stale` when all of its fields are older than what is known. */
export type RecordDifference =
  | {
      readonly kind: 'added' | 'changed';
      readonly row: UnnumberedRecord;
      readonly fields: HistoryView['fields'];
      readonly guarded?: GuardedFields | undefined;
    }
  | { readonly kind: 'confirmed'; readonly row: UnnumberedRecord; readonly guarded?: GuardedFields | undefined }
  | { readonly kind: 'stale' };

/**
 * Compares a draft with the known record, field by field. A field that the draft does not name stays; `null` is a
 * value. The newest observation of a field wins in whatever order the observations come; of two at the same instant,
 * the first.
 */
export function difference(
  known: UnnumberedRecord | undefined,
  draft: RecordDraft,
  observation: Observation,
): RecordDifference {
  const newer: [string, FieldCell][] = [];
  const differing: [string, HistoryView['fields'][string]][] = [];
  const guarded =
    known === undefined && observation.guards?.doubted === undefined
      ? undefined
      : guardedDraft(known ?? nothingKnown, observation);
  for (const [field, value] of Object.entries(draft.fields)) {
    // A field may have any name, also one that every object inherits.
    const old = known !== undefined && Object.hasOwn(known.fields, field) ? known.fields[field] : undefined;
    if (guarded?.has(field, old) === true) {
      const { cell, change } = guarded.observe(field, old, value);
      if (cell !== undefined && cell !== old) newer.push([field, cell]);
      if (change !== undefined) differing.push([field, change]);
      continue;
    }
    const cell = newestCell(old, value, observation);
    if (cell === old) continue;
    newer.push([field, cell]);
    if (old === undefined) differing.push([field, { new: value }]);
    else if (cell.value !== old.value) differing.push([field, { old: old.value, new: value }]);
  }

  const { source, evidence, id, url, sequence, observedAt, isItemPage = false, isListed = false } = observation;
  const { target, scrape } = evidence;
  const page = isListed ? pageAfter(known, draft) : known?.page;
  const { held, candidates, guarded: did } = guarded?.after() ?? { ...known, guarded: undefined };
  if (known === undefined) {
    const { type, key } = draft;
    const seen = { firstSeenAt: observedAt, updatedAt: observedAt, lastScrape: scrape };
    const { precision } = draft;
    const named = { source, type, key, target, id, url, sequence, ...seen };
    const row = { ...named, fields: Object.fromEntries(newer), ...defined({ page, precision, held }) };
    return { kind: 'added', row, fields: Object.fromEntries(differing), ...defined({ guarded: did }) };
  }
  const isLate = observedAt <= known.updatedAt && known.updatedAt <= observation.at;
  if (newer.length === 0 && did === undefined && (isLate || Object.keys(draft.fields).length > 0))
    return { kind: 'stale' };
  const { absent, precision: _old, page: _page, held: _held, candidates: _candidates, ...rest } = known;
  const precision = precisionAfter(known, draft, new Set(newer.map(([field]) => field)));
  const fields = { ...known.fields, ...Object.fromEntries(newer) };
  const isReleased = did?.ended.some(({ by }) => by === 'look') === true;
  if (isItemPage) {
    const read = known.page && { ...known.page, readAt: observedAt };
    const row = { ...rest, fields, ...defined({ absent, precision, page: read, held, candidates }) };
    return differing.length > 0 || isReleased
      ? { kind: 'changed', row, fields: Object.fromEntries(differing), guarded: did }
      : { kind: 'confirmed', row, guarded: did };
  }
  const row = {
    ...rest,
    ...(!isLate && { url, updatedAt: observedAt }),
    lastScrape: Math.max(known.lastScrape, scrape),
    fields,
    ...defined({ precision, page, held, candidates }),
  };
  return differing.length > 0 || isReleased || absent !== undefined
    ? { kind: 'changed', row, fields: Object.fromEntries(differing), guarded: did }
    : { kind: 'confirmed', row, guarded: did };
}

/** The record's own page after an observation of its item. */
function pageAfter(known: UnnumberedRecord | undefined, { page }: RecordDraft): RecordView['page'] {
  if (page === undefined) return undefined;
  return page === known?.page?.url ? known.page : { url: page };
}

/** The precision of a record's values after an observation of newer ones of some fields. */
function precisionAfter(
  { precision: old = {} }: Pick<RecordView, 'precision'>,
  { precision: read = {} }: RecordDraft,
  newer: ReadonlySet<string>,
): RecordView['precision'] {
  const isNewer = (path: string): boolean => newer.has(/^[^.[]+/.exec(path)?.[0] ?? path);
  const all = [
    ...Object.entries(old).filter(([path]) => !isNewer(path)),
    ...Object.entries(read).filter(([path]) => isNewer(path)),
  ];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/**
 * The cell after an observation: `old` itself when the observation is not newer; with the old value object when the
 * values are equal.
 */
function newestCell(old: FieldCell | undefined, value: Value, { observedAt, at }: Observation): FieldCell {
  if (old === undefined) return { value, observedAt, verifiedAt: observedAt };
  // What was seen in the future was seen before the clock was set back.
  if (observedAt <= old.verifiedAt && old.verifiedAt <= at) return old;
  return sameValue(old.value, value)
    ? { ...old, verifiedAt: observedAt }
    : { value, observedAt, verifiedAt: observedAt };
}

/** Cut verifications that a copy remembers. */
const keptPartly = 8;

/** Result of a verified part; `last` is the number of its last record, missing at the end of the records. */
export interface VerifiedPart {
  readonly counts: ChangeCounts;
  /** Names of the fields that were seen on the copy. */
  readonly fields: ReadonlySet<string>;
  readonly last?: number;
}

/**
 * Verifies the fields that were read from a target's copy, because the site said that the copy is unchanged. To be
 * called within a transaction.
 */
export function verify(
  store: Store,
  { target, copy }: TargetRow,
  { scrape, at }: { readonly scrape: number; readonly at: number },
  { after, limit }: RecordSlice = {},
): VerifiedPart {
  if (copy === undefined) return { counts: noChanges, fields: new Set() };
  const rows = [...store.records.ofTarget(target, { after, limit })];
  const seenAt = new Set([copy.observedAt, ...(copy.partlyAt ?? [])]);
  const fields = new Set<string>();
  let confirmed = 0;
  for (const row of rows) {
    const verified = verifyRecord(store, row, seenAt, { target, scrape, at });
    if (verified === undefined) continue;
    confirmed += 1;
    for (const name of verified) fields.add(name);
  }
  const last = rows.length === limit ? rows.at(-1)?.record : undefined;
  return { counts: { ...noChanges, confirmed }, fields, ...defined({ last }) };
}

/**
 * The copy to store before its records are verified in parts: it names the instant, so that a scrape that follows a cut
 * one recognises the verified fields.
 */
export function partlyVerified(copy: PageCopy, at: number): PageCopy {
  const others = (copy.partlyAt ?? []).filter((each) => each !== at);
  return { ...copy, partlyAt: [...others, at].slice(-keptPartly) };
}

/**
 * Verifies the fields of a record that were last verified at one of the instants `seenAt`. To be called within a transaction. Returns the
 * names of these fields; `undefined` where there are none, and nothing is written.
 *
 * @param scrape - the number of the scrape that verifies them; 0 for none.
 */
export function verifyRecord(
  store: Store,
  record: RecordView,
  seenAt: ReadonlySet<number>,
  { target, scrape, at }: { readonly target: number; readonly scrape: number; readonly at: number },
): readonly string[] | undefined {
  const seen = Object.entries(record.fields).filter(([, { verifiedAt }]) => seenAt.has(verifiedAt));
  if (seen.length === 0) return undefined;
  const cells = seen.map(([name, cell]): [string, FieldCell] => [name, { ...cell, verifiedAt: at }]);
  const fields = { ...record.fields, ...Object.fromEntries(cells) };
  const verified = { ...record, updatedAt: at, lastScrape: Math.max(record.lastScrape, scrape), fields };
  store.records.confirm(verified, { target, scrape });
  moveAges(store, verified, record, verified);
  return seen.map(([name]) => name);
}
