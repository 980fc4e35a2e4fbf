import type { Document, ParentNode } from 'domhandler';
import { maxParts, type PartsRoom } from '../tree/parts.ts';
import type { Value } from '../value/value.ts';

/** A JSON value that rules search, as they search an element. */
export class JsonSpot {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
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
  /** Values that stand in the page, by where, so that each is parsed once. */
  readonly embedded: Map<string, Value | undefined>;
  /** Characters that may still be taken: a small page may repeat itself without end. */
  roomUnits: number;
}

const maxTakenUnits = 64 * 1024 * 1024;

/** Makes the context of a page of which nothing was read yet. */
export function pageContext(root: Document | undefined, base: string): PageContext {
  const room = { roomUnits: maxTakenUnits, roomParts: maxParts };
  const page = { base, embedded: new Map(), ...room };
  return root === undefined ? page : { root, ...page };
}
