import type { Excerpt } from './excerpt.ts';
import type { DocumentKind } from './plan.ts';
import type { Trial } from './trial.ts';

/** A field's value as stored: JSON, with money as `{ amount, currency }` (amount a decimal string) and instants as ISO 8601 text. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };

/** A record as extracted, before it is compared with the store. A field that is not named was absent; `null` clears. */
export interface RecordDraft {
  readonly type: string;
  readonly key: string;
  /** The page that it was found on, where that is not the one of its step. */
  readonly url?: string;
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
  /** Places that were looked at for a record. */
  readonly items: number;
  /** Those of them that lacked their key or a required field. */
  readonly refused: number;
  /** Records that were left out, as one before them on the page has their key and says something else; missing where there are none. */
  readonly repeated?: number;
  /** What leads to the next page of a list; missing at its end. */
  readonly next?: Value;
  /** Where the page links to, when the plan asks: absolute http and https URLs without fragments in page order, each once, 50,000 at most. */
  readonly links?: readonly string[];
  /** Of an index of sitemaps: where these are. */
  readonly sitemaps?: readonly string[];
  /** With links of a page: a 64-bit simhash of the page's text, as 16 hexadecimal digits. */
  readonly fingerprint?: string;
  /** Fields that no place matched, as `record.field`. */
  readonly absent: readonly string[];
  readonly unparsed: readonly Unparsed[];
  /** What else was noticed, as sentences. */
  readonly notes?: readonly string[];
}

/** The ways reading a page is expected to fail. */
export type ExtractFailure =
  | { readonly code: 'not_html'; readonly mediaType: string }
  | { readonly code: 'wrong_type'; readonly mediaType: string; readonly document: DocumentKind }
  | { readonly code: 'unparseable'; readonly document: DocumentKind; readonly message: string }
  | { readonly code: 'empty' }
  | { readonly code: 'too_many_parts'; readonly document: DocumentKind; readonly limit: number }
  | { readonly code: 'no_record'; readonly missing: readonly string[] }
  | { readonly code: 'too_many_records'; readonly limit: number }
  | { readonly code: 'extract_timeout'; readonly afterMs: number }
  | { readonly code: 'extract_crashed'; readonly cause: string };

export type ExtractOutcome =
  /**
   * `excerpt` is the beginning of the page's text, markup and all, where there is any; of a page that was read, only if it gave
   * no record and leads to little. `trial` where it was asked how each field came to its value; `cpuMs` is for
   * how long reading it kept its thread busy, where that was measured.
   */
  | {
      readonly ok: true;
      readonly extraction: Extraction;
      readonly excerpt?: Excerpt;
      readonly trial?: Trial;
      readonly cpuMs?: number;
    }
  | { readonly ok: false; readonly failure: ExtractFailure; readonly excerpt?: string; readonly trial?: Trial };
