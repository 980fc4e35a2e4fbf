import type { Event } from './catalogue.ts';
import { defined } from '../defined.ts';
import type { ScrapeView } from '../view/scrape.ts';

/** The members of an event that tells of a scrape, besides those of the scrape. */
export interface ScrapeTelling {
  readonly id: number;
  /** The active projects that watched the target then. */
  readonly projects: readonly string[];
  /** The id that the source had then. */
  readonly source: string;
}

const types = {
  complete: 'scrape.completed',
  failed: 'scrape.failed',
  aborted: 'scrape.aborted',
  cancelled: 'scrape.cancelled',
} as const;

const ends: ReadonlySet<string> = new Set(Object.values(types));

/** Whether events of a type tell of the end of a scrape. */
export function isScrapeEnd(type: string): boolean {
  return ends.has(type);
}

/** Makes the event of the begin of a scrape, with the instant of the begin, in version 1 of the form of events. */
export function startedEvent(
  { target, scrape, reason, version, startedAt: at }: ScrapeView,
  { id, ...subjects }: ScrapeTelling,
): Event {
  return { id, version: 1, at, type: 'scrape.started', ...subjects, target, scrape, data: { reason, version } };
}

/** Makes the event of the end of a scrape, in version 1 of the form of events. Throws for one that has not ended. */
export function endedEvent(
  { target, scrape, status, endedAt: at, reason, steps, counts, ...row }: ScrapeView,
  { id, ...subjects }: ScrapeTelling,
): Event {
  if (status === 'waiting' || status === 'running' || at === undefined)
    throw new Error(`event ${id}: expected scrape ${scrape} to have ended, it is ${status}`);
  const { errors, repeated, unparsed, endReason, failure, unfound, pagesLeft } = row;
  const data = {
    ...{ reason, steps, counts },
    ...defined({ errors, repeated, unparsed, endReason, failure, unfound, pagesLeft }),
  };
  return { id, version: 1, at, type: types[status], ...subjects, target, scrape, data };
}
