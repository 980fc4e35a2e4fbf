import type { Cheerio, CheerioAPI } from 'cheerio/slim';
import type { AnyNode } from 'domhandler';
import type { CauseKind } from '../view/ticket.ts';

/** An answer of a site, as a drill changes it. */
export interface DrillPage {
  readonly url: string;
  readonly status: number;
  readonly html: string;
}

/** A field of a record and the selector by which a definition finds it on the page. */
export interface DrillField {
  readonly record: string;
  readonly field: string;
  readonly css: string;
  readonly attr?: string | undefined;
}

/** A page that is changed, and what of it a definition reads. */
export interface Subject {
  readonly page: DrillPage;
  /** The selector of the records; missing where the page is one record. */
  readonly items?: string | undefined;
  readonly fields: readonly DrillField[];
  /** Names of the fields that make the key of a record. */
  readonly key: readonly string[];
}

/** A page that is parsed to be changed in place. */
export interface Opened {
  readonly $: CheerioAPI;
  readonly page: DrillPage;
  /** The elements of the records; the whole document where the page is one record. */
  readonly items: Cheerio<AnyNode>;
  /** The elements of the field that is changed, in the order of the page. */
  readonly found: Cheerio<AnyNode>;
  readonly field: DrillField;
  readonly random: () => number;
}

/**
 * A way in which sites change under a definition.
 *
 * `apply` changes the opened page in place, or returns another answer in place of it. It returns `false` where the page has nothing that could
 * be changed so.
 */
export interface Mutation {
  readonly name: string;
  /** The causes that name it rightly. */
  readonly causes: readonly CauseKind[];
  /** Whether everything that the page said is still there, so that other rules could read it. */
  readonly keepsAll: boolean;
  apply(opened: Opened): void | false | DrillPage;
}

/** Returns a page with another content. */
export function withHtml({ page }: Opened, html: string, more: Partial<DrillPage> = {}): DrillPage {
  return { ...page, ...more, html };
}
