import { type Element, isTag } from 'domhandler';
import { attributeOf, namesIn } from '../extract/tree/nodes.ts';

/** A selector of one element, and how soon it is likely to break: 1 for what says what the element means, more for what says where it stands. */
export interface SelectorPart {
  readonly css: string;
  readonly cost: number;
  /** Whether it counts elements. */
  readonly counts?: true;
}

/** Attributes whose values name what an element is. */
const telling: ReadonlyMap<string, number> = new Map([
  ['itemprop', 1],
  ['property', 1.1],
  ['data-testid', 1.3],
  ['data-test', 1.3],
  ['data-qa', 1.3],
  ['data-field', 1.3],
  ['data-role', 1.4],
  ['name', 1.4],
  ['rel', 1.6],
  ['role', 1.8],
  ['itemtype', 1.2],
  ['aria-label', 2],
  ['type', 2.2],
]);

/** Elements whose names say what they hold. */
const meaningful: ReadonlySet<string> = new Set(
  'h1 h2 h3 h4 h5 h6 time address a img strong b em s del ins data meter article figure figcaption caption dt dd th'.split(
    ' ',
  ),
);

/** The parts of a selector by which an element may be found, the likeliest to last first. */
export function selectorParts(element: Element, isXml: boolean): SelectorPart[] {
  const parts: SelectorPart[] = [];
  const tag = escapedName(element.name);
  for (const [name, value] of Object.entries(element.attribs)) {
    const cost = telling.get(name);
    if (cost !== undefined && isWord(value) && !/["\\]/.test(value)) parts.push({ css: `[${name}="${value}"]`, cost });
    if (/^data-[a-z][a-z-]*$/.test(name)) parts.push({ css: `[${name}]`, cost: 1.7 });
  }
  const id = isXml ? undefined : attributeOf(element, 'id');
  if (id !== undefined && isName(id) && !/\d/.test(id)) parts.push({ css: `#${id}`, cost: 1.2 });
  for (const name of isXml ? [] : namesIn(attributeOf(element, 'class'))) {
    if (!isName(name)) continue;
    const cost = classCost(name);
    parts.push({ css: `.${name}`, cost }, { css: `${tag}.${name}`, cost: cost + 0.1 });
  }
  const tagCost = isXml || element.name.includes('-') ? 1.2 : meaningful.has(element.name) ? 2.4 : 3.2;
  parts.push({ css: tag, cost: tagCost });
  if (/^[\w-]+$/.test(element.name)) {
    const [ofType, ofAll] = positionOf(element);
    parts.push({ css: `${tag}:nth-of-type(${ofType})`, cost: tagCost + 1.6, counts: true });
    parts.push({ css: `${tag}:nth-child(${ofAll})`, cost: tagCost + 1.9, counts: true });
  }
  return parts.toSorted((one, other) => one.cost - other.cost);
}

/** Returns the parts of `selectorParts` that name an element, cheapest first: by its tag, id, class or attribute, and not by its place among others. */
export function namingParts(element: Element, isXml: boolean): SelectorPart[] {
  return selectorParts(element, isXml).filter(({ counts }) => counts !== true);
}

/** A name of an element in a selector: a colon belongs to the name. */
function escapedName(name: string): string {
  return name.replaceAll(':', String.raw`\:`);
}

/** What a class costs: one that a person gave lasts, one that a tool made is another with the next release, and one of a layout is on many elements. */
function classCost(name: string): number {
  if (isGenerated(name)) return 4;
  return /^(?:col|row|mt|mb|ml|mr|p|m|w|h|d|flex|grid|text|bg|is|has|u)-?[\w-]*$/.test(name) && name.length < 8
    ? 2.8
    : 1.5;
}

/** Whether a name was made by a tool: digits among letters, or letters that no word has. */
function isGenerated(name: string): boolean {
  const words = name.split(/[-_]+/).filter((word) => word !== '');
  return (
    /^(?:css|sc|jsx|jss|svelte|emotion)-?/.test(name) ||
    words.some(
      (word) =>
        /[a-z]\d+[a-z]/i.test(word) ||
        /\d{3}/.test(word) ||
        /[a-z][A-Z][a-z]?[A-Z]/.test(word) ||
        (word.length >= 3 &&
          !/[aeiouy]/i.test(word) &&
          !/^(?:btn|nav|hdr|ftr|img|txt|lbl|tbl|src|css|html)$/.test(word)),
    )
  );
}

function isName(name: string): boolean {
  return /^-?[A-Za-z_][\w-]{0,60}$/.test(name);
}

/** Whether a value is the same on other pages too, as far as it looks: a short one without digits. */
function isWord(value: string): boolean {
  return value.length > 0 && value.length <= 60 && !/\d/.test(value);
}

/** The place of an element among those of its name, and among all elements beside it, from 1. */
function positionOf(element: Element): readonly [ofType: number, ofAll: number] {
  let [ofType, ofAll] = [1, 1];
  for (let node = element.prev; node !== null; node = node.prev) {
    if (!isTag(node)) continue;
    ofAll += 1;
    if (node.name === element.name) ofType += 1;
  }
  return [ofType, ofAll];
}
