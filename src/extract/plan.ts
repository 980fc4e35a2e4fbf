/** What the text at one place of a page is. */
export type ScalarRule =
  | { readonly type: 'text' | 'date' | 'datetime' | 'url' | 'json' }
  | { readonly type: 'integer' | 'number'; readonly decimal?: '.' | ',' }
  | { readonly type: 'boolean'; readonly true?: readonly string[]; readonly false?: readonly string[] }
  | { readonly type: 'money'; readonly currency?: string; readonly decimal?: '.' | ',' };

/** What a field's text is; an array takes every match, all others the first. */
export type ValueRule = ScalarRule | { readonly type: 'array'; readonly of: ScalarRule };

/** Where one field is, and what it is. */
export interface FieldPlan {
  readonly name: string;
  readonly css: string;
  /** The attribute to read in place of the element's text. */
  readonly attr?: string;
  /** A record without it is none. */
  readonly required: boolean;
  readonly rule: ValueRule;
}

/** How one type of record is read from a page. */
export interface RecordPlan {
  readonly type: string;
  /** The name of the field whose value is the record's key. */
  readonly key: string;
  /** One record per match, whose fields are searched in the match and in what it holds; without it, one record per page. */
  readonly each?: string;
  readonly fields: readonly FieldPlan[];
}

/** When a page says that there will be nothing more: every record of the type has one of these values there. */
export interface FinishedRule {
  readonly record: string;
  readonly field: string;
  readonly equals: readonly (string | number | boolean)[];
}

/** All that reading a page takes, as plain data that can be sent to a thread. */
export interface ExtractPlan {
  /** Equal only between equal plans: what was compiled for one is kept by this name. */
  readonly id: string;
  readonly tree: 'fast' | 'browser';
  readonly records: readonly RecordPlan[];
  readonly finished?: FinishedRule;
}
