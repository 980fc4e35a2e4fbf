import type { Sink } from '../definition/sink.ts';
import type { Event, EventType } from '../event/catalogue.ts';
import { closesAt, isAvailable, nextAvailable } from '../schedule/time/open-hours.ts';
import { eventMessage, keyOf } from './event-message.ts';
import { gatherDigest, type Gathering, gatherNothing, gatherScrapes, type Part, scrapeEvents } from './gathering.ts';
import type { Entry } from './lanes.ts';
import { digestMessage, type PartDeps, scrapeMessage } from './part-message.ts';
import { isTold } from './posts.ts';
import { isWantedType } from './wanted.ts';

/** How one sink groups events into messages, and which events it takes. */
export interface OpenGathering extends Gathering {
  /** `wanted`: taken if the sink's filter lets it through. `always`: taken whatever the filter says. */
  select(event: Event): 'wanted' | 'always' | undefined;
  /** Whether messages may fall due in another order than that of the first events in them. */
  readonly isComposite: boolean;
}

/** The dependencies of the gathering of a sink. */
export interface GatheringDeps extends PartDeps {
  /** Types of events that the sink's kind gets besides those that its file asks for. */
  readonly also?: readonly EventType[] | undefined;
}

/** Opens the gathering that a sink's file asks for. */
export function openGathering(sink: Sink, deps: GatheringDeps): OpenGathering {
  if (sink.per === 'scrape') {
    return {
      ...gatherScrapes((part) => partEntry(part, `target/${targetOf(part, deps)}`, () => scrapeMessage(part, deps))),
      isComposite: true,
      select({ type, source, data }) {
        if (!scrapeEvents.includes(type)) return undefined;
        if (type !== 'record.added') return 'always';
        const publishing = source === undefined ? undefined : deps.catalogue().sources.get(source)?.source;
        return publishing === undefined || !('type' in data) || isTold(publishing, data.type) ? 'wanted' : undefined;
      },
    };
  }
  const select = (event: Event) => {
    if (deps.also?.includes(event.type) === true) return 'always';
    return isWantedType(event, sink) ? 'wanted' : undefined;
  };
  if (sink.digest === undefined) {
    const entryOf = (event: Event, link: Parameters<Gathering['take']>[1]): Entry => ({
      serial: event.id,
      from: event.id,
      key: keyOf(event),
      message: () => eventMessage(deps.store, event, link),
    });
    return { ...gatherNothing(entryOf), isComposite: false, select };
  }
  const entryOf = (part: Part): Entry => partEntry(part, `digest/${sink.id}`, () => digestMessage(sink.id, part, deps));
  return { ...gatherDigest(endAfter(sink.digest), entryOf), isComposite: true, select };
}

function partEntry({ serials }: Part, key: string, message: Entry['message']): Entry {
  return { serial: serials.at(-1) ?? 0, from: serials[0] ?? 0, key, message };
}

function targetOf({ serials: [first = 0] }: Part, { store }: PartDeps): number {
  return store.events.get(first)?.target ?? 0;
}

/** Returns a function that finds the end of the digest that an instant belongs to: a multiple of the length since 1970, or the next of the times of day. */
function endAfter(digest: NonNullable<Sink['digest']>): (at: number) => number {
  if (typeof digest === 'number') return (at) => (Math.floor(at / digest) + 1) * digest;
  return (at) => {
    // Within the minute at which a digest is due, the next one is that of the next day.
    const from = isAvailable(digest, at) ? (closesAt(digest, at) ?? at) : at;
    return nextAvailable(digest, from) ?? Infinity;
  };
}
