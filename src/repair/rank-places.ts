import { isTag } from 'domhandler';
import { type CompiledField, compileRule } from '../extract/rule/compile.ts';
import { evaluate } from '../extract/rule/evaluate.ts';
import type { FieldPlan } from '../extract/rule/plan.ts';
import { JsonSpot } from '../extract/rule/spot.ts';
import { amountIn } from '../view/amount.ts';
import type { Value } from '../extract/value/value.ts';
import { spend } from '../work-budget.ts';
import type { RepairPlace } from '../view/repair.ts';
import { affinity, type Look, lookOf } from './affinity.ts';
import { type CandidatePlace, elementPlaces } from './element-places.ts';
import { shownElements } from './elements.ts';
import { embeddedPlaces } from './embedded-places.ts';
import { jsonCandidate, valuesWithin } from './json-places.ts';
import {
  identityOf,
  isOfKnown,
  isTelling,
  isWithinFactorTwo,
  type KnownItem,
  tellingIdentity,
} from './known-values.ts';
import { isElement } from './opened-page.ts';
import { repairedField } from './place-plan.ts';
import { ReadHere, TextLengths } from './read-here.ts';

/** How well a place gives the values of a field that were known last. */
export interface RankedPlace {
  readonly to: RepairPlace;
  readonly cost: number;
  /** Records whose value is the known one, those with another one of the right type, those with a value at all that had one, and those that had none. */
  readonly kept: number;
  readonly other: number;
  readonly of: number;
  readonly extra: number;
  /** Different values among those that are the known ones. */
  readonly distinct: number;
  /** What it reads, by record. */
  readonly reads: readonly (string | undefined)[];
}

/** Records that places are made from, places that are tried on all records, and places without a fault that are enough. */
const [sampled, tried, enough] = [10, 120, 15];

/** The share of records that may lack a value which they had: some products have no price any more. */
const usualLack = 0.1;

/** The share of records that may lack a value which is optional: special offers end. */
const optionalLack = 0.5;

/** How much the likeness with the old place counts beside how robust a place is. */
const likenessWeight = 2.5;

/** Elements of one item that are looked at. */
const mostElements = 20_000;

/** The likeness from which on a place is taken for the old one although its number has changed everywhere. */
const alike = 0.4;

/** The likeness of a place that has the tag, the tag above it and the attribute of the old one, and the share of known values that it must give then. */
const [alikeByTags, someKept] = [0.3, 1 / 3];

/**
 * Finds places that give the known values of a field in all of its records, the best first. Where most values have changed, as stocks do, a third
 * of them is enough in a place that looks like the old one; numbers that have all changed, as counters do, are looked for there by their size.
 *
 * @param isOptional - whether records may be without a value of the field.
 */
export function rankPlaces(
  field: FieldPlan,
  items: readonly KnownItem[],
  { isXml, isOptional }: { readonly isXml: boolean; readonly isOptional: boolean },
): RankedPlace[] {
  const lack = isOptional ? optionalLack : usualLack;
  const same = rankBy(field, items, {
    isXml,
    isOf: isOfKnown,
    isRight: (counts) => isRight(counts, lack),
    least: 0,
  });
  if (same.length > 0) return same;
  const areSome = ({ kept, other, of, distinct }: Counted): boolean =>
    distinct >= 2 && kept >= someKept * of && kept + other === of;
  const some = rankBy(field, items, { isXml, isOf: isOfKnown, isRight: areSome, least: alikeByTags });
  const areMoving = some.filter(({ reads }) => isMoving(field.name, items, reads));
  if (areMoving.length > 0) return areMoving;
  const areRead = ({ kept, other, of }: Counted): boolean => kept + other === of;
  const near = rankBy(field, items, { isXml, isOf: isWithinFactorTwo, isRight: areRead, least: alike });
  return near.filter(({ reads }) =>
    items.every(({ fields }, at) => {
      const [known, read] = [fields[field.name], reads[at]];
      return !isTelling(known) || (read !== undefined && isWithinFactorTwo(JSON.parse(read), known));
    }),
  );
}

