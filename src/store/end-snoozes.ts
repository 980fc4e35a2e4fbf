import { unsnoozed } from '../health/ticket-life.ts';
import type { Store } from './store.ts';
import { keepTicket } from './tickets.ts';

/** When the next snooze of a ticket is over; `undefined` while none is snoozed. */
export function nextSnoozeEnd({ tickets }: Store): number | undefined {
  const ends = Array.from(tickets.snoozes(), ({ row: until }) => until);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Tells of the tickets whose snooze is over, as they are then. */
export async function endSnoozes(store: Store): Promise<void> {
  const now = store.now();
  const over = Array.from(store.tickets.snoozes()).filter(({ row: until }) => until <= now);
  if (over.length === 0) return;
  await store.write((change) => {
    for (const { key: number } of over) {
      const ticket = store.tickets.get(number);
      if (ticket?.snoozedUntil !== undefined && ticket.snoozedUntil <= change.at)
        keepTicket(store, change, unsnoozed(ticket, change.at));
    }
  });
}
