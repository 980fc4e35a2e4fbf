import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import { ControlError } from '../../control/error.ts';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import type { TicketView } from '../../view/ticket.ts';
import { examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { userName } from '../user-name.ts';
import { countOption, durationOption, limitOption, personOption } from '../options.ts';
import { type JudgedFixtures, showRepaired, showTicket, showTickets, showToRenew } from '../show-ticket.ts';
import { fixturesOption } from '../project-folder.ts';
import type { Terminal } from '../terminal.ts';

interface ListOptions {
  readonly all?: true;
  readonly limit?: number;
}

interface Options extends ListOptions {
  readonly acknowledge?: true;
  readonly accept?: true | number;
  readonly dryRun?: true;
  readonly fixtures: string;
  readonly sources?: string;
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
    .option('--assign <name>', 'say whose it is; an empty name for nobody', personOption)
    .option('--snooze <duration>', 'be told nothing of it for some time', durationOption)
    .option(
      '--accept [repair]',
      'make this one of the proposed repairs; without a number, take what is given now for usual from now on, and resolve it',
      countOption,
    )
    .option('--dry-run', 'with --accept and a number: show how the definition would differ, and write nothing')
    .option('--sources <folder>', 'the folder of definitions, for the saved pages that a repair keeps right')
    .addOption(fixturesOption(terminal))
    .option('--resolve', 'resolve it by hand; what is seen again opens another one')
    .option('--as <name>', 'who does it, for its log; default: your name on this machine', personOption)
    .addHelpText(
      'after',
      examples(
        'heronry tickets',
        'heronry tickets shop --all',
        'heronry ticket 12',
        'heronry ticket 12 --acknowledge --assign ada',
        'heronry ticket 12 --snooze 2d',
        'heronry ticket 12 --accept 1 --dry-run',
        'heronry ticket 12 --accept 1',
        'heronry ticket 12 --accept',
      ),
    )
    .action((which: string | undefined, options: Options, command: Command) => {
      if (which !== undefined && /^\d+$/.test(which)) return one(terminal, command, countOption(which), options);
      refuseActs(which, options);
      return list(terminal, command, which, options);
    });
}

/** Refuses what can only be done with one ticket where tickets are listed. A number behind `--accept` may be meant as that of the ticket. */
function refuseActs(which: string | undefined, { accept, dryRun, as, ...options }: Options): void {
  const isOfOne = accept !== undefined || dryRun === true || as !== undefined || actsOf(0, options).length > 0;
  if (!isOfOne) return;
  const meant =
    which === undefined && typeof accept === 'number' && dryRun !== true
      ? `: \`heronry ticket ${accept} --accept\` takes what ticket ${accept} shows for usual`
      : '';
  throw new CommandError('usage', `tickets: expected the number of a ticket beside what is to be done with it${meant}`);
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
  if (options.dryRun === true && typeof options.accept !== 'number')
    throw new CommandError('usage', 'ticket: expected --accept and the number of a repair beside --dry-run');
  const acts = actsOf(ticket, options);
  const { accept: proposal, dryRun = false, as = userName() } = options;
  return withDaemon(terminal, command, async (client) => {
    let after: TicketView | undefined;
    for (const act of acts) after = await act(client);
    if (typeof proposal === 'number') {
      const made = await client.call('ticket.repair', { ticket, proposal, dryRun, by: as });
      print(terminal, command, made, () => showRepaired(made, dryRun));
      return dryRun ? undefined : tellToRenew(terminal, made.ticket, options);
    }
    const view = after ?? (await client.call('ticket.get', { ticket }));
    const fixtures = after === undefined ? await fixturesOf(terminal, view, options) : undefined;
    print(terminal, command, view, () => showTicket(terminal, view, fixtures));
  });
}

type Folders = Pick<Options, 'sources' | 'fixtures'>;

/** Reads the saved pages of a ticket's source by each proposed repair; nothing where none are saved, or the definition is not at hand. */
async function fixturesOf(
  terminal: Terminal,
  view: TicketView,
  { sources, fixtures }: Folders,
): Promise<JudgedFixtures | undefined> {
  const [source] = view.sources;
  const proposals = view.repairs?.proposals ?? [];
  if (source === undefined || proposals.length === 0) return undefined;
  const { judgeByFixtures } = await import('../local/repaired-fixtures.ts');
  return judgeByFixtures(terminal, source, proposals, { fixtures, ...defined({ sources }) });
}

/** Says on the error stream which saved pages of a ticket's source its repaired definition does not read as expected. */
async function tellToRenew(
  terminal: Terminal,
  { sources: [source = ''] }: TicketView,
  { sources, fixtures }: Folders,
): Promise<void> {
  const { fixturesToRenew } = await import('../local/repaired-fixtures.ts');
  const commands = await fixturesToRenew(terminal, source, { fixtures, ...defined({ sources }) });
  if (commands.length > 0) terminal.err(showToRenew(commands));
}

type Act = (client: Client) => Promise<TicketView>;

/** What the options want done with a ticket, what ends it last. */
function actsOf(ticket: number, { acknowledge, accept, resolve, assign, snooze, as = userName() }: Options): Act[] {
  const of = { ticket, by: as } satisfies MethodInput<'ticket.resolve'>;
  if (accept !== undefined && resolve === true)
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
