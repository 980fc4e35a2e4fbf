import type { EventType } from './catalogue.ts';

/** The events that tell of corrections of the history, which carry their ids as serials and come after them. */
const correcting: ReadonlySet<EventType> = new Set(['reextraction.applied', 'records.recalled']);

/** Whether an event stands for corrections of many records, of which no other event tells. */
export function tellsCorrections(type: EventType): boolean {
  return correcting.has(type);
}
