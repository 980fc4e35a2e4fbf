import type { ParentNode } from 'domhandler';
import type { ZodType } from 'zod';
import type { PartsRoom } from '../tree/parts.ts';
import type { Schemas } from '../value/field-type.ts';
import type { Value } from '../value/value.ts';

/** One kind of JSON that stands within HTML pages. `all.ts` lists the kinds: what definitions may name under `in`. */
export interface EmbeddedKind {
  /** The schema of a text that the definition gives with the kind, as in `{ script: <css> }`. Default: the kind is named alone. */
  option?(z: Schemas): ZodType<string>;
  /** Makes the search ready; `option` is empty for a kind that is named alone. */
  compile(option: string): FindEmbedded;
}

/** Finds JSON in a page; undefined if there is none. Throws `TooManyParts` if the page has no room left for it. */
export type FindEmbedded = (root: ParentNode, page: EmbeddingPage) => Value | undefined;

/** The state that all rules of one page share. */
export interface EmbeddingPage extends PartsRoom {
  /** The base of relative addresses. */
  readonly base: string;
}
