import { defined } from '../defined.ts';
import type { RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import { fewRecords, type Guards, isEmptyValue } from '../health/guard.ts';
import type { HeldValue, HistoryView, RecordView } from '../view/record.ts';
import type { Doubts } from './doubts.ts';
import { type EmptiedFields, findEmptied } from './emptied-fields.ts';
import type { DraftGuards, GuardedFields } from './guarded-draft.ts';
import { massOf, tellReleased } from './holds.ts';
import type { KnownRecords } from './known-records.ts';
import type { Observed } from './observe.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';
import { hasTrouble } from './tickets.ts';
import type { HoldPlace, MassHold } from './tables/holds.ts';
import type { EmptiedTally, TargetRow } from './tables/rows.ts';

/** The page on which drafts were seen whose fields are guarded. */
interface GuardedPage {
  readonly target: TargetRow;
  readonly scrape: number;
  readonly observedAt: number;
  readonly guards: Guards;
  /** Counts of the earlier pages of the scrape. */
  readonly tally?: EmptiedTally | undefined;
  /** Fields whose values are not believed. */
  readonly doubts?: Doubts | undefined;
}

/** Examples that an event of held values names, at most. */
const mostExamples = 20;

/** The number of held jumps of a field on a target from which on none of them is a single one: a second look no longer releases them. */
const manyJumps = fewRecords;

/** A value of a record that is held, as an event tells it. */
interface Example {
  readonly type: string;
  readonly key: string;
  readonly old?: Value;
  readonly new: Value;
}

/** The values of one field that a page has held. */
interface NewlyHeld {
  readonly place: HoldPlace;
  readonly kind: HeldValue['kind'];
  count: number;
  readonly examples: Example[];
}

/**
 * Guards the records of one page: says which guards each draft has, stores which values are held or no longer held, and tells it at the end. An instance
 * serves one page within one transaction.
 */
export class PageGuard {
  readonly #store: Store;
  readonly #change: Change;
  readonly #page: GuardedPage;
  readonly #emptied: EmptiedFields;
  /** What the page held, by kind, type and field. */
  readonly #newlyHeld = new Map<string, NewlyHeld>();
  /** Records that show a believed value again where an unusual one was held, by the place of the hold. */
  readonly #back = new Map<string, { readonly place: HoldPlace; readonly count: number }>();
  /** Names of fields, by what was seen of them on some record. */
  readonly #fields = { held: new Set<string>(), candidate: new Set<string>(), verified: new Set<string>() };
  /** Numbers of records of which another look is wanted. */
  readonly #waiting: number[] = [];
  /** Known records by type, and those of them that became empty by type and field. */
  readonly #counts = { known: new Map<string, number>(), emptied: new Map<string, number>() };
  /** Whether no ticket says that what the source gives is unusual; `undefined` until it is asked. */
  #isSourceSound: boolean | undefined;

  constructor(
    store: Store,
    change: Change,
    page: GuardedPage,
    { drafts, known }: { readonly drafts: readonly RecordDraft[]; readonly known: KnownRecords },
  ) {
    this.#store = store;
    this.#change = change;
    this.#page = page;
    const { target, guards, tally } = page;
    this.#emptied = findEmptied(drafts, { store, target, guards, tally, knownOf: (draft) => known.read(draft) });
  }

  /** Returns the guards of drafts of a type; `undefined` where nothing guards them. */
  guardsOf(type: string): DraftGuards | undefined {
    const { guards, doubts } = this.#page;
    const own = Object.hasOwn(guards.fields, type) ? guards.fields[type] : undefined;
    const [emptied, doubted] = [this.#emptied.get(type), doubts?.get(type)];
    if (own === undefined && emptied === undefined && doubted === undefined) return undefined;
    return { fields: own, emptied, doubted, isBelieved: (field) => this.#isBelieved(type, field) };
  }

  /** Stores the effects of an observation on the guarded fields of a record. The record itself is stored already. */
  keep(record: RecordView, { held, ended, seen }: GuardedFields, projects: readonly string[]): void {
    const { target } = this.#page.target;
    // Another value of a record that is held already: the hold has counted the record.
    const again = new Set(
      ended.flatMap(({ field, held: { kind, target: of } }) =>
        kind !== 'jump' && of === target && held.some((each) => each.field === field && each.held.kind !== 'jump')
          ? [field]
          : [],
      ),
    );
    for (const { field, held: value, by, old } of ended) {
      if (by === 'look') tellReleased(this.#change, record, field, { held: value, old }, projects);
      this.#end(record, field, value, { by, isAgain: again.has(field) });
    }
    for (const { field, held: value, old } of held)
      this.#hold(record, { field, value, old, isAgain: again.has(field) });
    for (const [field, state] of seen) {
      this.#fields[state === 'ignored' ? 'held' : state].add(field);
      if (state === 'ignored') this.#keepRejection(this.#placeOf(record, field));
    }
    const isUnverified = Array.from(seen.values()).some((state) => state !== 'verified');
    // A page that is unchanged would be no sight of the current value, so candidates would wait for ever.
    if (isUnverified || record.candidates !== undefined) this.#waiting.push(record.record);
  }

  /** Counts a known record and those of its fields that have become empty, for the later pages of the scrape. */
  count(type: string, changes: HistoryView['fields'] = {}): void {
    increment(this.#counts.known, type);
    for (const [field, { old, new: now }] of Object.entries(changes))
      if (old !== undefined && isEmptyValue(now) && !isEmptyValue(old))
        increment(this.#counts.emptied, `${type}.${field}`);
  }

  /** Emits the events of the values that the page held, and returns what the page showed. To be called after the last draft. */
  finish(): Pick<Observed, 'unverified' | 'waiting' | 'tally'> {
    this.#addBack();
    this.#tellHeld();
    const { known, emptied } = this.#page.tally ?? {};
    const tally = { known: sums(known, this.#counts.known), emptied: sums(emptied, this.#counts.emptied) };
    const { held, candidate, verified } = this.#fields;
    // A page on which one record shows the current value of a field verifies it, unless another value is held.
    const unverified = new Set([...held, ...[...candidate].filter((field) => !verified.has(field))]);
    return { unverified, waiting: this.#waiting, tally };
  }

  /** Whether a jump is believed on a second look: it is a single one, and what its source gives is not unusual. */
  #isBelieved(type: string, field: string): boolean {
    const { source } = this.#page.target;
    this.#isSourceSound ??= !hasTrouble(this.#store, source);
    return this.#isSourceSound && this.#store.holds.countOf(this.#placeOf({ type }, field), manyJumps) < manyJumps;
  }

  #hold(
    record: RecordView,
    {
      field,
      value: { kind, value },
      old,
      isAgain,
    }: {
      readonly field: string;
      readonly value: HeldValue;
      readonly old: Value | undefined;
      readonly isAgain: boolean;
    },
  ): void {
    const { type, key } = record;
    const place = this.#placeOf(record, field);
    this.#store.holds.add({ ...place, record: record.record });
    if (isAgain && massOf(this.#store, place) !== undefined) return;
    const name = `${kind} ${type} ${field}`;
    const newly = this.#newlyHeld.get(name) ?? { place, kind, count: 0, examples: [] };
    this.#newlyHeld.set(name, newly);
    newly.count += 1;
    if (newly.examples.length < mostExamples) newly.examples.push({ type, key, ...defined({ old }), new: value });
  }

  /** Tells the values that the page held. Empty values of a field are told at the first page that holds some. */
  #tellHeld(): void {
    const { target, scrape } = this.#page;
    for (const { place, kind, count, examples } of this.#newlyHeld.values()) {
      if (kind === 'empty' && !this.#addEmpty(place, count)) continue;
      if (kind === 'unusual' && !this.#addUnusual(place, count)) continue;
      const data = { kind, record: place.type, field: place.field, count, examples };
      this.#change.tell({ type: 'value.held', ...subjectsOf(target), ...(scrape > 0 && { scrape }), data });
    }
  }

  /** Adds empty values of a field to those that are held together. Returns whether they are the first. */
  #addEmpty(place: HoldPlace, count: number): boolean {
    const { observedAt, scrape } = this.#page;
    const before = this.#store.holds.mass(place);
    this.#store.holds.putMass(
      place,
      before === undefined
        ? { kind: 'empty', state: 'held', since: observedAt, scrape, lastScrape: scrape, count }
        : { ...before, lastScrape: Math.max(before.lastScrape, scrape), ...withMore(before, count) },
    );
    return before === undefined;
  }

  /** Adds values of a field that is not believed to those that are held together. Returns whether they are the first. */
  #addUnusual(place: HoldPlace, count: number): boolean {
    const found = massOf(this.#store, place);
    if (found === undefined) return false;
    const { scrape } = this.#page;
    const lastScrape = Math.max(found.row.lastScrape, scrape);
    this.#store.holds.putMass(found.place, { ...found.row, lastScrape, ...withMore(found.row, count) });
    return found.row.count === 0 || found.row.of === 'odd';
  }

  /** Ends the hold of a value: a second look has released it, or its source shows another one. */
  #end(
    { source, type, record }: RecordView,
    field: string,
    held: HeldValue,
    { by, isAgain }: { readonly by: 'look' | 'source'; readonly isAgain: boolean },
  ): void {
    const place = { source, target: held.target, type, field };
    this.#store.holds.remove({ ...place, record });
    if (held.kind === 'jump') this.#tellEnd(place, 'jump', 1, by);
    else if (isAgain) return;
    else if (held.kind === 'empty') this.#countRecovered(place);
    else {
      this.#back.set(JSON.stringify(place), { place, count: (this.#back.get(JSON.stringify(place))?.count ?? 0) + 1 });
      // Odd values are of single pages, each of which tells its own.
      if (massOf(this.#store, place)?.row.of === 'odd') this.#tellEnd(place, held.kind, 1, by);
    }
  }

  /** Counts the records of unusual fields that show a believed value again. */
  #addBack(): void {
    for (const { place, count } of this.#back.values()) {
      const found = massOf(this.#store, place);
      if (found?.row.kind === 'unusual')
        this.#store.holds.putMass(found.place, {
          ...found.row,
          back: Math.min(found.row.count, (found.row.back ?? 0) + count),
        });
    }
  }

  /** Counts a record that shows a value again where many were empty. Once more than half of them do, their hold ends. */
  #countRecovered(place: HoldPlace): void {
    const hold = this.#store.holds.mass(place);
    // What a ticket holds ends with the ticket.
    if (hold?.state !== 'held' || hold.kind !== 'empty') return;
    const back = (hold.back ?? 0) + 1;
    if (2 * back <= hold.count) return this.#store.holds.putMass(place, { ...hold, back });
    this.#store.holds.removeMass(place);
    this.#tellEnd(place, 'empty', hold.count, 'source');
  }

  /** Keeps the rejection of empty values for this scrape, as the field is still empty. */
  #keepRejection(place: HoldPlace): void {
    const hold = this.#store.holds.mass(place);
    const { scrape } = this.#page;
    if (hold !== undefined && hold.lastScrape < scrape)
      this.#store.holds.putMass(place, { ...hold, lastScrape: scrape });
  }

  #tellEnd(
    { target, type: record, field }: HoldPlace,
    kind: HeldValue['kind'],
    count: number,
    by: 'look' | 'source',
  ): void {
    const subjects = subjectsOf(this.#store.targets.get(target) ?? this.#page.target);
    const data = { kind, record, field, count };
    if (by === 'look') this.#change.tell({ type: 'value.released', ...subjects, data: { ...data, by } });
    else this.#change.tell({ type: 'value.rejected', ...subjects, data: { ...data, by } });
  }

  #placeOf({ type }: Pick<RecordView, 'type'>, field: string): HoldPlace {
    const { source, target } = this.#page.target;
    return { source, target, type, field };
  }
}

/** The counts of a hold on more records. Those that showed another value meanwhile are counted already. */
function withMore({ count, back = 0 }: MassHold, more: number): Pick<MassHold, 'count' | 'back'> {
  const again = Math.min(back, more);
  return { count: count + more - again, ...(back > 0 && { back: back - again }) };
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function sums(
  before: Readonly<Record<string, number>> = {},
  counts: ReadonlyMap<string, number>,
): Record<string, number> {
  const all = { ...before };
  for (const [name, count] of counts) all[name] = (all[name] ?? 0) + count;
  return all;
}
