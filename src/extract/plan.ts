import type { Element } from 'domhandler';
import type { CsvOptions } from './document/csv.ts';
import type { Value } from './draft.ts';
import type { FilterPlan } from './filter/plan.ts';
import type { ScalarRule } from './value/rule.ts';

/** Where JSON stands in a page: all its `ld+json` blocks or microdata items as a list, the text of a script, or what a script assigns to a variable. */
export type EmbeddedPlan = 'ld+json' | 'microdata' | { readonly script: string } | { readonly variable: string };

/** Where something stands in a document, seen from a place in it. */
export type PlacePlan =
  | { readonly by: 'css'; readonly css: string }
  | { readonly by: 'xpath'; readonly xpath: string }
  | { readonly by: 'json'; readonly path: string; readonly in?: EmbeddedPlan }
  /** The content of the page's `<meta>` of that name or property. */
  | { readonly by: 'meta'; readonly name: string }
  | { readonly by: 'const'; readonly value: Value }
  /** The place that it is seen from. */
  | { readonly by: 'here' };

/** What of a match is taken: `raw` keeps white space, `link` is what an element links to, else its text. A function in plug-ins only. */
export type TakePlan = 'text' | 'spaced' | 'raw' | 'html' | 'outer' | 'link' | TakeFunction;

/** A match that is no element is given as its value. */
export type TakeFunction = (match: Element | Value) => Value;

/** One of the places that a rule may find its value at. */
export interface BranchPlan {
  readonly place: PlacePlan;
  /** The attribute to take in place of the element's text. */
  readonly attr?: string;
  readonly take: TakePlan;
  /** Whether white space around text is taken off. */
  readonly trim: boolean;
  /** Run before the rule's own. */
  readonly filters: readonly FilterPlan[];
}

/** What a rule's value is; an array takes every match, all others the first. */
export type ValueRule = ScalarRule | ObjectRule | ArrayRule;

/** Each match as an object, whose rules see nothing but what it holds. */
export interface ObjectRule {
  readonly type: 'object';
  readonly fields: readonly FieldPlan[];
  /** One field's value in place of the object, or an object of these fields, with null for what is missing. */
  readonly result?: string | readonly string[];
}

export interface ArrayRule {
  readonly type: 'array';
  readonly of: ValueRule;
}

/** How one value is found, changed and read. */
export interface RulePlan {
  /** In order of preference: the first that says something gives the value, else the first that is there. */
  readonly branches: readonly BranchPlan[];
  readonly filters: readonly FilterPlan[];
  /** Of an array: one element at most. */
  readonly first?: boolean;
  /** The value is whether there is such a place, as what it says of it. */
  readonly whenFound?: boolean;
  readonly rule: ValueRule;
}

/** A rule with a name. */
export interface FieldPlan extends RulePlan {
  readonly name: string;
  /** A record without it is none, and so is an object within one. */
  readonly required: boolean;
}

/** How one type of record is read from a page. */
export interface RecordPlan {
  readonly type: string;
  /** The name of the field whose value is the record's key. */
  readonly key: string;
  /** One record per match, whose fields are searched in the match and in what it holds; without it, one record per page. */
  readonly each?: PlacePlan;
  readonly fields: readonly FieldPlan[];
  /** What `null` does to what is stored; `keep` leaves it. Default `clear`. */
  readonly nulls?: 'clear' | 'keep';
}

/** When a page says that there will be nothing more: every record of the type has one of these values there. */
export interface FinishedRule {
  readonly record: string;
  readonly field: string;
  readonly equals: readonly (string | number | boolean)[];
}

/** Which links of a page are told. */
export interface LinkPlan {
  /** Default: `href` of `a` and `area`, and of `link` where it is `next` or `canonical`. */
  readonly places?: readonly BranchPlan[];
  /** Selectors, in place of all these: `href` of the elements that match one, and of those within them. */
  readonly within?: readonly string[];
}

/** What a body is read as. */
export type DocumentKind = 'html' | 'xml' | 'json' | 'csv';

/** All that reading a page takes, as plain data that can be sent to a thread. */
export interface ExtractPlan {
  /** Equal only between equal plans: what was compiled for one is kept by this name. */
  readonly id: string;
  readonly document: DocumentKind;
  /** Of HTML: as it is written, or as a browser would build it. */
  readonly tree: 'fast' | 'browser';
  readonly csv?: CsvOptions;
  readonly records: readonly RecordPlan[];
  readonly finished?: FinishedRule;
  /** What leads to the next page of a list: a cursor, a number or an URL. */
  readonly next?: RulePlan;
  /** Set for pages whose links are followed, and for sitemaps. */
  readonly links?: LinkPlan | 'sitemap';
  /** Whether a page without any record is no failure. */
  readonly mayBeEmpty?: boolean;
}
