import type { EmbeddedPlan } from '../embedded/all.ts';
import type { FromPlan } from './from.ts';
import type { TakeFunction } from '../value/function.ts';
import type { FilterPlan } from '../filter/all.ts';
import type { ScalarRule } from '../value/all.ts';
import type { LengthBounds } from '../value/check.ts';
import type { Value } from '../value/value.ts';

/** A place in a document, relative to the element or value that is searched. */
export type PlacePlan =
  | { readonly by: 'css'; readonly css: string }
  | { readonly by: 'xpath'; readonly xpath: string }
  | { readonly by: 'json'; readonly path: string; readonly in?: EmbeddedPlan }
  /** The content of the page's `<meta>` of that name or property. */
  | { readonly by: 'meta'; readonly name: string }
  | { readonly by: 'const'; readonly value: Value }
  /** Something of the page as a whole, or the place of the record on it, from 1. */
  | { readonly by: 'page'; readonly what: PageFact }
  /** The element or value itself that is searched. */
  | { readonly by: 'here' };

/** What is known of a page besides its content. */
export type PageFact = 'url' | 'status' | 'position';

/** The part of a match that is its value: its text, text with spaces between blocks, text with a line for each block, text with its white space, markup, Markdown, or the address that it links to (else its text). A function in plug-ins only. */
export type TakePlan = 'text' | 'spaced' | 'lines' | 'raw' | 'html' | 'outer' | 'markdown' | 'link' | TakeFunction;

/** One of the places that a rule may find its value at. */
export interface BranchPlan {
  readonly place: PlacePlan;
  /** The way from the present element to the one that is searched. */
  readonly from?: readonly FromPlan[];
  /** The attribute to take in place of the element's text. */
  readonly attr?: string;
  readonly take: TakePlan;
  /** Whether white space around text is taken off. */
  readonly trim: boolean;
  /** Run before the rule's own. */
  readonly filters: readonly FilterPlan[];
}

/** The type of a rule's value. An array takes every match, all other types the first; so does a text whose filters join them. */
export type ValueRule = ScalarRule | ObjectRule | ArrayRule;

/** Each match as an object, whose rules see nothing but what it holds. */
export interface ObjectRule {
  readonly type: 'object';
  readonly fields: readonly FieldPlan[];
  /** One field's value in place of the object, or an object of these fields, with null for what is missing. */
  readonly result?: string | readonly string[];
}

/** All matches as a list. */
export interface ArrayRule {
  readonly type: 'array';
  readonly of: ValueRule;
  readonly length?: LengthBounds;
}

/** How one value is found, changed and read. */
export interface RulePlan {
  /** Alternatives in order of preference: the first with more than white space gives the value, else the first that is there. */
  readonly branches: readonly BranchPlan[];
  readonly filters: readonly FilterPlan[];
  /** Whether an array has one element at most. */
  readonly first?: boolean;
  /** The value if a place matches; its opposite is the value if none does. */
  readonly whenFound?: boolean;
  readonly rule: ValueRule;
}

/** The rule of a field. */
export interface FieldPlan extends RulePlan {
  readonly name: string;
  /** A record, or an object within one, that lacks the field is left out. */
  readonly required: boolean;
}

/** How one type of record is read from a page. */
export interface RecordPlan {
  readonly type: string;
  /** The fields whose values are the record's key; none where all of its fields are. */
  readonly key: readonly string[];
  /** Patterns of which one must be found in the address of a page that has such records. Default: all pages may have them. */
  readonly on?: readonly string[];
  /** One record per match, whose fields are searched in the match and in what it holds; without it, one record per page. */
  readonly each?: PlacePlan;
  readonly fields: readonly FieldPlan[];
  /** The address of a page that says more of the record. */
  readonly page?: FieldPlan;
  /** Whether a null clears the stored value or keeps it. Default: `clear`. */
  readonly nulls?: 'clear' | 'keep';
}
