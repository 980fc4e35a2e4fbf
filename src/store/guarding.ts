import type { RecordDraft } from '../extract/draft.ts';
import { fewRecords, type Guards, isEmptyValue, isNearlyAll } from '../health/guard.ts';
import { defined } from '../defined.ts';
import type { DraftGuards, GuardedFields } from './guarded-draft.ts';
import type { HeldValue, HistoryView, RecordView } from '../view/record.ts';
import type { Value } from '../extract/value/value.ts';
import type { EmptiedTally, TargetRow } from './tables/rows.ts';
import type { HoldPlace } from './tables/holds.ts';
import { tellReleased } from './holds.ts';
import type { Observed } from './observe.ts';
import type { Change, Store } from './store.ts';
import { subjectsOf } from './subjects.ts';

/** Where drafts were seen whose fields are guarded. */
interface GuardedSighting {
  readonly target: TargetRow;
  readonly scrape: number;
  readonly observedAt: number;
  readonly guards: Guards;
  /** What the earlier pages of the scrape gave. */
  readonly tally?: EmptiedTally | undefined;
}

/** Examples that an event names. */
const named = 20;

/** Jumps of one field that are held at a time from which on none of them is a single one. */
const manyJumps = fewRecords;

/** Follows what of the drafts of one page is held. To be used within one transaction. */
export class Guarding {
  readonly #held = new Set<string>();
  readonly #candidates = new Set<string>();
  readonly #verified = new Set<string>();
  readonly #waiting: number[] = [];
  readonly #counted = { known: new Map<string, number>(), emptied: new Map<string, number>() };
  readonly #store: Store;
  readonly #change: Change;
  readonly #seen: GuardedSighting;
  readonly #emptied: ReadonlyMap<string, ReadonlyMap<string, 'held' | 'ignored'>>;
  readonly #known = new Map<string, RecordView>();
  readonly #news = new Map<
    string,
    { readonly place: HoldPlace; kind: HeldValue['kind']; count: number; examples: Example[] }
  >();
  #isTrusted: boolean | undefined;

  constructor(store: Store, change: Change, seen: GuardedSighting, drafts: readonly RecordDraft[]) {
    this.#store = store;
    this.#change = change;
    this.#seen = seen;
    this.#emptied = this.#findEmptied(drafts);
  }

