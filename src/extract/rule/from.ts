import { type Element, isTag, type ParentNode } from 'domhandler';
import { spend } from '../../work-budget.ts';
import { FilterError } from '../filter/kind.ts';
import { compileSelector } from '../tree/selector.ts';
import { foldedText, maxContinued, type Tables } from '../tree/table.ts';
import { JsonSpot, type PageContext, type Spot } from './spot.ts';

/**
 * A way from a match to an element beside it or around it: the nearest one that fits the selector, or the nearest of all; or to the
 * cell of its row under headings, the uppermost first.
 */
export type FromPlan =
  | { readonly to: 'next' | 'previous' | 'parent'; readonly css?: string }
  | { readonly to: 'column'; readonly headings: readonly string[] };

/** Returns a way as it is told to people: `next tr`. */
export function fromText(way: FromPlan): string {
  const where = way.to === 'column' ? way.headings.map((each) => JSON.stringify(each)).join(' / ') : way.css;
  return where === undefined ? way.to : `${way.to} ${where}`;
}

/** Goes from a match to the element that a place is searched in; undefined if there is none. Throws a `FilterError` if it is not clear which. */
export type GoFrom = (match: Spot, page: PageContext) => Spot | undefined;

/** The work of going on to the next element. */
const elementSteps = 5;

/** Compiles ways that are gone one after the other. Throws if a selector is not valid. */
export function compileFrom(ways: readonly FromPlan[], isXml: boolean): GoFrom {
  const compiled = ways.map((way) => compileWay(way, isXml));
  return (match, page) => {
    let at: Spot | undefined = match;
    for (const go of compiled) {
      if (at === undefined || at instanceof JsonSpot || !isTag(at)) return undefined;
      at = go(at, page);
    }
    return at;
  };
}

function compileWay(way: FromPlan, isXml: boolean): (from: Element, page: PageContext) => Element | undefined {
  if (way.to === 'column') {
    const headings = way.headings.map(foldedText);
    return (from, { tables }) => inColumn(from, headings, tables);
  }
  const { to, css } = way;
  const fits = css === undefined ? () => true : compileSelector(css, isXml);
  return (from) => {
    let at: Element | undefined = from;
    do {
      spend(elementSteps);
      at = beside(at, to);
    } while (at !== undefined && !fits(at));
    return at;
  };
}

function inColumn(from: Element, headings: readonly string[], tables: Tables): Element | undefined {
  const found = tables.cellUnder(from, headings);
  if (found === 'several') throw new FilterError(headings.join(' / '), 'one column of this heading');
  if (found === 'too large')
    throw new FilterError(
      headings.join(' / '),
      `tables with at most ${maxContinued} cells that go on into further rows`,
    );
  return found;
}

function beside(at: Element, to: 'next' | 'previous' | 'parent'): Element | undefined {
  const { parent }: { readonly parent: ParentNode | null } = at;
  if (to === 'parent') return parent !== null && isTag(parent) ? parent : undefined;
  const side = to === 'next' ? 'next' : 'prev';
  let node = at[side];
  while (node !== null && !isTag(node)) node = node[side];
  return node ?? undefined;
}
