import type { Element } from 'domhandler';
import { documentKind } from '../extract/document/all.ts';
import type { CompiledRecord } from '../extract/compile.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { type CompiledField, compileRule } from '../extract/rule/compile.ts';
import { evaluate } from '../extract/rule/evaluate.ts';
import type { RecordPlan } from '../extract/rule/plan.ts';
import { placeText } from '../extract/rule/place.ts';
import { JsonSpot, type Spot } from '../extract/rule/spot.ts';
import type { RepairChange, RepairPlace } from '../view/repair.ts';
import { parentOf } from './elements.ts';
import { findItems, type ItemSet } from './find-items.ts';
import { findRecord } from './find-record.ts';
import { identityOf, isRepairable, isTelling, type KnownItem } from './known-values.ts';
import { compiledRecord, type OpenedPage, readSpots, type ReadSpot } from './opened-page.ts';
import { placesText, withoutConstants } from './place-plan.ts';
import { findEach } from './find-each.ts';
import { counted, isRight, rankPlaces, type RankedPlace, readsOf } from './rank-places.ts';

/** The most fields of one record type whose rules are changed together. */
const mostFields = 12;

/** A pair of pages whose trees are built. */
export interface OpenedPair {
  readonly good: OpenedPage;
  readonly bad: OpenedPage;
}

/** A repair of the rules of one record type, in parts. */
export interface RecordRepair {
  readonly each?: RepairChange;
  readonly fields: readonly {
    readonly field: string;
    readonly before: string;
    readonly places: readonly RankedPlace[];
  }[];
  /** How many of the known values are read then. */
  readonly score: number;
}

/** Finds the rules of one record type that are to be changed: that of its records, where these are not found any more, and those of fields. */
export function repairRecord(
  plan: ExtractPlan,
  record: RecordPlan,
  pairs: readonly OpenedPair[],
  named: ReadonlySet<string>,
): RecordRepair | undefined {
  const compiled = compiledRecord(plan, record.type);
  if (compiled === undefined) return undefined;
  const isXml = documentKind(plan.document).view === 'xml';
  const read = pairs.map(({ good, bad }) => ({
    good,
    bad,
    before: readSpots(good, compiled),
    after: readSpots(bad, compiled),
  }));
  const there = read.flatMap(itemsByKey);
  const known = read.reduce((sum, { before }) => sum + before.filter(({ draft }) => draft !== undefined).length, 0);
  if (known === 0) return undefined;
  if (record.each === undefined) {
    const whole = read.flatMap(({ good, bad, before }) => {
      const fields = before[0]?.draft?.fields;
      return fields === undefined ? [] : [itemOf({ good, bad, spot: bad.root, old: good.root, fields })];
    });
    return repairFields(compiled, whole, named, isXml);
  }
  if (2 * there.length >= known) return repairFields(compiled, there, named, isXml);
  const isOfOne = read.every(({ before }) => before.filter(({ draft }) => draft !== undefined).length <= 1);
  if (isOfOne) return repairSingle(compiled, read, named, isXml);
  return repairListed(compiled, read, named, isXml);
}

type ReadPair = OpenedPair & { readonly before: readonly ReadSpot[]; readonly after: readonly ReadSpot[] };

/** Records of the new page that the old rules find by their keys. */
function itemsByKey({ good, bad, before, after }: ReadPair): KnownItem[] {
  const now = new Map(after.flatMap(({ spot, draft }) => (draft === undefined ? [] : [[draft.key, spot] as const])));
  return before.flatMap(({ spot: old, draft }) => {
    const spot = draft && now.get(draft.key);
    return draft === undefined || spot === undefined ? [] : [itemOf({ good, bad, spot, old, fields: draft.fields })];
  });
}

