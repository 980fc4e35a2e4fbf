import type { Event, EventOf, EventType } from '../event/catalogue.ts';

/** An event of one record. */
export type RecordEvent = EventOf<Extract<EventType, `record.${string}`>>;

/** Whether an event is of one record. */
export function isRecordEvent(event: Event): event is RecordEvent {
  return event.type.startsWith('record.');
}
