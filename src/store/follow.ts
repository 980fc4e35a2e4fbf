import { setImmediate } from 'node:timers/promises';
import { defined } from '../defined.ts';
import type { Event } from '../event/catalogue.ts';
import { isOfType } from '../event/of-type.ts';
import type { Store } from './store.ts';

/** The events that a follower wants: those that match all that is set. */
export interface WantedEvents {
  readonly project?: string;
  readonly source?: string;
  readonly scrape?: number;
  /** Event types; a `*` at the end stands for any rest, as in `scrape.*`. */
  readonly types?: readonly string[];
}

/** A part of the event log, in the order of the commits. */
export interface LogSlice {
  /** The wanted events of the slice; none when the slice holds others only. */
  readonly events: readonly Event[];
  /** The last event that was read, wanted or not: following resumes after it. */
  readonly upTo: number;
  /** Stored events after `upTo`. */
  readonly behind: number;
  /** Set when events that the follower has not read are no longer kept: the id of the last one of them. */
  readonly trimmedTo?: number;
}

/** Rows that are read at a time, so that a follower holds no more in memory. */
const sliceRows = 100;

/**
 * Follows the event log: yields all events after `after` slice by slice, first those that are stored, then new ones as they are
 * committed: these are not read again, and are the same objects for all who follow. Waits while there are none, and leaves the event
 * loop free between two full slices. Ends when `signal` fires, and when the store is closed before a slice is read.
 */
export async function* follow(
  { events, onEvents, isClosed }: Pick<Store, 'events' | 'onEvents' | 'isClosed'>,
  after: number,
  wanted: WantedEvents,
  signal: AbortSignal,
): AsyncGenerator<LogSlice, void, void> {
  let upTo = after;
  let wake = (): void => {};
  let told: Event[] = [];
  const stop = onEvents((_, committed) => {
    told = told.length + committed.length > sliceRows ? [] : [...told, ...committed];
    wake();
  });
  const wakeAtEnd = (): void => wake();
  signal.addEventListener('abort', wakeAtEnd);
  try {
    while (!signal.aborted && !isClosed()) {
      const rows = followsOn(told, upTo) ? told : stored(upTo);
      told = [];
      const [first] = rows;
      if (first === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      const trimmedTo = first.id > upTo + 1 ? first.id - 1 : undefined;
      upTo = rows.at(-1)?.id ?? first.id;
      const behind = events.last() - upTo;
      yield { events: rows.filter((event) => isWanted(event, wanted)), upTo, behind, ...defined({ trimmedTo }) };
      if (rows.length === sliceRows) await setImmediate();
    }
  } finally {
    signal.removeEventListener('abort', wakeAtEnd);
    stop();
  }

  function stored(upTo: number): readonly Event[] {
    // A look at a range that is empty takes longer than all else that a follower does for an event.
    return events.last() > upTo ? [...events.rows({ after: upTo, limit: sliceRows })] : [];
  }
}

/** Whether these are the events behind one, without a gap. */
function followsOn(told: readonly Event[], upTo: number): boolean {
  return told.length > 0 && told.every(({ id }, place) => id === upTo + 1 + place);
}

function isWanted(event: Event, { project, source, scrape, types }: WantedEvents): boolean {
  return (
    (project === undefined || event.projects?.includes(project) === true) &&
    (source === undefined || event.source === source) &&
    (scrape === undefined || event.scrape === scrape) &&
    (types === undefined || types.some((type) => isOfType(event.type, type)))
  );
}
