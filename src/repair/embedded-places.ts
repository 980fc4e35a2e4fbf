import { type Document, isDocument } from 'domhandler';
import { compileEmbedded } from '../extract/embedded/all.ts';
import { JsonSpot, type PageContext, type Spot } from '../extract/rule/spot.ts';
import { attributeOf, elementsIn, namesIn } from '../extract/tree/nodes.ts';
import type { Value } from '../extract/value/value.ts';
import type { RepairPlace } from '../view/repair.ts';
import type { CandidatePlace } from './element-places.ts';
import { jsonCandidate, valuesWithin } from './json-places.ts';
import { isOfKnown } from './known-values.ts';
import type { ReadHere } from './read-here.ts';

/** Where JSON stands within a page, and what a place there costs. */
type Kind = readonly [within: NonNullable<RepairPlace['in']>, cost: number];

/** Scripts of JSON that are looked at. */
const mostScripts = 10;

/** Places in the `<meta>` elements and in the JSON within a page at which a known value stands. */
export function embeddedPlaces(item: Spot, page: PageContext, here: ReadHere, known: Value): CandidatePlace[] {
  if (item instanceof JsonSpot || !isDocument(item)) return [];
  return [...metaPlaces(item, page, here, known), ...kindsOf(item).flatMap((kind) => placesIn(item, page, kind))];

  function placesIn(root: Document, context: PageContext, [within, base]: Kind): CandidatePlace[] {
    const things = compileEmbedded(within)(root, context);
    if (things === undefined) return [];
    return Array.from(valuesWithin(things))
      .filter(({ value }) => isOfKnown(here.at(new JsonSpot(value), page), known))
      .flatMap((place) => jsonCandidate(place, { base, within, things }));
  }
}

function metaPlaces(root: Document, page: PageContext, here: ReadHere, known: Value): CandidatePlace[] {
  const found: CandidatePlace[] = [];
  for (const element of elementsIn(root)) {
    const content = element.name === 'meta' ? attributeOf(element, 'content') : undefined;
    if (content === undefined || !isOfKnown(here.at(new JsonSpot(content), page), known)) continue;
    for (const name of ['property', 'name', 'itemprop'].flatMap((key) => namesIn(attributeOf(element, key))))
      found.push({ to: { meta: name }, cost: 1.4 });
  }
  return found;
}

function kindsOf(root: Document): Kind[] {
  const kinds: Kind[] = [
    ['ld+json', 1.6],
    ['microdata', 1.8],
  ];
  for (const element of elementsIn(root)) {
    if (element.name !== 'script' || kinds.length >= mostScripts) continue;
    const id = attributeOf(element, 'id');
    const type = attributeOf(element, 'type') ?? '';
    if (/^application\/json\b/i.test(type) && id !== undefined && /^[A-Za-z_][\w-]*$/.test(id))
      kinds.push([{ script: `script#${id}` }, 2.4]);
  }
  return kinds;
}
