import type { Catalogue } from '../definition/catalogue.ts';
import type { Sink } from '../definition/sink.ts';
import { typesNamed } from '../definition/type-names.ts';
import type { Event } from '../event/catalogue.ts';
import { projectsOf } from '../schedule/watchers.ts';
import type { Store } from '../store/store.ts';
import type { SyncRow } from '../store/tables/sinks.ts';
import type { RecordView } from '../view/record.ts';
import { keyOf } from './event-message.ts';
import type { Entry } from './lanes.ts';
import { wantedOf } from './wanted.ts';

/** Records that are told at a time. */
const sliceRecords = 200;

/** The serials of synced records begin here, above the serials of all events. */
const beyondEvents = 2 ** 52;

/** The dependencies of a sync. */
export interface SyncDeps {
  readonly sink: Sink;
  readonly store: Store;
  readonly catalogue: Pick<Catalogue, 'sources'>;
  readonly now: number;
}

/** The next messages of a sync, and the row of the sync after them; the row is `undefined` at the end of the sync. */
export interface SyncSlice {
  readonly entries: readonly Entry[];
  readonly sync: SyncRow | undefined;
}

/** Reads the next records of a sync: those that the sink would be told of, as they are now. */
export function readSync(sync: SyncRow, { sink, store, catalogue, now }: SyncDeps): SyncSlice {
  const wanted = wantedOf(sink, { store, catalogue: () => catalogue });
  const entries: Entry[] = [];
  let { after } = sync;
  let looked = 0;
  for (const [source, type] of placesOf(sync.type, catalogue)) {
    if (after !== undefined && comesBefore([source, type], after)) continue;
    const from = after !== undefined && after.source === source && after.type === type ? after.key : undefined;
    for (const record of store.records.ofType(source, type, from)) {
      if (looked >= sliceRecords) return { entries, sync: { ...sync, ...(after !== undefined && { after }) } };
      looked += 1;
      after = { source, type, key: record.key };
      const event = eventOf(record, store, now);
      const found = wanted(event);
      if (found === undefined) continue;
      // Another sync of the record is another message.
      const id = `${store.generation()}-${sync.id}-${record.record}`;
      entries.push({
        serial: event.id,
        from: Infinity,
        key: keyOf(event),
        message: () => ({ id, key: keyOf(event), type: event.type, at: now, event, body: { ...event, id }, ...found }),
      });
    }
  }
  return { entries, sync: undefined };
}

/** The records of sources that are of a type, in order: by their own name, or as the shared type that they are. */
function placesOf(wanted: string, { sources }: Pick<Catalogue, 'sources'>): (readonly [string, string])[] {
  return [...sources]
    .flatMap(([id, { source }]) => typesNamed(source.records, wanted).map((name) => [id, name] as const))
    .sort((one, other) => (comesBefore(one, { source: other[0], type: other[1] }) ? -1 : 1));
}

function comesBefore(
  [source, type]: readonly [string, string],
  other: { readonly source: string; readonly type: string },
): boolean {
  return source < other.source || (source === other.source && type < other.type);
}

/** A record as an event that tells all its fields. */
function eventOf({ record, source, type, key, target, fields }: RecordView, store: Store, at: number): Event {
  const row = store.targets.get(target);
  const values = Object.entries(fields).map(([name, { value }]) => [name, { new: value }] as const);
  return {
    id: beyondEvents + record,
    version: 1,
    at,
    projects: row === undefined ? [] : projectsOf(row),
    source,
    target,
    type: 'record.synced',
    data: { type, key, fields: Object.fromEntries(values) },
  };
}
