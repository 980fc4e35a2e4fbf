import { defined } from '../../defined.ts';
import { actOnTicket, type TicketAct } from '../../store/act-on-ticket.ts';
import type { TicketView } from '../../view/ticket.ts';
import { ControlError } from '../error.ts';
import type { Handlers, Params } from '../methods.ts';
import { checkNames } from './find.ts';
import type { Ports } from './ports.ts';
import { sliceOf } from './slices.ts';

type Served = `ticket.${'list' | 'get' | 'acknowledge' | 'assign' | 'snooze' | 'accept' | 'repair' | 'resolve'}`;

/** Creates the handlers of tickets. */
export function ticketHandlers(
  deps: Pick<Ports, 'clock' | 'store' | 'catalogue' | 'definitions' | 'sources' | 'schedule'>,
): Pick<Handlers, Served> {
  return {
    'ticket.list': (params) => {
      const { source, limit } = params;
      checkNames({ source }, deps);
      const { found, last } = sliceOf(candidates(params), limit, (ticket) => isWanted(ticket, params));
      return { tickets: found, ...defined({ next: last?.ticket }) };
    },
    'ticket.get': ({ ticket }) => {
      const found = deps.store().tickets.get(ticket);
      if (found === undefined) throw noTicket(ticket);
      return found;
    },
    'ticket.acknowledge': ({ ticket, by }) => act(ticket, { act: 'acknowledge' }, by),
    'ticket.assign': ({ ticket, to, by }) => act(ticket, { act: 'assign', to }, by),
    async 'ticket.snooze'({ ticket, forMs, by }) {
      const snoozed = await act(ticket, { act: 'snooze', until: deps.clock.now() + forMs }, by);
      deps.schedule.look();
      return snoozed;
    },
    'ticket.accept': ({ ticket, by }) => act(ticket, { act: 'accept' }, by),
    'ticket.repair': async ({ by = 'a person', ...wish }) => {
      const accepted = await deps.definitions.repair({ ...wish, by });
      if (!accepted.ok) throw new ControlError(accepted.code, accepted.message);
      const { ok: _ok, ...made } = accepted;
      return made;
    },
    'ticket.resolve': ({ ticket, by }) => act(ticket, { act: 'resolve' }, by),
  };

  function* candidates({ state, source, before = Infinity }: Params<'ticket.list'>): Iterable<TicketView> {
    const { tickets } = deps.store();
    const unresolved = source === undefined ? tickets.unresolved() : tickets.unresolvedOf(source);
    if (state === 'all' || state === 'resolved')
      yield* tickets.rows({ ...(before < Infinity && { before }), newestFirst: true });
    else for (const ticket of unresolved) if (ticket.ticket < before) yield ticket;
  }

  async function act(number: number, what: TicketAct, by: string | undefined): Promise<TicketView> {
    const result = await actOnTicket(deps.store(), number, what, by);
    if (result === 'not_found') throw noTicket(number);
    if (result === 'resolved')
      throw new ControlError('conflict', `ticket ${number} is resolved: expected one that is open or acknowledged`);
    return result;
  }
}

function isWanted({ state, sources }: TicketView, wanted: Params<'ticket.list'>): boolean {
  if (wanted.source !== undefined && !sources.includes(wanted.source)) return false;
  return wanted.state === 'all' || (wanted.state === 'unresolved' ? state !== 'resolved' : state === wanted.state);
}

function noTicket(ticket: number): ControlError {
  return new ControlError('not_found', `no ticket ${ticket}`);
}
