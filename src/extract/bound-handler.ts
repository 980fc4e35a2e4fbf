import { DomHandler } from 'domhandler';
import { maxParts, TooManyParts } from './density.ts';
import type { DocumentKind } from './plan.ts';

/** Builds a tree, and throws `TooManyParts` at one attribute more than all elements together may have: no mark tells of them before. */
export class BoundHandler extends DomHandler {
  readonly #document: DocumentKind;
  #attributes = 0;

  constructor(document: DocumentKind) {
    super();
    this.#document = document;
  }

  onattribute(): void {
    this.#attributes += 1;
    if (this.#attributes > maxParts) throw new TooManyParts(this.#document);
  }
}
