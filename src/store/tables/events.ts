import type { Environment } from '../environment.ts';
import type { EventRow } from '../rows.ts';
import { type NumberedTable, numberedTable } from './numbered.ts';

/** What the world is told, in the order of the commits. */
export type EventTable = NumberedTable<EventRow>;

export function eventTable(environment: Environment): EventTable {
  return numberedTable(environment, 'events');
}
