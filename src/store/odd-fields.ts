import type { RecordDraft } from '../extract/draft.ts';
import type { Value } from '../extract/value/value.ts';
import { type Baseline, hadAny } from '../health/baseline.ts';
import type { Guards } from '../health/guard.ts';
import { type ReadBy, rulesSince } from '../health/last-reading.ts';
import { isCommon, isLasting, type Oddity, oddityOf } from '../health/odd-value.ts';
import type { RecordView } from '../view/record.ts';
import type { Symptom } from '../view/symptom.ts';
import { type Doubt, type Doubts, isHeld } from './doubts.ts';
import type { KnownRecords } from './known-records.ts';
import { hasFewTargets } from './round.ts';
import { sameValue } from './same-value.ts';
import type { Store } from './store.ts';
import type { HoldPlace } from './tables/holds.ts';
import type { TargetRow } from './tables/rows.ts';

/** A page of few records that is about to be stored. */
interface OddPage {
  readonly target: TargetRow;
  /** The definition by which it was read. */
  readonly by: ReadBy;
  /** The number of the scrape; 0 for a pulse or a re-check. */
  readonly scrape: number;
  readonly at: number;
  readonly guards: Guards;
  readonly drafts: readonly RecordDraft[];
  readonly known: KnownRecords;
}

/** The fields of a page whose odd values are held, and what is a symptom by itself as another look has shown it. */
export interface OddFields {
  readonly fields: Doubts;
  readonly symptoms: readonly Symptom[];
}

/**
 * Looks for values of a page of few records that are odd beside the known ones: too few to be judged alone, these would be told before their round is. A value is
 * not odd where healthy rounds of the source had such ones, or where another rule has read the known one. Stores that odd values of the fields are held until the round is over.
 */
export function findOdd(store: Store, page: OddPage): OddFields {
  const { target, drafts, known, guards } = page;
  const { source } = target;
  const found = new Map<string, Map<string, Doubt>>();
  const symptoms: Symptom[] = [];
  let baseline: Baseline | undefined;
  const isSame = rulesSince(store.runs.readings.get(target.target), page.by);
  for (const draft of drafts) {
    const record = known.read(draft);
    if (record === undefined) continue;
    const isAltered = drafts.length === 1 && isAnother(store, target, record, draft);
    for (const [field, value] of Object.entries(draft.fields)) {
      const isKnown = Object.hasOwn(record.fields, field) && isSame(draft.type, field);
      const cell = isKnown ? record.fields[field] : undefined;
      const oddity = cell && (isAltered && !sameValue(cell.value, value) ? 'altered' : oddityOf(cell.value, value));
      if (oddity === undefined || !isHeld(guards, draft.type, field, oddity === 'emptied' ? 'empty' : 'any')) continue;
      const place = { source, target: 0, type: draft.type, field };
      baseline ??= store.runs.baselines.get([source, 0])?.baseline;
      const own = store.holds.mass({ ...place, target: target.target });
      if (own?.ticket !== undefined && own.kind === 'unusual' && isLasting(oddity, value)) {
        symptoms.push(symptomOf(draft.type, field, oddity));
        continue;
      }
      const doubt = doubtIn(store, place, { page, oddity, value, baseline });
      if (doubt === undefined) continue;
      found.set(draft.type, (found.get(draft.type) ?? new Map<string, Doubt>()).set(field, doubt));
      if (isLasting(oddity, value) && isSeenAgain(store, page, record, field))
        symptoms.push(symptomOf(draft.type, field, oddity));
    }
  }
  return { fields: found, symptoms };
}

/** Adds fields whose odd values are held to doubts, which have precedence. */
export function withOdd(doubts: Doubts | undefined, odd: Doubts): Doubts | undefined {
  if (odd.size === 0) return doubts;
  const all = new Map(odd);
  for (const [type, fields] of doubts ?? []) {
    const others = [...fields].filter(([, { of }]) => of !== 'odd');
    all.set(type, new Map([...(odd.get(type) ?? []), ...others]));
  }
  return all;
}

function symptomOf(record: string, field: string, measure: Oddity): Symptom {
  return { kind: 'values', record, field, measure, observed: 1, of: 1 };
}

/** The doubt of a field in which a page has an odd value; `undefined` for one that is usual. */
function doubtIn(
  store: Store,
  place: HoldPlace,
  {
    page: { scrape, at },
    oddity,
    value,
    baseline,
  }: {
    readonly page: OddPage;
    readonly oddity: Oddity;
    readonly value: Value;
    readonly baseline: Baseline | undefined;
  },
): Doubt | undefined {
  const { holds, runs } = store;
  const row = holds.mass(place);
  if (row !== undefined && (row.kind !== 'unusual' || row.of !== 'odd' || row.isOver === true)) return undefined;
  const known = new Set(row?.odd?.kinds);
  const measure = { name: oddity, record: place.type, field: place.field };
  const isUsual = (): boolean => hadAny(baseline, measure) ?? isCommon(oddity, value);
  if (!known.has(oddity) && oddity !== 'altered' && isUsual()) return undefined;
  if (oddity !== 'altered') known.add(oddity);
  const round = runs.rounds.get(place.source);
  const odd = { kinds: [...known], foundAfter: round?.tally.scrapes ?? 0 };
  const since = Math.min(round?.startedAt ?? at, at);
  holds.putMass(place, {
    kind: 'unusual',
    of: 'odd',
    state: row?.state ?? 'held',
    since: row?.since ?? since,
    scrape: row?.scrape ?? scrape,
    lastScrape: scrape,
    count: row?.count ?? 0,
    odd,
  });
  if (row?.state === 'released') return undefined;
  const kinds = oddity === 'altered' ? new Set([oddity]) : known;
  return { of: 'odd', becomes: row?.state === 'rejected' ? 'ignored' : 'held', kinds };
}

/** Whether a value of a field was held before, by another scrape, and its round does not say soon whether others show such values. */
function isSeenAgain(store: Store, { target, scrape }: OddPage, { held = {} }: RecordView, field: string): boolean {
  const before = Object.hasOwn(held, field) ? held[field] : undefined;
  if (before?.kind !== 'unusual' || scrape === 0 || before.scrape === scrape) return false;
  const round = store.runs.rounds.get(target.source);
  return hasFewTargets(store, target.source) || (round !== undefined && before.observedAt >= round.startedAt);
}

/** The least number of characters of a text that tells one record from another. */
const leastText = 4;

/** Whether all texts of a record are others at once, none of which has ever changed. */
function isAnother(
  { records }: Store,
  { target }: TargetRow,
  { record, fields, firstSeenAt }: RecordView,
  draft: RecordDraft,
): boolean {
  const texts = Object.entries(fields).flatMap(([name, { value, observedAt }]) => {
    const now = draft.fields[name];
    const isText = typeof value === 'string' && value.length >= leastText && value !== draft.key;
    return isText && typeof now === 'string' ? [{ isOther: value !== now, isFirst: observedAt === firstSeenAt }] : [];
  });
  if (texts.length < 2 || !texts.every(({ isOther, isFirst }) => isOther && isFirst)) return false;
  const seen = records.seenByNumber(target, record);
  return seen !== undefined && seen.first < seen.last;
}
