import * as z from 'zod';
import { durationUpTo } from '../schema/duration.ts';
import { strict } from '../schema/strict.ts';

/** A hundred years: longer is a mistake. */
const Span = durationUpTo('36500d');
const Changes = z.int().min(1).max(10_000_000);

/** How much of the history of records is kept. */
export const HistorySettings = strict({
  /** Changes that are older go. Default: none goes for its age. */
  keep: Span.exactOptional(),
  /** How long all changes of a day are kept; then the first, last, least and greatest number of each field stay, of other fields the last value. */
  detail: Span.prefault('90d'),
  /** The newest changes of each record that stay. */
  changes: Changes.default(100_000),
});
export type HistorySettings = z.infer<typeof HistorySettings>;

/** How much of the history of a source's records is kept, where that is not what the daemon's configuration says. */
export const SourceHistory = strict({
  keep: Span.exactOptional(),
  detail: Span.exactOptional(),
  changes: Changes.exactOptional(),
});
