import type { Value } from '../extract/draft.ts';

/** How far a walk to the end of a list has come, over all scrapes that it takes. */
export interface Reach {
  /** Of the definition that it reads by. */
  readonly version: string;
  /** The last page that gave records, counted from 1, with what leads there. */
  readonly place: {
    readonly url: string;
    readonly page: number;
    readonly cursor?: Value;
    readonly body?: Readonly<Record<string, string | number>>;
    readonly size?: number;
  };
  /** Digests of what stood on the page before as well, as what is shown on every page does; missing where nothing did. */
  readonly standing?: readonly string[];
  /** The scrape that began the walk, and the last one that wrote this. */
  readonly since: number;
  readonly by: number;
  /** How many drafts the walk had found before that page. */
  readonly before: number;
  /** Scrapes in a row that went on there and came no further, as the site could not be asked. */
  readonly stuck?: number;
  /**
   * Set where a limit ended the walk: it is neither gone on with nor begun anew. What it has stored counts as known from then on, and
   * what lies behind its last page is left out.
   */
  readonly isOver?: true;
}
