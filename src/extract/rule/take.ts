import { type Element, isTag } from 'domhandler';
import type { Value } from '../draft.ts';
import type { BranchPlan, TakePlan } from '../plan.ts';
import { textOf } from '../tree.ts';
import { attributeOf } from './attribute.ts';
import { innerMarkup, outerMarkup } from './markup.ts';
import { JsonSpot, type PageContext, type Spot } from './spot.ts';
import { collapsedText, rawText } from './text.ts';

/** What a match gives, before any filter. An element without the attribute that is asked for gives null. */
export function taken(match: Spot, { attr, take, trim }: BranchPlan, page: PageContext): Value {
  if (match instanceof JsonSpot) {
    const { value } = match;
    if (typeof take === 'function') return take(value);
    return trim && take === 'text' && typeof value === 'string' ? value.trim() : value;
  }
  // A whole document has no attributes and no text: rules name a place in it.
  if (!isTag(match)) return null;
  if (attr !== undefined) return attributeOf(match, attr, page.base) ?? null;
  if (typeof take === 'function') return take(match);
  const text = textBy(match, take);
  return trim ? text.trim() : text;
}

function textBy(element: Element, take: Exclude<TakePlan, (...given: never) => unknown>): string {
  switch (take) {
    case 'text':
      return collapsedText(element);
    case 'spaced':
      return textOf(element).replaceAll(/[ \t\n\r\f]+/g, ' ');
    case 'raw':
      return rawText(element);
    case 'html':
      return innerMarkup(element);
    case 'outer':
      return outerMarkup(element);
    case 'link':
      return attributeOf(element, 'href', '') ?? attributeOf(element, 'src', '') ?? collapsedText(element);
    default:
      return take satisfies never;
  }
}
