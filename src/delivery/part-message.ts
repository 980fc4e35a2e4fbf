import type { Catalogue } from '../definition/catalogue.ts';
import { defined } from '../defined.ts';
import type { Event } from '../event/catalogue.ts';
import { wireId } from '../event/wire-id.ts';
import type { Message } from '../publish/sink.ts';
import type { Store } from '../store/store.ts';
import { wireEvent } from './event-message.ts';
import type { Part } from './gathering.ts';
import { postsBody } from './posts.ts';

/** The dependencies of making a message of several events. */
export interface PartDeps {
  readonly store: Pick<Store, 'generation' | 'events' | 'records' | 'targets'>;
  catalogue(): Pick<Catalogue, 'sources'>;
}

/** The message of one part of a digest: its events, as each would be told alone. */
export function digestMessage(sink: string, { serials, part, parts, link }: Part, { store }: PartDeps): Message {
  const events = eventsOf(serials, store);
  const [first, last] = [events[0], events.at(-1)];
  const id = wireId(store, serials.at(-1) ?? 0);
  const at = last?.at ?? 0;
  const body = {
    id,
    type: 'digest',
    at,
    from: first?.at ?? at,
    part,
    ...defined({ parts, missing: missingOf(serials, events) }),
    events: events.map((event) => wireEvent(store, event)),
  };
  return { id, key: `digest/${sink}`, type: 'digest', at, body, ...defined({ link }) };
}

/** The message of one part of what a scrape found: its records, the newest first. */
export function scrapeMessage({ serials, part, parts, link }: Part, { store, catalogue }: PartDeps): Message {
  const events = eventsOf(serials, store);
  const [first] = events;
  const id = wireId(store, serials.at(-1) ?? 0);
  const { at = 0, source = '', target = 0, scrape, projects } = first ?? {};
  const url = store.targets.get(target)?.url;
  const numbered = { part, ...defined({ parts, missing: missingOf(serials, events) }) };
  const message = {
    id,
    key: `target/${target}`,
    type: 'scrape.found',
    at,
    ...defined({ source: first?.source, link }),
  };
  const publishing = catalogue().sources.get(source)?.source;
  if (publishing?.publish !== undefined && url !== undefined) {
    const { posts } = publishing.publish;
    const pageOf = (type: string, key: string) => store.records.get(source, type, key)?.page?.url;
    return { ...message, body: postsBody(events, { source: publishing, posts, url, part: numbered, link, pageOf }) };
  }
  const subjects = { source, target, ...defined({ scrape, projects, url }) };
  const records = events.map((event) => foundRecord(event, store));
  return { ...message, body: { id, type: message.type, at, ...subjects, ...numbered, ...link, records } };
}

/** A record that a scrape added, with the values that it had then. */
function foundRecord({ source = '', data }: Event, { records }: Pick<Store, 'records'>) {
  if (!('fields' in data && 'type' in data && 'key' in data)) return {};
  const { type, key } = data;
  const now = records.get(source, type, key);
  const fields = Object.fromEntries(Object.entries(data.fields).map(([name, change]) => [name, change.new]));
  return { type, key, ...defined({ url: now?.page?.url ?? now?.url }), fields };
}

/** The number of events of a part that the log dropped before the part was due; `undefined` for none. */
function missingOf(serials: readonly number[], events: readonly Event[]): number | undefined {
  return serials.length > events.length ? serials.length - events.length : undefined;
}

/** The events of some serials, without those that are no longer kept. */
function eventsOf(serials: readonly number[], { events }: Pick<Store, 'events'>): Event[] {
  return serials.flatMap((serial) => events.get(serial) ?? []);
}
