import type { Event } from '../event/catalogue.ts';
import type { Link } from '../publish/sink.ts';
import type { Entry } from './lanes.ts';

/** Turns the events that a sink wants into the messages that it gets. It holds back serials alone, never events. */
export interface Gathering {
  /** Takes the next event. Returns the entries that it makes due. */
  take(event: Event, link: Link | undefined): readonly Entry[];
  /** Returns what is due at an instant, once all events up to it were taken. */
  release(now: number): readonly Entry[];
  /** When `release` next has something to return. */
  dueAt(): number | undefined;
  /** The first event that is held back; the cursor stays below it. */
  heldFrom(): number | undefined;
}

/** Gathers nothing: makes one message of each event. */
export function gatherNothing(entryOf: (event: Event, link: Link | undefined) => Entry): Gathering {
  return {
    take: (event, link) => [entryOf(event, link)],
    release: () => [],
    dueAt: () => undefined,
    heldFrom: () => undefined,
  };
}

/** Some events that make one message: a digest, or a part of what a scrape found. */
export interface Part {
  /** The serials of the events, in order; one at least. */
  readonly serials: readonly number[];
  /** From 1. */
  readonly part: number;
  /** How many parts there are; missing where a bound sent this one before the end was known. */
  readonly parts?: number;
  readonly link?: Link | undefined;
}

/** Events of one digest message, at most. */
export const digestPart = 500;
/** The largest number of events that a digest holds back; beyond it the first parts are sent early. */
const mostHeld = 50_000;

/** How long after the end of a span its last events may still be on their way to the log, in ms. */
const graceMs = 1_000;

/**
 * One message for all events of a span, in parts.
 *
 * @param endAfter - the end of the span that an instant lies in.
 */
export function gatherDigest(endAfter: (at: number) => number, entryOf: (part: Part) => Entry): Gathering {
  let held: number[] = [];
  let sent = 0;
  let link: Link | undefined;
  let end = -Infinity;

  return {
    take(event, linked) {
      // An event may have begun before the one that was told before it.
      const due = held.length > 0 && event.at >= end ? giveOut() : [];
      if (held.length === 0) {
        end = endAfter(event.at);
        sent = 0;
        link = linked;
      }
      held.push(event.id);
      if (held.length < mostHeld) return due;
      sent += 1;
      return [...due, entryOf({ serials: held.splice(0, digestPart), part: sent, link })];
    },
    release: (now) => (held.length > 0 && now >= end + graceMs ? giveOut() : []),
    dueAt: () => (held.length > 0 ? end + graceMs : undefined),
    heldFrom: () => held[0],
  };

  function giveOut(): Entry[] {
    const chunks = chunksOf(held, digestPart);
    held = [];
    return chunks.map((serials, index) =>
      entryOf({ serials, part: sent + index + 1, parts: sent + chunks.length, link }),
    );
  }
}

/** Records of one message of what a scrape found, at most. */
export const scrapePart = 1_000;
/** Records that are held back, at most, over all scrapes that run; beyond them a scrape's first parts are sent early. */
const mostRecords = 1_000_000;

interface RunningScrape {
  readonly serials: number[];
  link: Link | undefined;
  sent: number;
}

/** One message when a scrape ends, with all records that it added, the newest first, in parts; none where it added none. A record that a pulse added is a message of its own. */
export function gatherScrapes(entryOf: (part: Part) => Entry): Gathering {
  const scrapes = new Map<number, RunningScrape>();
  let count = 0;

  return {
    take(event, link) {
      const { scrape } = event;
      // What a pulse adds is told at once: the next end of a scrape of the target may be far, and the cursor would wait for it.
      if (scrape === undefined)
        return event.type === 'record.added' ? [entryOf({ serials: [event.id], part: 1, parts: 1, link })] : [];
      if (event.type === 'record.added') return add(scrape, event.id, link);
      if (!endings.has(event.type)) return [];
      const found = scrapes.get(scrape);
      if (found === undefined) return [];
      scrapes.delete(scrape);
      count -= found.serials.length;
      // What is newest stands first in lists, and was told first.
      const chunks = chunksOf(found.serials, scrapePart);
      const parts = found.sent + chunks.length;
      return chunks.map((serials, index) =>
        entryOf({ serials, part: found.sent + index + 1, parts, link: found.link }),
      );
    },
    release: () => [],
    dueAt: () => undefined,
    heldFrom() {
      let first: number | undefined;
      for (const { serials } of scrapes.values()) first = Math.min(serials[0] ?? Infinity, first ?? Infinity);
      return first === Infinity ? undefined : first;
    },
  };

  function add(scrape: number, serial: number, link: Link | undefined): Entry[] {
    const found = scrapes.get(scrape) ?? { serials: [], link, sent: 0 };
    scrapes.set(scrape, found);
    found.serials.push(serial);
    count += 1;
    if (count < mostRecords || found.serials.length <= scrapePart) return [];
    found.sent += 1;
    count -= scrapePart;
    return [entryOf({ serials: found.serials.splice(0, scrapePart), part: found.sent, link: found.link })];
  }
}

const endings: ReadonlySet<string> = new Set([
  'scrape.completed',
  'scrape.failed',
  'scrape.aborted',
  'scrape.cancelled',
]);

/** The types of events that `gatherScrapes` takes. */
export const scrapeEvents: readonly string[] = ['record.added', ...endings];

function chunksOf<T>(list: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / length) }, (_, index) =>
    list.slice(index * length, (index + 1) * length),
  );
}
