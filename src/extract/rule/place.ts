import { compileEmbedded, type EmbeddedPlan, embeddedText } from '../embedded/all.ts';
import { metaContents, findUpTo } from '../tree/nodes.ts';
import { compileJsonPath, isSingularPath } from '../value/json-path.ts';
import { compileXPath } from '../xpath/xpath.ts';
import type { Value } from '../value/value.ts';
import type { PlacePlan } from './plan.ts';
import { compileScoped, compileSelector } from '../tree/selector.ts';
import { JsonSpot, type PageContext, type Spot } from './spot.ts';

/** How selectors are read. */
export interface Dialect {
  readonly isXml: boolean;
  /** Whether nothing exists but the tree under the place that is searched from. */
  readonly isScoped: boolean;
}

/**
 * Finds at most `most` matches, in document order; undefined if the page lacks the JSON that is searched. Throws `TooManyParts` if the
 * JSON within the page is too large, and a `FilterError` if it is not clear where to search.
 */
export type Find = (from: Spot, page: PageContext, most: number) => readonly Spot[] | undefined;

/** Compiles the search for a place. Throws if its selector, XPath or path is not valid. */
export function compilePlace(place: PlacePlan, dialect: Dialect): Find {
  switch (place.by) {
    case 'css':
      return cssFinder(place.css, dialect);
    case 'xpath':
      return xpathFinder(place.xpath);
    case 'json':
      return place.in === undefined ? jsonFinder(place.path) : embeddedFinder(place.path, place.in);
    case 'meta':
      return (_from, { root }, most) =>
        root === undefined ? [] : metaContents(root, place.name).slice(0, most).map(spotOf);
    case 'const': {
      const constant = [new JsonSpot(place.value)];
      return () => constant;
    }
    case 'page':
      return (_from, { own }) => {
        const value = own[place.what];
        return value === undefined ? [] : [new JsonSpot(value)];
      };
    case 'here':
      return (from) => [from];
    default:
      return place satisfies never;
  }
}

/** Returns a place as people write it: its selector, path or name. */
export function placeText(place: PlacePlan): string {
  switch (place.by) {
    case 'css':
      return place.css;
    case 'xpath':
      return place.xpath;
    case 'json':
      return place.in === undefined ? place.path : `${place.path} in ${embeddedText(place.in)}`;
    case 'meta':
      return place.name;
    case 'const':
      return JSON.stringify(place.value);
    case 'page':
      return `the page's ${place.what}`;
    case 'here':
      return '.';
    default:
      return place satisfies never;
  }
}

/** Whether a place has one match at most, so that a list found there is the value itself. Throws a `SyntaxError` for a JSON path that is not valid. */
export function isSingular(place: PlacePlan): boolean {
  return (
    place.by === 'const' ||
    place.by === 'page' ||
    place.by === 'here' ||
    (place.by === 'json' && isSingularPath(place.path))
  );
}

function cssFinder(css: string, { isXml, isScoped }: Dialect): Find {
  if (!isScoped) {
    const matches = compileSelector(css, isXml);
    return (from, _page, most) => (from instanceof JsonSpot ? [] : findUpTo(from, matches, most));
  }
  const matcherFor = compileScoped(css, isXml);
  return (from, _page, most) => (from instanceof JsonSpot ? [] : findUpTo(from, matcherFor(from), most));
}

function xpathFinder(xpath: string): Find {
  const hits = compileXPath(xpath);
  return (from, _page, most) => {
    if (from instanceof JsonSpot) return [];
    return hits(from)
      .slice(0, most)
      .map(({ hit, owner }) => (typeof hit === 'object' ? hit : new JsonSpot(hit, owner)));
  };
}

function jsonFinder(path: string): Find {
  const values = compileJsonPath(path);
  return (from, _page, most) => (from instanceof JsonSpot ? values(from.value).slice(0, most).map(spotOf) : []);
}

function embeddedFinder(path: string, where: EmbeddedPlan): Find {
  const values = compileJsonPath(path);
  const find = compileEmbedded(where);
  const name = JSON.stringify(where);
  return (_from, page, most) => {
    const found = page.embedded.has(name) ? page.embedded.get(name) : parsed(page);
    return found === undefined ? undefined : values(found).slice(0, most).map(spotOf);
  };

  function parsed(page: PageContext): Value | undefined {
    const value = page.root === undefined ? undefined : find(page.root, page);
    page.embedded.set(name, value);
    return value;
  }
}

function spotOf(value: Value): JsonSpot {
  return new JsonSpot(value);
}
