import type { NewEvent } from '../event/catalogue.ts';
import { StoreFullError } from '../store/lmdb/environment.ts';
import { putOrRemove } from '../store/lmdb/table.ts';
import type { Change, Store } from '../store/store.ts';
import { type CursorRow, type DeliveryRow, type ParkedRow, rowsOf, type SyncRow } from '../store/tables/sinks.ts';

/** The newest lines of a sink's delivery log, and dead letters, that are kept. */
export const kept = { deliveries: 500, dead: 1_000 };

/** The changes to the rows of a sink that are not saved yet. */
export class Unsaved {
  /** Rows of parked messages by serial; `undefined` for those that are parked no more. */
  readonly parked = new Map<number, ParkedRow | undefined>();
  readonly dead = new Map<number, ParkedRow>();
  readonly deliveries: DeliveryRow[] = [];
  readonly events: NewEvent[] = [];
  cursor: CursorRow | undefined;
  /** How far the sync under way is; `over` where it has ended. */
  sync: SyncRow | 'over' | undefined;

  isEmpty(): boolean {
    const { parked, dead, deliveries, events } = this;
    return (
      parked.size + dead.size + deliveries.length + events.length === 0 &&
      this.cursor === undefined &&
      this.sync === undefined
    );
  }

  /** Adds later changes. */
  followedBy(later: Unsaved): Unsaved {
    for (const [serial, row] of later.parked) this.parked.set(serial, row);
    for (const [serial, row] of later.dead) this.dead.set(serial, row);
    this.deliveries.push(...later.deliveries);
    this.events.push(...later.events);
    this.cursor = later.cursor ?? this.cursor;
    this.sync = later.sync ?? this.sync;
    return this;
  }

  /** Writes the changes in one transaction. Resolves with false if the disk is full; rejects with any other error of the store. */
  async save(store: Store, sink: string): Promise<boolean> {
    try {
      await store.write((change) => this.#write(store, change, sink), { evenWhenFull: true });
      return true;
    } catch (error) {
      if (error instanceof StoreFullError) return false;
      throw error;
    }
  }

  #write({ sinks, cursors }: Store, change: Change, sink: string): void {
    const keyed = <R>(rows: Iterable<readonly [number, R]>) =>
      Array.from(rows, ([serial, row]): [[string, number], R] => [[sink, serial], row]);
    putOrRemove(sinks.parked, keyed(this.parked));
    if (this.dead.size > 0) {
      putOrRemove(sinks.dead, keyed(this.dead));
      trim(sinks.dead, sink, kept.dead);
    }
    if (this.deliveries.length > 0) {
      const [last] = sinks.deliveries.keys({ ...rowsOf(sink), newestFirst: true, limit: 1 });
      let number = last?.[1] ?? 0;
      for (const row of this.deliveries.slice(-kept.deliveries)) sinks.deliveries.put([sink, (number += 1)], row);
      sinks.deliveries.removeRange({ from: [sink, 0], before: [sink, number - kept.deliveries + 1] });
    }
    if (this.cursor !== undefined) cursors.put(sink, this.cursor);
    if (this.sync === 'over') sinks.syncs.remove(sink);
    else if (this.sync !== undefined) sinks.syncs.put(sink, this.sync);
    for (const event of this.events) change.tell(event);
  }
}

/** Removes the oldest rows of a sink beyond the newest `keep`. */
function trim(rows: Store['sinks']['dead'], sink: string, keep: number): void {
  const keys = [...rows.keys(rowsOf(sink))];
  for (const key of keys.slice(0, Math.max(0, keys.length - keep))) rows.remove(key);
}
