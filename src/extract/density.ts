import type { DocumentKind, ExtractPlan } from './plan.ts';

/**
 * Marks of which each may begin one node or value, so that a document has about as many parts as these. A thread that runs
 * out of memory at one great allocation takes the whole process along, which no limit of its heap prevents: what would grow
 * so large is not parsed at all.
 */
const marks: Readonly<Record<DocumentKind, readonly string[]>> = {
  html: ['<'],
  xml: ['<'],
  json: ['[', '{', ','],
  csv: ['\n', '\r', ',', ';', '\t', '|'],
};

/** Parts of a document, at most: with 1,000,000 elements and the text between them a tree takes some 300 MB. */
export const maxParts = 1_000_000;

/** Whether a text may have more parts than that. */
export function isTooDense(text: string, { document, csv }: Pick<ExtractPlan, 'document' | 'csv'>): boolean {
  // A mark is one character.
  if (text.length <= maxParts) return false;
  const delimiter = document === 'csv' ? csv?.delimiter : undefined;
  return countUpTo(text, delimiter === undefined ? marks[document] : ['\n', '\r', delimiter], maxParts) > maxParts;
}

/** How many parts of JSON that stands within a page may still be parsed; of all places together `maxParts`. */
export interface PartsRoom {
  roomParts: number;
}

/** A page has more attributes, or JSON within it more values, than a thread may hold; the page is not read. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts';
  readonly document: DocumentKind;

  constructor(document: DocumentKind) {
    super(`expected at most ${maxParts} ${document === 'json' ? 'values in the JSON' : 'attributes'} of a page`);
    this.document = document;
  }
}

/** Takes the room that a text of JSON needs to be parsed; throws `TooManyParts` where there is not so much. */
export function takeRoom(room: PartsRoom, text: string): void {
  const parts = countUpTo(text, marks.json, room.roomParts);
  if (parts > room.roomParts) throw new TooManyParts('json');
  room.roomParts -= parts;
}

/** How many of the marks are in a text; behind one more than `most` nothing is counted. */
function countUpTo(text: string, of: readonly string[], most: number): number {
  let parts = 0;
  for (const mark of of) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      parts += 1;
      if (parts > most) return parts;
    }
  }
  return parts;
}
