import type { Close } from '../store/ops.ts';

/** How a scrape ends, as its walk knows it; the copy of its page is the scrape's own to add. */
export type ScrapeEnd = Omit<Close, 'copy'>;
