import { type Element, isTag, type ParentNode } from 'domhandler';
import { spend } from '../../work-budget.ts';
import { compileSelector } from '../tree/selector.ts';
import { JsonSpot, type Spot } from './spot.ts';

/** A way from a match to an element beside it or around it: the nearest one that fits the selector, or the nearest of all. */
export interface FromPlan {
  readonly to: 'next' | 'previous' | 'parent';
  readonly css?: string;
}

/** Returns a way as it is told to people: `next tr`. */
export function fromText({ to, css }: FromPlan): string {
  return `${to}${css === undefined ? '' : ` ${css}`} ›`;
}

/** Goes from a match to the element that a place is searched in; undefined if there is none. */
export type GoFrom = (match: Spot) => Spot | undefined;

/** The work of going on to the next element. */
const elementSteps = 5;

/** Compiles ways that are gone one after the other. Throws if a selector is not valid. */
export function compileFrom(ways: readonly FromPlan[], isXml: boolean): GoFrom {
  const compiled = ways.map(({ to, css }) => ({
    to,
    fits: css === undefined ? () => true : compileSelector(css, isXml),
  }));
  return (match) => {
    let at: Spot | undefined = match;
    for (const { to, fits } of compiled) {
      do {
        spend(elementSteps);
        at = beside(at, to);
      } while (at !== undefined && !fits(at));
      if (at === undefined) return undefined;
    }
    return at;
  };
}

function beside(at: Spot, to: FromPlan['to']): Element | undefined {
  if (at instanceof JsonSpot || !isTag(at)) return undefined;
  const { parent }: { readonly parent: ParentNode | null } = at;
  if (to === 'parent') return parent !== null && isTag(parent) ? parent : undefined;
  const side = to === 'next' ? 'next' : 'prev';
  let node = at[side];
  while (node !== null && !isTag(node)) node = node[side];
  return node ?? undefined;
}
