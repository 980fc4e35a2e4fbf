import { type Document, type Element, isTag, type ParentNode } from 'domhandler';
import { maxParts, type PartsRoom } from '../tree/parts.ts';
import { defined } from '../../defined.ts';
import { spend } from '../../work-budget.ts';
import { attributeOf } from '../tree/nodes.ts';
import { Tables } from '../tree/table.ts';
import type { Value } from '../value/value.ts';

/** A JSON value that rules search, as they search an element. */
export class JsonSpot {
  readonly value: Value;
  /** The element that the value stands in; missing where that says nothing more of it. */
  readonly owner: Element | undefined;

  constructor(value: Value, owner?: Element) {
    this.value = value;
    this.owner = owner;
  }
}

/** A document, an element or a value: what rules search, and what they find. */
export type Spot = ParentNode | JsonSpot;

/** The state that all rules of one page share. */
export interface PageContext extends PartsRoom {
  /** Missing where the document is no tree. */
  readonly root?: Document;
  /** The address that relative addresses are resolved against; empty if unknown, and they stay as written. */
  readonly base: string;
  /** The bases of the elements that were asked for; missing where no element names one. */
  readonly bases?: Map<Element, string>;
  /** The charset of which not all bytes of the page are: U+FFFD stands for them, and no value may have it. */
  readonly brokenCharset?: string;
  /** When the page came, which dates count from. Missing if it is not known. */
  readonly observedAt?: number;
  /** Values that stand in the page, by where, so that each is parsed once. */
  readonly embedded: Map<string, Value | undefined>;
  /** The tables in the page, each laid out when it is first asked for. */
  readonly tables: Tables;
  /** What is known of the page besides its content; `position` is that of the record that is read now. */
  readonly own: { url?: string; status?: number; position?: number };
  /** Characters that may still be taken: a small page may repeat itself without end. */
  roomUnits: number;
}

const maxTakenUnits = 64 * 1024 * 1024;

/** Makes the context of a page of which nothing was read yet; `hasBases` says whether elements name bases of their own. */
export function pageContext(
  root: Document | undefined,
  base: string,
  {
    hasBases = false,
    brokenCharset,
  }: { readonly hasBases?: boolean | undefined; readonly brokenCharset?: string | undefined } = {},
): PageContext {
  const room = { roomUnits: maxTakenUnits, roomParts: maxParts };
  const page = {
    base,
    own: {},
    embedded: new Map(),
    tables: new Tables(),
    ...room,
    ...(hasBases && { bases: new Map() }),
    ...defined({ brokenCharset }),
  };
  return root === undefined ? page : { root, ...page };
}

/** Longest base that an element may name, in characters: one within the other they would grow without end. */
const maxBaseLength = 2_083;

/** The work of resolving a base. */
const baseSteps = 300;

/** Returns the address that relative addresses of a match are resolved against: the page's, or what `xml:base` makes of it. */
export function baseOf(match: Spot | undefined, { base, bases }: PageContext): string {
  if (bases === undefined) return base;
  const above: Element[] = [];
  let node = match instanceof JsonSpot ? match.owner : match;
  for (
    ;
    node !== undefined && node !== null && isTag(node) && !bases.has(node);
    node = node.parent as Spot & ParentNode
  )
    above.push(node);
  let known = node !== undefined && node !== null && isTag(node) ? (bases.get(node) ?? base) : base;
  for (const element of above.reverse()) {
    spend(baseSteps);
    const own = attributeOf(element, 'xml:base');
    const address = own === undefined ? null : URL.parse(own, known === '' ? undefined : known);
    if (address !== null && /^https?:$/.test(address.protocol) && address.href.length <= maxBaseLength)
      known = address.href;
    bases.set(element, known);
  }
  return known;
}
