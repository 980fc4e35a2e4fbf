import type { Behaviour, Self } from '../src/actor/types.ts';
import { follow, type LogSlice } from '../src/store/follow.ts';
import type { Store } from '../src/store/store.ts';
import type { TicketView } from '../src/view/ticket.ts';

/** The messages of the actor that finds the causes of tickets. */
export type DiagnoserMessage =
  | { readonly type: 'read'; readonly slice: LogSlice | undefined }
  /** The pages that show a ticket may be kept by now. */
  | { readonly type: 'look' }
  | { readonly type: 'diagnosed' };

/** The dependencies of the actor. */
export interface DiagnoserDeps {
  readonly store: Store;
  /** Finds the cause of a ticket and stores it, where there is evidence. */
  diagnose(ticket: number, signal: AbortSignal): Promise<void>;
  /** Whether repairs of the present definition are still to be searched for a ticket whose cause is known. */
  lacksRepairs(ticket: TicketView): boolean;
}

/** The time from a ticket to the look at its pages, in ms: these are kept some 25 ms after the commit, later on a slow disk. */
const keptMs = 500;

/** Tickets without a cause or without repairs that are looked at when the actor starts, the newest first. */
const lookedAtStart = 100;

/** Finds the causes of tickets and repairs for them, one ticket at a time: of each that is opened, reopened, has a further symptom or comes back after a repair. */
export function diagnoser(
  self: Self<DiagnoserMessage>,
  { store, diagnose, lacksRepairs }: DiagnoserDeps,
): Behaviour<DiagnoserMessage> {
  const types = ['ticket.opened', 'ticket.changed', 'ticket.reopened'];
  const log = follow(store, store.events.last(), { types }, self.signal);
  const waiting = new Set<number>();
  let isBusy = false;
  for (const ticket of store.tickets.unresolved()) {
    if (waiting.size === lookedAtStart) break;
    const { cause } = ticket;
    // The daemon may have ended between the cause and the repairs, whose search takes up to half a minute.
    if (cause === undefined || cause.kind === 'unknown' || lacksRepairs(ticket)) waiting.add(ticket.ticket);
  }
  self.after(keptMs, { type: 'look' });
  read();

  return {
    receive(message) {
      switch (message.type) {
        case 'read':
          return message.slice && noted(message.slice);
        case 'look':
          return next();
        case 'diagnosed':
          isBusy = false;
          return next();
        default:
          message satisfies never;
      }
    },
  };

  function read(): void {
    self.task(
      async () => (await log.next()).value ?? undefined,
      (slice) => ({ type: 'read', slice }),
    );
  }

  function noted({ events }: LogSlice): void {
    for (const event of events) if ('symptoms' in event.data && isNew(event)) waiting.add(event.data.ticket);
    if (waiting.size > 0) self.after(keptMs, { type: 'look' });
    read();
  }

  /** Whether a ticket has something to be looked at: no cause that is known, a fault that its repair has not ended, or a symptom more, which may have been added while it was snoozed. */
  function isNew({ data }: LogSlice['events'][number]): boolean {
    if (!('symptoms' in data)) return false;
    if ('change' in data) return ['symptoms', 'recurred', 'unsnoozed'].includes(data.change);
    return data.cause === undefined || data.cause.kind === 'unknown';
  }

  function next(): void {
    const [ticket] = waiting;
    if (isBusy || ticket === undefined) return;
    waiting.delete(ticket);
    isBusy = true;
    self.task(
      (signal) => diagnose(ticket, signal),
      () => ({ type: 'diagnosed' }),
    );
  }
}
