/** A field's value as stored: JSON, with money as `{ amount, currency }` (amount a decimal string) and instants as ISO 8601 text. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };

/** A record as extracted, before it is compared with the store. A field that is not named was absent; `null` clears. */
export interface RecordDraft {
  readonly type: string;
  readonly key: string;
  readonly fields: Readonly<Record<string, Value>>;
}

/** A text that was found but is not of its field's type; the field is lost, the record is not. */
export interface Unparsed {
  readonly record: string;
  readonly field: string;
  readonly text: string;
  readonly expected: string;
}

/** What one page gave: drafts in page order, and what health needs to know of how they were found. */
export interface Extraction {
  readonly drafts: readonly RecordDraft[];
  /** The page says that there will be nothing more to scrape. */
  readonly finished: boolean;
  /** Fields that no selector matched, as `record.field`. */
  readonly absent: readonly string[];
  readonly unparsed: readonly Unparsed[];
  /** SHA-256 of the body, in hexadecimal. */
  readonly digest: string;
}

/** The ways reading a page is expected to fail. */
export type ExtractFailure =
  | { readonly code: 'not_html'; readonly mediaType: string }
  | { readonly code: 'empty' }
  | { readonly code: 'no_record'; readonly missing: readonly string[] }
  | { readonly code: 'too_many_records'; readonly records: number; readonly limit: number }
  | { readonly code: 'extract_timeout'; readonly afterMs: number }
  | { readonly code: 'extract_crashed'; readonly cause: string };

export type ExtractOutcome =
  | { readonly ok: true; readonly extraction: Extraction }
  /** `excerpt` is the beginning of the page's text, markup and all, where there is any. */
  | { readonly ok: false; readonly failure: ExtractFailure; readonly excerpt?: string };
