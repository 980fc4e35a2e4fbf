import { isBounded, spend, TooMuchWork } from '../../work-budget.ts';

/** Parts of a document, at most: with 1,000,000 elements and the text between them a tree takes some 300 MB. */
export const maxParts = 1_000_000;

/** Marks of which each may begin one value of JSON. */
export const jsonMarks: readonly string[] = ['[', '{', ','];

/**
 * Whether a text may have more than 1,000,000 parts, each of which begins with one of some marks. A thread that runs out of memory
 * at one great allocation ends the whole process, which no limit of its heap prevents; such a text is not parsed at all.
 */
export function isTooDense(text: string, marks: readonly string[]): boolean {
  // A mark is one character.
  return text.length > maxParts && countUpTo(text, marks, maxParts) > maxParts;
}

/** How many parts of the JSON within a page may still be parsed: 1,000,000 for all rules together. */
export interface PartsRoom {
  roomParts: number;
}

/** Thrown for a page with more attributes, or more values in its JSON, than a thread may hold; the page is not read. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts';
  readonly document: 'html' | 'xml' | 'json';

  constructor(document: 'html' | 'xml' | 'json') {
    super(`expected at most ${maxParts} ${document === 'json' ? 'values in the JSON' : 'attributes'} of a page`);
    this.document = document;
  }
}

/** Takes the room that a text of JSON needs to be parsed. Throws `TooManyParts` if there is less left. */
export function takeRoom(room: PartsRoom, text: string): void {
  const parts = countUpTo(text, jsonMarks, room.roomParts);
  if (parts > room.roomParts) throw new TooManyParts('json');
  room.roomParts -= parts;
}

/** Counts the marks in a text, up to one more than `most`. */
export function countUpTo(text: string, marks: readonly string[], most: number): number {
  let parts = 0;
  for (const mark of marks) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      parts += 1;
      if (parts > most) return parts;
    }
  }
  return parts;
}

/** The work of an attribute. */
const attributeSteps = 30;

/** Elements within each other of a page whose reading is bounded, at most: the parser's work for an end tag grows with them. */
const maxDepth = 128;

/** Attributes of one element of such a page, at most: an object with very many is slow to go through. */
const maxOfTag = 1_000;

/**
 * Bounds the tree that a parser builds. Throws `TooManyParts` at the first attribute beyond 1,000,000: attributes have no mark that could
 * be counted before. Throws `TooMuchWork` for a deep tree, or a tag of very many attributes, where the work is bounded.
 */
export class TreeBounds {
  readonly #document: 'html' | 'xml';
  readonly #maxDepth = isBounded() ? maxDepth : Infinity;
  readonly #maxOfTag = isBounded() ? maxOfTag : Infinity;
  #attributes = 0;
  /** Attributes of the tag that is being parsed. */
  #ofTag = 0;

  constructor(document: 'html' | 'xml') {
    this.#document = document;
  }

  /** Called before an element is added to `depth` others, the document among them. */
  element(depth: number): void {
    if (depth > this.#maxDepth) throw new TooMuchWork();
    this.#ofTag = 0;
  }

  /** Called for each attribute as it is read. */
  attribute(): void {
    spend(attributeSteps);
    this.#attributes += 1;
    this.#ofTag += 1;
    if (this.#ofTag > this.#maxOfTag) throw new TooMuchWork();
    if (this.#attributes > maxParts) throw new TooManyParts(this.#document);
  }
}
