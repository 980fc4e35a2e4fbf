import { userInfo } from 'node:os';
import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import { ControlError } from '../../control/error.ts';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import type { TicketView } from '../../view/ticket.ts';
import { callAndPrint, examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { countOption, durationOption, limitOption } from '../options.ts';
import { showTicket, showTickets } from '../show-ticket.ts';
import type { Terminal } from '../terminal.ts';

interface ListOptions {
  readonly all?: true;
  readonly limit?: number;
}

interface Options extends ListOptions {
  readonly acknowledge?: true;
  readonly accept?: true;
  readonly resolve?: true;
  readonly assign?: string;
  readonly snooze?: number;
  readonly as?: string;
}

/** `tickets`: lists trouble reports, shows one, and does with it what a person wants. */
export function createCommand(terminal: Terminal): Command {
  return new Command('tickets')
    .alias('ticket')
    .helpGroup(helpGroups.sources)
    .description('list what is wrong with sources and hosts, or show one ticket and do something with it')
    .argument('[ticket]', 'the number of a ticket, or a source whose tickets are listed')
    .option('--all', 'resolved tickets as well')
    .option('--limit <count>', 'the most tickets to list', limitOption, 100)
    .option('--acknowledge', 'say that you know of it')
    .option('--assign <name>', 'say whose it is; an empty name for nobody')
    .option('--snooze <duration>', 'be told nothing of it for some time', durationOption)
    .option('--accept', 'take what is given now for usual from now on, and resolve it')
    .option('--resolve', 'resolve it by hand; what is seen again opens another one')
    .option('--as <name>', 'who does it, for its log; default: your name on this machine')
    .addHelpText(
      'after',
      examples(
        'heronry tickets',
        'heronry tickets shop --all',
        'heronry ticket 12',
        'heronry ticket 12 --acknowledge --assign ada',
        'heronry ticket 12 --snooze 2d',
        'heronry ticket 12 --accept',
      ),
    )
    .action((which: string | undefined, options: Options, command: Command) => {
      if (which !== undefined && /^\d+$/.test(which)) return one(terminal, command, countOption(which), options);
      if (actsOf(0, options).length > 0)
        throw new CommandError('usage', 'tickets: expected the number of a ticket beside what is to be done with it');
      return list(terminal, command, which, options);
    });
}

/** Says what else than a source could stand there. */
function refuseUnknown(error: unknown): never {
  if (!(error instanceof ControlError) || error.code !== 'not_found') throw error;
  throw new CommandError('not_found', `${error.message}: expected a source, or the number of a ticket`);
}

function list(
  terminal: Terminal,
  command: Command,
  source: string | undefined,
  { all, limit }: ListOptions,
): Promise<void> {
  return withDaemon(terminal, command, async (client) => {
    const listing = { noun: 'ticket', ...defined({ limit }) };
    const state = all === true ? 'all' : 'unresolved';
    const tickets = await listRows<'tickets', TicketView, number>(terminal, listing, 'tickets', (most, before) =>
      client.call('ticket.list', { state, limit: most, ...defined({ source, before }) }).catch(refuseUnknown),
    );
    if (tickets.length === 0) terminal.err(all === true ? 'no tickets' : 'nothing is wrong: no open tickets');
    print(terminal, command, tickets, () => showTickets(terminal, tickets));
  });
}

function one(terminal: Terminal, command: Command, ticket: number, options: Options): Promise<void> {
  const acts = actsOf(ticket, options);
  if (acts.length === 0)
    return callAndPrint(terminal, command, ['ticket.get', { ticket }], (view) => showTicket(terminal, view));
  return withDaemon(terminal, command, async (client) => {
    let view: TicketView | undefined;
    for (const act of acts) view = await act(client);
    if (view !== undefined) {
      const last = view;
      print(terminal, command, last, () => showTicket(terminal, last));
    }
  });
}

type Act = (client: Client) => Promise<TicketView>;

/** What the options want done with a ticket, what ends it last. */
function actsOf(ticket: number, { acknowledge, accept, resolve, assign, snooze, as = userName() }: Options): Act[] {
  const of = { ticket, by: as } satisfies MethodInput<'ticket.resolve'>;
  if (accept === true && resolve === true)
    throw new CommandError('usage', 'ticket: expected one of --accept and --resolve');
  const acts: Act[] = [];
  if (acknowledge === true) acts.push((client) => client.call('ticket.acknowledge', of));
  if (assign !== undefined)
    acts.push((client) => client.call('ticket.assign', assign === '' ? of : { ...of, to: assign }));
  if (snooze !== undefined) acts.push((client) => client.call('ticket.snooze', { ...of, forMs: snooze }));
  if (accept === true) acts.push((client) => client.call('ticket.accept', of));
  if (resolve === true) acts.push((client) => client.call('ticket.resolve', of));
  return acts;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user that the system has no entry of.
    return 'somebody';
  }
}