/** Whether the values that are others than before are numbers that differ among themselves: one number in many records is none that was known. */
function isMoving(field: string, items: readonly KnownItem[], reads: readonly (string | undefined)[]): boolean {
  const others = items.flatMap(({ fields: { [field]: known } }, at) => {
    const read = reads[at];
    return isTelling(known) && read !== undefined && read !== identityOf(known) ? [{ known, read }] : [];
  });
  const different = new Set(others.map(({ read }) => read));
  return 2 * different.size > others.length && others.every(({ known }) => amountIn(known) !== undefined);
}

/** How values are taken for those that were known. */
interface Likeness {
  readonly isXml: boolean;
  /** Whether what stands at one place may be the known value. */
  isOf(read: Value | undefined, known: Value): boolean;
  /** Whether a place is right by what it gives in all records. */
  isRight(counts: Counted): boolean;
  /** How much a place must look like the old one, from 0 to 1. */
  readonly least: number;
}

function rankBy(field: FieldPlan, items: readonly KnownItem[], how: Likeness): RankedPlace[] {
  const { isXml } = how;
  const candidates = new Map<string, CandidatePlace & { votes: number }>();
  const here = new ReadHere(field, isXml);
  const samples = samplesOf(field.name, items);
  for (const item of samples) {
    const voted = new Set<string>();
    for (const place of placesOf(field, item, here, how)) {
      const key = JSON.stringify(place.to);
      const known = candidates.get(key);
      const cost = Math.min(place.cost, known?.cost ?? Infinity);
      candidates.set(key, { ...place, cost, votes: (known?.votes ?? 0) + (voted.has(key) ? 0 : 1) });
      voted.add(key);
    }
  }
  const most = Math.max(0, ...Array.from(candidates.values(), ({ votes }) => votes));
  const usual = [...candidates.values()].filter(({ votes }) => 2 * votes >= most);
  const ranked: RankedPlace[] = [];
  let perfect = 0;
  for (const place of usual.toSorted((one, other) => one.cost - other.cost).slice(0, tried)) {
    const found = tryPlace(field, items, place, how);
    if (found === undefined) continue;
    ranked.push(found);
    if (found.kept === found.of && found.extra === 0) perfect += 1;
    // Those that come after give the same, and break sooner.
    if (perfect === enough) break;
  }
  return ranked.toSorted((one, other) => scoreOf(other) - scoreOf(one) || one.cost - other.cost);
}

/** What a place gets right: a record that had no value and has one now is half a fault. */
function scoreOf({ kept, extra }: RankedPlace): number {
  return kept - extra / 2;
}

/** The records that places are made from: those with different values first. */
function samplesOf(field: string, items: readonly KnownItem[]): KnownItem[] {
  const seen = new Set<string>();
  const [first, rest]: [KnownItem[], KnownItem[]] = [[], []];
  for (const item of items) {
    const value = item.fields[field];
    if (!isTelling(value)) continue;
    const identity = identityOf(value);
    (seen.has(identity) ? rest : first).push(item);
    seen.add(identity);
  }
  return [...first, ...rest].slice(0, sampled);
}

