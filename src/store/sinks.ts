import { defined } from '../defined.ts';
import type { Store } from './store.ts';
import { type Attempts, rowsOf } from './tables/sinks.ts';

/** Sets the cursor of each new sink to the end of the event log. To be called within a transaction. */
export function beginSinks({ cursors, events }: Store, sinks: Iterable<string>): void {
  for (const sink of sinks) cursors.putNew(sink, { serial: events.last() });
}

/** Removes the cursors, parked messages, dead letters and logs of all sinks that are not `known`. Rejects with `StoreFullError` if the store has no room. */
export async function forgetSinks({ cursors, sinks, write }: Store, known: ReadonlySet<string>): Promise<void> {
  const gone = [...cursors.keys()].filter((sink) => !known.has(sink));
  if (gone.length === 0) return;
  await write(
    () => {
      for (const sink of gone) {
        cursors.remove(sink);
        for (const rows of [sinks.parked, sinks.dead, sinks.deliveries]) rows.removeRange(rowsOf(sink));
        sinks.syncs.remove(sink);
      }
    },
    { evenWhenFull: true },
  );
}

/**
 * The id of the last event before an instant, not counting `scrape.started`, which has an instant of its own. If that event is no longer
 * kept, the id before the oldest event that is.
 */
export function lastBefore({ events }: Store, at: number): number {
  let low = (events.first() ?? 1) - 1;
  let high = events.last();
  // Instants of commits hardly ever go back; a begin has its own instant, and is told with the first commit of its scrape.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    let probe = middle;
    while (probe <= high && events.get(probe)?.type === 'scrape.started') probe += 1;
    if (probe <= high && (events.get(probe)?.at ?? -Infinity) < at) low = probe;
    else high = middle - 1;
  }
  return low;
}

/** Sets the cursor of a sink back to an event, so that all later events are delivered again, including its dead letters. Its deliverer must not run. */
export async function replayAfter(
  { cursors, events, sinks, write }: Store,
  sink: string,
  serial: number,
): Promise<void> {
  await write(
    () => {
      cursors.put(sink, { serial });
      // They are read from the log again, also dead ones, which would be out of order if they were revived meanwhile. Those of a
      // sync, and of events that are no longer kept, stand in no log.
      const last = Math.max(serial, (events.first() ?? events.last() + 1) - 1);
      for (const rows of [sinks.parked, sinks.dead])
        rows.removeRange({ after: [sink, last], before: [sink, events.last() + 1] });
    },
    { durable: true },
  );
}

/** Queues all dead letters of a sink for delivery again. Its deliverer must not run. Returns their number. */
export function reviveDead({ sinks, write }: Store, sink: string): Promise<number> {
  return write(
    () => {
      const dead = [...sinks.dead.entries(rowsOf(sink))];
      const anew: Attempts = { attempts: 0, firstAt: 0, nextAt: 0 };
      for (const { key, row } of dead) {
        const { message, bytes, place } = row;
        sinks.parked.put(key, { ...anew, message, bytes, ...defined({ place }) });
        sinks.dead.remove(key);
      }
      return dead.length;
    },
    { durable: true },
  );
}
