import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Self } from '../src/actor/types.ts';
import { isCauseUnknown } from '../src/diagnosis/diagnose-ticket.ts';
import { follow, type LogSlice } from '../src/store/follow.ts';
import type { Store } from '../src/store/store.ts';
import type { TicketView } from '../src/view/ticket.ts';

/** The messages of the actor that finds the causes of tickets. */
export type DiagnoserMessage =
  | { readonly type: 'read'; readonly slice: LogSlice | undefined }
  /** The pages that show a ticket may be kept by now. */
  | { readonly type: 'look' }
  | { readonly type: 'diagnosed'; readonly ticket: number }
  /** More pages that show a ticket may be kept by now. */
  | { readonly type: 'look-again'; readonly ticket: number }
  /** Other definitions of sources are in use: what is proposed for their tickets is of those before. */
  | { readonly type: 'defined'; readonly sources: readonly string[] };

/** The dependencies of the actor. */
export interface DiagnoserDeps {
  readonly registry: Registry<'diagnoser', DiagnoserMessage>;
  readonly store: Store;
  /**
   * Finds the cause of a ticket, and repairs, and stores them, where there is evidence.
   *
   * @param isAgain - set where the ticket was looked at before: a cause that is known stays.
   */
  diagnose(ticket: number, signal: AbortSignal, isAgain: boolean): Promise<void>;
  /** Whether repairs of the present definition are still to be searched for a ticket whose cause is known. */
  lacksRepairs(ticket: TicketView): boolean;
}

/** The time from a ticket to the look at its pages, in ms: these are kept some 25 ms after the commit, later on a slow disk. */
const keptMs = 500;

/** Tickets without a cause or without repairs that are looked at when the actor starts, the newest first. */
const lookedAtStart = 100;

/** A ticket without a cause or without enough repairs is looked at again after this time, in ms, then after twice as long, up to a day. */
const [againMs, mostAgainMs] = [2_000, 86_400_000];

/** A ticket that is to be looked at again. */
interface Again {
  /** How often it was seen when it was looked at. */
  readonly occurrences: number;
  /** The time until then, in ms. */
  readonly afterMs: number;
}

/**
 * Finds the causes of tickets and repairs for them, one ticket at a time: of each that is opened, reopened, has a further symptom or comes back after a
 * repair; and again where it was seen on more pages since, and these may tell more.
 */
export function diagnoser(
  self: Self<DiagnoserMessage>,
  { registry, store, diagnose, lacksRepairs }: DiagnoserDeps,
): Behaviour<DiagnoserMessage> {
  self.register(registry, 'diagnoser');
  const types = ['ticket.opened', 'ticket.changed', 'ticket.reopened'];
  const log = follow(store, store.events.last(), { types }, self.signal);
  const waiting = new Set<number>();
  const again = new Map<number, Again>();
  let isBusy = false;
  for (const ticket of store.tickets.unresolved()) {
    if (waiting.size === lookedAtStart) break;
    // The daemon may have ended between the cause and the repairs, whose search takes up to half a minute.
    if (wantsPages(ticket)) waiting.add(ticket.ticket);
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
          lookLater(message.ticket);
          return next();
        case 'look-again':
          return lookAgain(message.ticket);
        case 'defined':
          return lookByOthers(new Set(message.sources));
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
    for (const event of events) {
      if (!('symptoms' in event.data) || !isNew(event)) continue;
      waiting.add(event.data.ticket);
      again.delete(event.data.ticket);
    }
    if (waiting.size > 0) self.after(keptMs, { type: 'look' });
    read();
  }

  /** Whether a ticket has something to be looked at: no cause that is known, a fault that its repair has not ended, or a symptom more, which may have been added while it was snoozed. */
  function isNew({ data }: LogSlice['events'][number]): boolean {
    if (!('symptoms' in data)) return false;
    if ('change' in data) return ['symptoms', 'recurred', 'unsnoozed'].includes(data.change);
    return isCauseUnknown(data);
  }

  function next(): void {
    const [ticket] = waiting;
    if (isBusy || ticket === undefined) return;
    waiting.delete(ticket);
    isBusy = true;
    self.task(
      (signal) => diagnose(ticket, signal, again.has(ticket)),
      () => ({ type: 'diagnosed', ticket }),
    );
  }

  function lookLater(ticket: number): void {
    const view = store.tickets.get(ticket);
    const afterMs = 2 * (again.get(ticket)?.afterMs ?? againMs / 2);
    if (view === undefined || afterMs > mostAgainMs || !wantsPages(view)) return void again.delete(ticket);
    again.set(ticket, { occurrences: view.occurrences, afterMs });
    self.after(afterMs, { type: 'look-again', ticket });
  }

  /** Looks at a ticket that was seen again since; at another one later. */
  function lookAgain(ticket: number): void {
    const before = again.get(ticket);
    if (before === undefined) return;
    if (store.tickets.get(ticket)?.occurrences === before.occurrences) return lookLater(ticket);
    waiting.add(ticket);
    next();
  }

  /** Looks for repairs of the definitions that are in use now; the causes of tickets stay. */
  function lookByOthers(sources: ReadonlySet<string>): void {
    for (const ticket of store.tickets.unresolved()) {
      const { ticket: number, occurrences } = ticket;
      if (!ticket.sources.some((source) => sources.has(source)) || !wantsPages(ticket)) continue;
      again.set(number, { occurrences, afterMs: againMs / 2 });
      waiting.add(number);
    }
    next();
  }

  /** Whether more pages that show a ticket may tell more. */
  function wantsPages(ticket: TicketView): boolean {
    return ticket.state !== 'resolved' && (isCauseUnknown(ticket) || lacksRepairs(ticket));
  }
}