/** Finds the records of a list that moved, and with them their fields. Of several sets of places, the one counts in which most values are found. */
function repairListed(
  compiled: CompiledRecord,
  read: readonly ReadPair[],
  named: ReadonlySet<string>,
  isXml: boolean,
): RecordRepair | undefined {
  const [page] = read.toSorted((one, other) => other.before.length - one.before.length);
  if (page === undefined) return undefined;
  const { plan } = compiled;
  const { good, bad, before } = page;
  let best: RecordRepair | undefined;
  for (const set of findItems(bad, plan, before, isXml)) {
    const items = Array.from(set.items, ([at, spot]): KnownItem[] => {
      const { spot: old, draft } = before[at] ?? {};
      return draft === undefined || old === undefined ? [] : [itemOf({ good, bad, spot, old, fields: draft.fields })];
    }).flat();
    const repaired = repairFields(compiled, items, named, isXml);
    if (repaired === undefined || (best !== undefined && repaired.score <= best.score)) continue;
    if (set.json === undefined && areMatched(compiled, bad, set.items)) {
      best = repaired;
      continue;
    }
    const to = set.json === undefined ? selectorOf(bad, set, isXml) : { json: set.json };
    if (to !== undefined) best = { ...repaired, each: eachChange(plan, to) };
  }
  return best;
}

function selectorOf(page: OpenedPage, { items }: ItemSet, isXml: boolean): RepairPlace | undefined {
  const elements = [...items.values()].filter((spot): spot is Element => !(spot instanceof JsonSpot));
  const css = findEach([{ page, elements }], isXml);
  return css === undefined ? undefined : { css };
}

/** The change of the rule by which the records are found. */
function eachChange({ type, each }: RecordPlan, to: RepairPlace): RepairChange {
  return { record: type, before: each === undefined ? '' : placeText(each), to };
}

/** Pages of one record each of which so many must show it again, as a share. */
const leastPages = 0.6;

/** Finds the records of pages of one record each that moved, and with them their fields. */
function repairSingle(
  compiled: CompiledRecord,
  read: readonly ReadPair[],
  named: ReadonlySet<string>,
  isXml: boolean,
): RecordRepair | undefined {
  const { plan } = compiled;
  const known = read.flatMap((pair) => {
    const old = pair.before.find(({ draft }) => draft !== undefined);
    return old?.draft === undefined ? [] : [{ ...pair, old: old.spot, fields: old.draft.fields }];
  });
  // Perhaps only the keys are lost.
  const same = known.flatMap(({ after, ...pair }): FoundRecord[] =>
    after.length === 1 && after[0] ? [{ ...pair, spot: after[0].spot }] : [],
  );
  const here = same.length === known.length ? repairFields(compiled, same.map(itemOf), named, isXml) : undefined;
  const found = known.flatMap((pair) => {
    const spot = findRecord(pair.bad, plan, pair.fields, isXml);
    return spot === undefined ? [] : [{ ...pair, spot }];
  });
  const held = found.length < leastPages * known.length ? undefined : selected(found, isXml);
  const elsewhere = held && repairFields(compiled, held.found.map(itemOf), named, isXml);
  if (here !== undefined && here.fields.length > 0 && here.score >= (elsewhere?.score ?? 0)) return here;
  return held && elsewhere && { ...elsewhere, each: eachChange(plan, { css: held.css }) };
}

/** A record on two pages: its places there, and what it said last. */
interface FoundRecord<S extends Spot = Spot> extends OpenedPair {
  readonly spot: S;
  /** The place on the last good page. */
  readonly old: Spot;
  readonly fields: KnownItem['fields'];
}

/** Finds a selector of the elements that are records; where there is none, of those around them. */
function selected(
  found: readonly FoundRecord<Element>[],
  isXml: boolean,
): { readonly css: string; readonly found: readonly FoundRecord[] } | undefined {
  const css = findEach(
    found.map(({ bad, spot }) => ({ page: bad, elements: [spot] })),
    isXml,
  );
  if (css !== undefined) return { css, found };
  const around = found.flatMap((record) => {
    const spot = parentOf(record.spot);
    return spot === undefined ? [] : [{ ...record, spot }];
  });
  return around.length < found.length ? undefined : selected(around, isXml);
}

