import { type AnyNode, type Element, isCDATA, isComment, isTag, isText } from 'domhandler';
import type { Value } from '../value/value.ts';
import type { BranchPlan, TakePlan } from './plan.ts';
import { markdownOf } from '../markdown/markdown.ts';
import { collapsedText, linedText, rawText, spacedText } from '../tree/text.ts';
import { attributeOf, walk } from '../tree/nodes.ts';
import { absoluteAttribute } from '../tree/attribute.ts';
import { spend } from '../../work-budget.ts';
import { baseOf, JsonSpot, type PageContext, type Spot } from './spot.ts';

/** Takes the value of a match, before any filter; null for an element that lacks the attribute. */
export function taken(match: Spot, { attr, take, trim }: BranchPlan, page: PageContext): Value {
  if (match instanceof JsonSpot) {
    const { value } = match;
    if (typeof take === 'function') return take(value);
    return trim && take === 'text' && typeof value === 'string' ? value.trim() : value;
  }
  // A whole document has no attributes and no text: rules name a place in it.
  if (!isTag(match)) return null;
  if (attr !== undefined) return absoluteAttribute(match, attr, baseOf(match, page)) ?? null;
  if (typeof take === 'function') return take(match);
  const text =
    take === 'markdown' ? markdownOf(match, { base: baseOf(match, page), room: page.roomUnits }) : textBy(match, take);
  return trim ? text.trim() : text;
}

function textBy(element: Element, take: Exclude<TakePlan, 'markdown' | ((...given: never) => unknown)>): string {
  switch (take) {
    case 'text':
      return collapsedText(element);
    case 'spaced':
      return spacedText(element).replaceAll(/[ \t\n\r\f]+/g, ' ');
    case 'lines':
      return linedText(element);
    case 'raw':
      return rawText(element);
    case 'html':
      return markupOf(element, false);
    case 'outer':
      return markupOf(element, true);
    case 'link':
      return attributeOf(element, 'href') ?? attributeOf(element, 'src') ?? collapsedText(element);
    default:
      return take satisfies never;
  }
}

/** Elements that hold nothing and have no end tag. */
const empty: ReadonlySet<string> = new Set(
  'area base basefont bgsound br col command embed frame hr img input keygen link meta param source track wbr'.split(
    ' ',
  ),
);

/** Elements whose text is not markup, so that nothing in it is escaped. */
const verbatim: ReadonlySet<string> = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/** The markup within an element, or with its own tags, in a form that is XML as well: `<br />`, attributes in quotes. */
function markupOf(root: Element, isOuter: boolean): string {
  const out: string[] = [];
  walk(
    root,
    (node) => {
      if (isOuter || node !== root) out.push(opening(node));
      return true;
    },
    (node) => {
      if (isOuter || node !== root) out.push(closing(node));
    },
  );
  const markup = out.join('');
  spend(markup.length);
  return markup;
}

/** The work of writing a tag, and of each of its attributes. */
const tagSteps = 30;

function opening(node: AnyNode): string {
  if (isText(node))
    return node.parent !== null && isTag(node.parent) && verbatim.has(node.parent.name)
      ? node.data
      : escaped(node.data);
  if (isComment(node)) return `<!--${node.data}-->`;
  if (isCDATA(node) || !isTag(node)) return '';
  const entries = Object.entries(node.attribs);
  spend(tagSteps * (entries.length + 1));
  const attributes = entries.map(([name, value]) => ` ${name}="${escapedAttribute(value)}"`);
  return `<${node.name}${attributes.join('')}${isEmpty(node) ? ' />' : '>'}`;
}

function closing(node: AnyNode): string {
  return isTag(node) && !isEmpty(node) ? `</${node.name}>` : '';
}

function isEmpty(element: Element): boolean {
  return element.children.length === 0 && empty.has(element.name);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapedAttribute(text: string): string {
  return escaped(text).replaceAll('"', '&quot;');
}
