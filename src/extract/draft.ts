import type { DrawnPage } from '../view/drawn-page.ts';
import type { Repair } from '../view/repair.ts';
import type { Cause } from '../view/ticket.ts';
import type { Unparsed } from '../view/scrape.ts';
import type { Value } from './value/value.ts';
import type { Excerpt } from './excerpt.ts';
import type { DocumentName } from './document/all.ts';
import type { ReadForm } from './form.ts';
import type { Trial } from './trial.ts';

/** A record as extracted, before it is compared with the store. A field that is not named was absent; `null` clears. */
export interface RecordDraft {
  readonly type: string;
  readonly key: string;
  /** The page that it was found on, where that is not the one of its step. */
  readonly url?: string;
  /** The address of a page that says more of the record. */
  readonly page?: string;
  /** What the texts of dates say at least, as `month` for a day that stands for one, by the path of the field. */
  readonly precision?: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, Value>>;
}

/** The result of reading one page: drafts in page order, and how they were found. */
export interface Extraction {
  readonly drafts: readonly RecordDraft[];
  /** A plug-in says that there will be nothing more to scrape. */
  readonly finished: boolean;
  /** How many matches were read as a record, whether they are one or not. */
  readonly items: number;
  /** How many of `items` lacked their key or a required field. */
  readonly refused: number;
  /** How many records contradict an earlier one with their key; missing if there are none. */
  readonly repeated?: number;
  /** The cursor, number or address that leads to the next page of a list; missing at its end. */
  readonly next?: Value;
  /** Links of the page, if the plan asks for them: absolute http and https URLs without fragments, in page order, each once; 50,000 at most. */
  readonly links?: readonly string[];
  /** Addresses of the sitemaps in an index of sitemaps. */
  readonly sitemaps?: readonly string[];
  /** When pages of a sitemap have changed at the latest, by their addresses as `links` has them; missing for a page where the sitemap does not say so. */
  readonly changedBy?: Readonly<Record<string, number>>;
  /** A 64-bit simhash of the page's text, as 16 hexadecimal digits; only with `links`. */
  readonly fingerprint?: string;
  /** The form of the page, if the plan asks for it. */
  readonly form?: ReadForm;
  /** Fields that no record has, as `record.field`. */
  readonly absent: readonly string[];
  /** Fields that are there and say nothing in each record that has them, as `record.field`; missing if there are none. */
  readonly blank?: readonly string[];
  readonly unparsed: readonly Unparsed[];
  /** Other observations, as sentences. */
  readonly notes?: readonly string[];
  /** Set where a limit kept the browser from showing all that the page has. */
  readonly isCut?: true;
  /** The element in which an HTML page ends, as one that was cut off does; missing where all are closed, or may be left open. */
  readonly endsIn?: string;
}

/** Why a page could not be read. */
export type ExtractFailure =
  | { readonly code: 'not_html'; readonly mediaType: string }
  | { readonly code: 'wrong_type'; readonly mediaType: string; readonly document: DocumentName }
  | { readonly code: 'unparseable'; readonly document: DocumentName; readonly message: string }
  | { readonly code: 'empty' }
  | { readonly code: 'too_many_parts'; readonly document: DocumentName; readonly limit: number }
  | { readonly code: 'no_record'; readonly missing: readonly string[]; readonly endsIn?: string }
  | { readonly code: 'too_many_records'; readonly limit: number }
  | { readonly code: 'extract_timeout'; readonly afterMs: number }
  | { readonly code: 'extract_crashed'; readonly cause: string };

/** What reading a page on a thread gave. */
export type ThreadOutcome = ExtractOutcome & {
  /** The body of the page, where it was to come back. */
  readonly body?: ArrayBuffer;
  /** The cause of a ticket, where the page was compared. */
  readonly cause?: Cause;
  /** The repairs that were searched. */
  readonly repairs?: readonly Repair[];
  /** The page, where it was to be drawn. */
  readonly drawn?: DrawnPage;
};

/** What reading a page gave. */
export type ExtractOutcome =
  /**
   * `excerpt` is the beginning of the page's text, markup included. A page that was read has one only if it gave no record and has
   * fewer than `fewLinks` links. `trial` is set if the input had `explain`. `cpuMs` is how long reading kept its thread busy, where
   * that was measured.
   */
  | {
      readonly ok: true;
      readonly extraction: Extraction;
      readonly excerpt?: Excerpt;
      readonly trial?: Trial;
      readonly cpuMs?: number;
    }
  | {
      readonly ok: false;
      readonly failure: ExtractFailure;
      readonly excerpt?: string;
      readonly trial?: Trial;
      readonly cpuMs?: number;
    };