function itemOf({ spot, bad, old, good, fields }: FoundRecord): KnownItem {
  return { spot, page: bad.context, before: { spot: old, page: good.context }, fields };
}

/** Whether the old rule still matches the places of the records, so that only their keys are lost. */
function areMatched(compiled: CompiledRecord, page: OpenedPage, items: ReadonlyMap<number, unknown>): boolean {
  const matched = new Set<unknown>(compiled.each?.find(page.root, page.context, 10_000) ?? []);
  return Array.from(items.values()).every((spot) => matched.has(spot));
}

/** Finds places for the fields whose rules no longer give what was known. */
function repairFields(
  { plan, fields }: CompiledRecord,
  items: readonly KnownItem[],
  named: ReadonlySet<string>,
  isXml: boolean,
): RecordRepair | undefined {
  const fieldRepairs: RecordRepair['fields'][number][] = [];
  /** What each rule reads on the new pages, by field. */
  const readBy = new Map<string, readonly (string | undefined)[]>();
  let score = 0;
  for (const rule of fields) {
    const { name, branches } = rule.plan;
    const searched = isRepairable(rule.plan) ? withoutConstants(rule.plan) : rule.plan;
    const isWhole = searched === rule.plan;
    const searchedRule = isWhole ? rule : compileRule(searched, { isXml, isScoped: false });
    const own = isWhole ? items : foundInPlaces(searchedRule, name, items);
    const reads = readsOf(searchedRule, own);
    const now = counted(name, own, reads);
    if (now.of === 0) continue;
    const isLost = now.kept + now.other < 0.5 * now.of || (now.kept === 0 && now.known >= 3);
    const isBroken = isLost || (named.has(name) && !isRight(now));
    if (!isBroken || !isRepairable(rule.plan) || fieldRepairs.length >= mostFields) {
      score += now.kept;
      readBy.set(name, reads);
      continue;
    }
    const places = rankPlaces(searched, own, { isXml, isOptional: !isWhole || now.of < own.length });
    score += places[0]?.kept ?? 0;
    if (places[0] !== undefined) readBy.set(name, places[0].reads);
    if (places.length > 0) fieldRepairs.push({ field: name, before: placesText(branches), places });
  }
  const isWithoutKey = plan.key.some((name) => items.every(({ fields: own }) => !isTelling(own[name])));
  if (isWithoutKey) return undefined;
  const own = fieldRepairs.flatMap((repair) => {
    const places = repair.places.filter((place) => !isOfOther(place, repair.field, readBy, items));
    return places.length === 0 ? [] : [{ ...repair, places }];
  });
  return { fields: own, score };
}

/** Whether a place that gives the smaller part of what was known gives what another field reads, and the two were not the same. */
function isOfOther(
  { kept, of, reads }: RankedPlace,
  field: string,
  readBy: ReadonlyMap<string, readonly (string | undefined)[]>,
  items: readonly KnownItem[],
): boolean {
  if (2 * kept > of) return false;
  return Array.from(readBy).some(([other, others]) => {
    if (other === field || !reads.every((read, at) => read === undefined || read === others[at])) return false;
    return items.some(
      ({ fields: { [field]: one, [other]: two } }) =>
        isTelling(one) && isTelling(two) && identityOf(one) !== identityOf(two),
    );
  });
}

/** The records with what a rule without its constants read of them when all was well. */
function foundInPlaces(rule: CompiledField, field: string, items: readonly KnownItem[]): KnownItem[] {
  return items.map((item) => {
    const { [field]: _, ...others } = item.fields;
    const { value } = evaluate(rule, item.before.spot, item.before.page);
    return { ...item, fields: isTelling(value) ? { ...others, [field]: value } : others };
  });
}