  /** Returns a record that was read already, once; a draft with the same key may change it meanwhile. */
  take({ type, key }: RecordDraft): RecordView | undefined {
    if (this.#known.size === 0) return undefined;
    const name = `${type}\0${key}`;
    const known = this.#known.get(name);
    this.#known.delete(name);
    return known;
  }

  /** What guards the fields of drafts of a type; `undefined` where nothing does. */
  of(type: string): DraftGuards | undefined {
    const { fields } = this.#seen.guards;
    const own = Object.hasOwn(fields, type) ? fields[type] : undefined;
    const emptied = this.#emptied.get(type);
    if (own === undefined && emptied === undefined) return undefined;
    return { fields: own, emptied, isBelieved: (field) => this.#isBelieved(type, field) };
  }

  /** Stores what became of the guarded fields of a record, which is stored already. */
  note(record: RecordView, { held, ended, seen }: GuardedFields, projects: readonly string[]): void {
    for (const { field, held: value, by, old } of ended) {
      if (by === 'look') tellReleased(this.#change, record, field, { held: value, old }, projects);
      this.#end(record, field, value, by);
    }
    for (const { field, held: value, old } of held) this.#hold(record, field, value, old);
    const sets = { held: this.#held, ignored: this.#held, candidate: this.#candidates, verified: this.#verified };
    for (const [field, kind] of seen) {
      sets[kind].add(field);
      if (kind === 'ignored') this.#ignore({ ...record, target: this.#seen.target.target, field });
    }
    const isUnverified = Array.from(seen.values()).some((kind) => kind !== 'verified');
    // A page that is unchanged would be no sight of the current value, so candidates would wait for ever.
    if (isUnverified || record.candidates !== undefined) this.#waiting.push(record.record);
  }

  /** Counts a known record, and its fields that have become empty, for the pages to come. */
  count(type: string, changes: HistoryView['fields'] = {}): void {
    add(this.#counted.known, type);
    for (const [field, { old, new: now }] of Object.entries(changes))
      if (old !== undefined && isEmptyValue(now) && !isEmptyValue(old)) add(this.#counted.emptied, `${type}.${field}`);
  }

  /** Tells what is held from now on, and returns what was seen. To be called behind the last draft. */
  done(): Pick<Observed, 'unverified' | 'waiting' | 'tally'> {
    this.#tell();
    const { known, emptied } = this.#seen.tally ?? {};
    const tally = { known: sums(known, this.#counted.known), emptied: sums(emptied, this.#counted.emptied) };
    // A page on which one record shows the value of a field verifies it, unless another value is held.
    const unverified = new Set([...this.#held, ...[...this.#candidates].filter((field) => !this.#verified.has(field))]);
    return { unverified, waiting: this.#waiting, tally };
  }

  #tell(): void {
    const { target, scrape } = this.#seen;
    for (const { place, kind, count, examples } of this.#news.values()) {
      if (kind === 'empty' && !this.#count(place, count)) continue;
      this.#change.tell({
        type: 'value.held',
        ...subjectsOf(target),
        ...(scrape > 0 && { scrape }),
        data: { kind, record: place.type, field: place.field, count, examples },
      });
    }
  }

  /** Counts empty values that are held. Returns whether they are the first. */
  #count(place: HoldPlace, count: number): boolean {
    const { observedAt, scrape } = this.#seen;
    const before = this.#store.holds.mass(place);
    this.#store.holds.putMass(
      place,
      before === undefined
        ? { kind: 'empty', state: 'held', since: observedAt, scrape, lastScrape: scrape, count }
        : { ...before, lastScrape: Math.max(before.lastScrape, scrape), count: before.count + count },
    );
    return before === undefined;
  }

  #hold(record: RecordView, field: string, { kind, value }: HeldValue, old: Value | undefined): void {
    const { source, type, key } = record;
    const place = { source, target: this.#seen.target.target, type, field };
    this.#store.holds.add({ ...place, record: record.record });
    const name = `${kind} ${type} ${field}`;
    const news = this.#news.get(name) ?? { place, kind, count: 0, examples: [] };
    this.#news.set(name, news);
    news.count += 1;
    if (news.examples.length < named) news.examples.push({ type, key, ...defined({ old }), new: value });
  }

  #end({ source, type, record }: RecordView, field: string, held: HeldValue, by: 'look' | 'source'): void {
    const place = { source, target: held.target, type, field };
    this.#store.holds.remove({ ...place, record });
    const told = by === 'look' ? ({ type: 'value.released', by } as const) : ({ type: 'value.rejected', by } as const);
    if (held.kind === 'jump') this.#tellEnd(place, held.kind, 1, told);
    else this.#recover(place);
  }

  /** Notes that a field is still empty of which a person has said that it is not. */
  #ignore({ source, target, type, field }: HoldPlace): void {
    const place = { source, target, type, field };
    const mass = this.#store.holds.mass(place);
    const { scrape } = this.#seen;
    if (mass !== undefined && mass.lastScrape < scrape)
      this.#store.holds.putMass(place, { ...mass, lastScrape: scrape });
  }

  /** Notes that a record shows a value again of those that were empty; once more than half do, nothing is held of the others. */
  #recover(place: HoldPlace): void {
    const mass = this.#store.holds.mass(place);
    if (mass?.state !== 'held') return;
    const back = (mass.back ?? 0) + 1;
    if (2 * back <= mass.count) return this.#store.holds.putMass(place, { ...mass, back });
    this.#store.holds.removeMass(place);
    this.#tellEnd(place, 'empty', mass.count, { type: 'value.rejected', by: 'source' });
  }

  #tellEnd(
    { target, type: record, field }: HoldPlace,
    kind: HeldValue['kind'],
    count: number,
    told:
      | { readonly type: 'value.released'; readonly by: 'look' }
      | { readonly type: 'value.rejected'; readonly by: 'source' },
  ): void {
    const row = this.#store.targets.get(target) ?? this.#seen.target;
    const { type, by } = told;
    const data = { kind, record, field, count };
    if (type === 'value.released') this.#change.tell({ type, ...subjectsOf(row), data: { ...data, by } });
    else this.#change.tell({ type, ...subjectsOf(row), data: { ...data, by } });
  }

  /** Whether a jump is believed on a second look: few of its kind are held, and no target of the source gives less than it did. */
  #isBelieved(type: string, field: string): boolean {
    const { source, target } = this.#seen.target;
    if (this.#isTrusted === undefined) {
      const doubts = this.#store.doubts.keys({
        from: [source, 0],
        before: [source, Number.MAX_SAFE_INTEGER],
        limit: 1,
      });
      this.#isTrusted = [...doubts].length === 0;
    }
    return this.#isTrusted && this.#store.holds.countOf({ source, target, type, field }, manyJumps) < manyJumps;
  }

