import { acknowledged, assigned, type Moved, resolved, snoozed } from '../health/ticket-life.ts';
import type { TicketView } from '../view/ticket.ts';
import { acceptRuns, forgetUnusual } from './judge-run.ts';
import type { Store } from './store.ts';
import { settleHolds } from './settle-holds.ts';
import { keepTicket } from './tickets.ts';

/** What a person does with a ticket. */
export type TicketAct =
  | { readonly act: 'acknowledge' | 'accept' | 'resolve' }
  | { readonly act: 'assign'; readonly to: string | undefined }
  | { readonly act: 'snooze'; readonly until: number };

/**
 * Does with a ticket what a person wants, durably. What is held for a ticket that is accepted is published, and of one that is resolved forgotten. Resolves with
 * the ticket, or with why that cannot be done.
 */
export async function actOnTicket(
  store: Store,
  number: number,
  act: TicketAct,
  person?: string,
): Promise<TicketView | 'not_found' | 'resolved'> {
  const acted = await store.write(
    (change) => {
      const ticket = store.tickets.get(number);
      if (ticket === undefined) return 'not_found';
      if (ticket.state === 'resolved') return 'resolved';
      if (act.act === 'accept') acceptRuns(store, ticket);
      const after = keepTicket(store, change, afterAct(ticket, change.at, act, person));
      if (after.state === 'resolved') forgetUnusual(store, ticket);
      return after;
    },
    { durable: true },
  );
  if (typeof acted !== 'string' && acted.state === 'resolved')
    for (const source of acted.sources) await settleHolds(store, source);
  return acted;
}

function afterAct(ticket: TicketView, at: number, act: TicketAct, person: string | undefined): Moved {
  switch (act.act) {
    case 'acknowledge':
      return acknowledged(ticket, at, person);
    case 'accept':
      return resolved(ticket, at, 'accepted', person);
    case 'resolve':
      return resolved(ticket, at, 'person', person);
    case 'assign':
      return assigned(ticket, at, act.to, person);
    case 'snooze':
      return snoozed(ticket, at, act.until, person);
    default:
      return act satisfies never;
  }
}
