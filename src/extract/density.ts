import type { DocumentKind } from './plan.ts';

/**
 * Marks of which each may begin one node or value, so that a document has about as many parts as these. A thread that runs
 * out of memory at one great allocation takes the whole process along, which no limit of its heap prevents: what would grow
 * so large is not parsed at all.
 */
const marks: Readonly<Record<DocumentKind, readonly string[]>> = {
  html: ['<'],
  xml: ['<'],
  json: ['[', '{', ','],
  csv: ['\n', ',', ';', '\t', '|'],
};

/** Parts of a document, at most: with 1,000,000 elements and the text between them a tree takes some 300 MB. */
export const maxParts = 1_000_000;

/** Whether a text may have more parts than that. */
export function isTooDense(text: string, document: DocumentKind): boolean {
  // A mark is one character.
  if (text.length <= maxParts) return false;
  let parts = 0;
  for (const mark of marks[document]) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
      parts += 1;
      if (parts > maxParts) return true;
    }
  }
  return false;
}
