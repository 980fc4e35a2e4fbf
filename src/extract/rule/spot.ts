import type { Document, ParentNode } from 'domhandler';
import { maxParts, type PartsRoom } from '../density.ts';
import type { Value } from '../draft.ts';

/** A value that rules may look into, as they may into a part of a tree. */
export class JsonSpot {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** What rules look into, and what their places lead to: a document, an element or a value. */
export type Spot = ParentNode | JsonSpot;

/** What all rules of one page share. */
export interface PageContext extends PartsRoom {
  /** Missing where the document is no tree. */
  readonly root?: Document;
  /** What relative addresses are relative to; empty where nothing is known of that, and they stay as they are written. */
  readonly base: string;
  /** Values that stand in the page, by where, so that each is parsed once. */
  readonly embedded: Map<string, Value | undefined>;
  /** Characters that may still be taken: a small page may repeat itself without end. */
  roomUnits: number;
}

const maxTakenUnits = 64 * 1024 * 1024;

/** A page's context before anything was read of it. */
export function pageContext(root: Document | undefined, base: string): PageContext {
  const room = { roomUnits: maxTakenUnits, roomParts: maxParts };
  return { ...(root !== undefined && { root }), base, embedded: new Map(), ...room };
}
