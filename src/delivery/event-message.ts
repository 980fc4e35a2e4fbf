import type { Event } from '../event/catalogue.ts';
import { wireId } from '../event/wire-id.ts';
import type { Link, Message } from '../publish/sink.ts';
import type { Store } from '../store/store.ts';

/** An event as it is told outside the daemon. */
export function wireEvent(store: Pick<Store, 'generation'>, event: Event): Omit<Event, 'id'> & { readonly id: string } {
  return { ...event, id: wireId(store, event.id) };
}

/** The message of one event. */
export function eventMessage(store: Pick<Store, 'generation'>, event: Event, link: Link | undefined): Message {
  const body = wireEvent(store, event);
  const { type, at } = event;
  return { id: body.id, key: keyOf(event), type, at, event, body, ...(link !== undefined && { link }) };
}

/** Events of the log that are no longer kept, and that a sink had not read: their first and last serial. */
export interface LostEvents {
  readonly from: number;
  readonly to: number;
  /** The wall time of the first event after them. */
  readonly at: number;
}

/** The message by which a sink learns that it gets none of some events. Its id names the first and the last of them. */
export function lostMessage(store: Pick<Store, 'generation'>, sink: string, { from, to, at }: LostEvents): Message {
  const event: Event = { id: from, version: 1, at, type: 'sink.lagged', data: { sink, from, to } };
  const id = `${wireId(store, from)}-${to}`;
  return { id, key: keyOf(event), type: event.type, at, event, body: { ...event, id } };
}

/** The key of an event: messages of one key are delivered in order. It names the record, else the target, source or project. */
export function keyOf({ type, source, target, projects, data }: Event): string {
  if (/^(?:record|file)\./.test(type) && 'type' in data && 'key' in data) return `${source}/${data.type}/${data.key}`;
  if (target !== undefined) return `target/${target}`;
  if (source !== undefined) return `source/${source}`;
  const [project] = projects ?? [];
  return project === undefined ? type : `project/${project}`;
}