  /** The fields, by type, that are empty on nearly all records that had a value in them, on this page and the earlier ones of the scrape. */
  #findEmptied(drafts: readonly RecordDraft[]): ReadonlyMap<string, ReadonlyMap<string, 'held' | 'ignored'>> {
    const found = new Map<string, Map<string, 'held' | 'ignored'>>();
    const { guards, target: row, tally } = this.#seen;
    const empty = emptyOf(drafts, guards);
    if (empty.size === 0) return found;
    const { source, target } = row;
    const masses = [...this.#store.holds.masses(source, target)];
    // Few fields are empty everywhere, and most of these were so before.
    const measure = this.#store.measures.get(target);
    for (const [type, fields] of empty)
      for (const [field, count] of fields) {
        const mass = masses.find(({ place }) => place.type === type && place.field === field)?.row;
        if (mass?.state === 'released') continue;
        const hadNone = measure?.types[type] !== undefined && measure.types[type].fields[field] === undefined;
        if (mass === undefined && (hadNone || !this.#isEmptied(drafts, { type, field, count }, tally))) continue;
        const ofType = found.get(type) ?? new Map<string, 'held' | 'ignored'>();
        ofType.set(field, mass?.state === 'rejected' ? 'ignored' : 'held');
        found.set(type, ofType);
      }
    return found;
  }

  #isEmptied(
    drafts: readonly RecordDraft[],
    { type, field, count }: { readonly type: string; readonly field: string; readonly count: number },
    { known: knownBefore = {}, emptied: emptiedBefore = {} }: EmptiedTally = {},
  ): boolean {
    const before = knownBefore[type] ?? 0;
    let emptied = emptiedBefore[`${type}.${field}`] ?? 0;
    if (emptied + count < fewRecords) return false;
    let [had, known] = [before, before];
    for (const draft of drafts) {
      if (draft.type !== type) continue;
      const record = this.#read(draft);
      if (record === undefined) continue;
      known += 1;
      const cell = Object.hasOwn(record.fields, field) ? record.fields[field] : undefined;
      if (cell === undefined || isEmptyValue(cell.value)) continue;
      had += 1;
      if (Object.hasOwn(draft.fields, field) && isEmptyValue(draft.fields[field] ?? null)) emptied += 1;
    }
    return 2 * had > known && isNearlyAll(emptied, had);
  }

  #read({ type, key }: RecordDraft): RecordView | undefined {
    const name = `${type}\0${key}`;
    const known = this.#known.get(name) ?? this.#store.records.get(this.#seen.target.source, type, key);
    if (known !== undefined) this.#known.set(name, known);
    return known;
  }
}

interface Example {
  readonly type: string;
  readonly key: string;
  readonly old?: Value;
  readonly new: Value;
}

/** How many drafts are empty in each field that may not become empty, by type. */
function emptyOf(drafts: readonly RecordDraft[], guards: Guards): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const counts = new Map<string, Map<string, number>>();
  for (const { type, fields } of drafts)
    for (const field of Object.keys(fields)) {
      if (!isEmptyValue(fields[field] ?? null)) continue;
      const ofType = counts.get(type) ?? new Map<string, number>();
      counts.set(type, ofType);
      const known = ofType.get(field);
      if (known !== undefined) ofType.set(field, known + 1);
      else if (guards.fields[type]?.[field]?.empty ?? guards.empty) ofType.set(field, 1);
    }
  return counts;
}

function add(counts: Map<string, number>, name: string): void {
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