/** The places in one item at which the known value of the field stands. */
function placesOf(
  field: FieldPlan,
  item: KnownItem,
  here: ReadHere,
  { isXml, isOf, least }: Likeness,
): CandidatePlace[] {
  const known = item.fields[field.name];
  const { spot, page } = item;
  if (!isTelling(known)) return [];
  if (spot instanceof JsonSpot)
    return Array.from(valuesWithin(spot.value))
      .filter(({ value, path }) => path.length > 0 && least === 0 && isOf(here.at(new JsonSpot(value), page), known))
      .flatMap((place) => jsonCandidate(place, { base: 1 }));
  const old = oldLook(field, item, isXml);
  const lengths = new TextLengths();
  const longest = 2_000 + 2 * JSON.stringify(known).length;
  const places: CandidatePlace[] = [];
  for (const element of shownElements(spot, mostElements))
    for (const { value, attr } of here.of(element, page, lengths, longest)) {
      if (!isOf(value, known)) continue;
      const look = lookOf(element, attr);
      const likeness = old === undefined ? 0 : affinity(old, look);
      if (likeness < least) continue;
      // The nearest element to the value is the one that was meant, if others hold it.
      const isAround =
        attr === undefined &&
        element.children.some((child) => isTag(child) && lengths.of(child) === lengths.of(element));
      const extra = (isAround ? 0.6 : 0) + (isOldPrice(look) && !(old !== undefined && isOldPrice(old)) ? 3 : 0);
      const bonus = likenessWeight * likeness;
      for (const { to, cost } of elementPlaces(element, spot, { attr, isXml }))
        places.push({ to, cost: cost + extra - bonus });
    }
  return least > 0 ? places : [...places, ...embeddedPlaces(spot, page, here, known)];
}

/** Whether an element says what a price was before, or what others ask: it is another value, though it may be the same today. */
function isOldPrice({ tag, names, above }: Pick<Look, 'tag' | 'names' | 'above'>): boolean {
  return (
    /^(?:s|del|strike)$/.test(tag) ||
    [...names, ...above].some((name) =>
      /(?:^|[-_])(?:old|was|before|rrp|msrp|list|strike|previous|regular|compare)/i.test(name),
    )
  );
}

/** How the old place of the field looked in the last good page. */
function oldLook(field: FieldPlan, { before }: KnownItem, isXml: boolean): Look | undefined {
  const rule = compileRule(field, { isXml, isScoped: false });
  for (const branch of rule.branches) {
    const [found] = branch.find(before.spot, before.page, 1) ?? [];
    if (found !== undefined && isElement(found)) return lookOf(found, branch.plan.attr);
  }
  return undefined;
}

/** Tries a place on all records; `undefined` for one that does not give most of the known values, or lacks values. */
function tryPlace(
  field: FieldPlan,
  items: readonly KnownItem[],
  { to, cost }: CandidatePlace,
  how: Likeness,
): RankedPlace | undefined {
  const rule = compileRule(repairedField(field, to), { isXml: how.isXml, isScoped: false });
  const reads = readsOf(rule, items);
  const place = { to, cost, ...counted(field.name, items, reads), reads };
  return how.isRight(place) ? place : undefined;
}

/** What a rule reads of the records on the new pages. */
export function readsOf(rule: CompiledField, items: readonly KnownItem[]): (string | undefined)[] {
  return items.map(({ spot, page }) => {
    spend(200);
    return tellingIdentity(evaluate(rule, spot, page).value);
  });
}

/** What a rule reads, compared with what was known last; `known` is the number of different values that were. */
type Counted = Pick<RankedPlace, 'kept' | 'other' | 'of' | 'extra' | 'distinct'> & { readonly known: number };

/** Compares what a rule reads with what was known last. */
export function counted(
  field: string,
  items: readonly Pick<KnownItem, 'fields'>[],
  reads: readonly (string | undefined)[],
): Counted {
  let [kept, other, of, extra] = [0, 0, 0, 0];
  const [known, same] = [new Set<string>(), new Set<string>()];
  for (const [at, { fields }] of items.entries()) {
    const value: Value | undefined = fields[field];
    const read = reads[at];
    if (!isTelling(value)) {
      if (read !== undefined) extra += 1;
      continue;
    }
    const identity = identityOf(value);
    of += 1;
    known.add(identity);
    if (read === identity) {
      kept += 1;
      same.add(identity);
    } else if (read !== undefined) other += 1;
  }
  return { kept, other, of, extra, distinct: same.size, known: known.size };
}

/** Whether values are those that were known: most of them, and most of the different ones, are the same, and hardly any is missing. */
export function isRight({ kept, other, of, distinct, known }: Counted, mayLack = usualLack): boolean {
  return 2 * kept > of && 2 * distinct > known && of - kept - other <= mayLack * of;
}
