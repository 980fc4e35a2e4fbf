import type { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { Result } from '../../control/methods.ts';
import type { ScrapeView, StepView } from '../../view/scrape.ts';
import { defined } from '../../defined.ts';
import { examples, globalOptions, print, withClient, withProgress } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { followScrape, refuseIncomplete, tellHeld } from '../follow.ts';
import { countOption, dayOption, repeatedOption } from '../options.ts';
import { showScrapeLine, showStep } from '../show-scrape.ts';
import { heldText, pausedText } from '../show-why.ts';
import { changeProjects, ofProjects } from '../selection.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly target?: number;
  readonly wait?: boolean;
  readonly dryRun?: boolean;
  readonly full?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly arg?: readonly string[];
}

type Requested = Result<'project.rescrape'>['scrapes'][number];

/** `rescrape`: requests a scrape now. */
export function createCommand(terminal: Terminal): Command {
  return ofProjects('rescrape', 'scrape projects now; their schedules do not change')
    .option('-t, --target <number>', 'only this target', countOption)
    .option(
      '-w, --wait',
      'of one project: show the steps as they happen, and exit when the scrape has ended: with 1 if it failed',
    )
    .option('--full', 'read a list to its end, past what is known; restart a crawl')
    .option('--from <day>', "the first day of a collector's windows, such as 2016-03-05", dayOption)
    .option('--to <day>', "the last day of a collector's windows", dayOption)
    .option('--arg <text>', "an argument of a plug-in's `collect`, or of a program; may be repeated", repeatedOption)
    .addHelpText(
      'after',
      examples(
        'heronry rescrape solar',
        'heronry rescrape solar --wait --full',
        'heronry rescrape register --from 2016-03-01 --to 2016-03-31',
        'heronry rescrape --label spring --yes',
      ),
    )
    .action((ids: readonly string[], options: Options, command: Command) => {
      const [id, ...others] = ids;
      const isOne = id !== undefined && others.length === 0;
      if (options.wait && (!isOne || options.dryRun))
        throw new CommandError('usage', 'rescrape: --wait: expected the id of one project beside it');
      if (options.wait && isOne) return scrapeAndWait(terminal, command, id, options);
      return askForScrapes(terminal, command, ids, options);
    });
}

function askForScrapes(terminal: Terminal, command: Command, ids: readonly string[], options: Options): Promise<void> {
  let isPausedTold = false;
  return changeProjects(terminal, command, ids, {
    verbs: ['rescrape', 'asked for'],
    among: ['active'],
    async run(client, id) {
      const requested = await request(client, id, options);
      if (requested.paused !== undefined && !isPausedTold) terminal.err(pausedText(requested.paused));
      isPausedTold ||= requested.paused !== undefined;
      return requested;
    },
    show: ({ scrapes }, id) =>
      scrapes.map((each) => showRequested(terminal, each)).join(id === undefined ? '; ' : '\n'),
  });
}

function scrapeAndWait(terminal: Terminal, command: Command, id: string, options: Options): Promise<void> {
  let waitingFor = 'waiting for rescrape';
  const json = globalOptions(command).json ?? false;
  const work = withClient(terminal, command, async (client) => {
    const requested = await request(client, id, options);
    tellHeld(terminal, requested);
    await waitForAll(terminal, command, client, requested.scrapes, (seen) => tell(seen));
  });
  return withProgress(terminal, () => waitingFor, work);

  /** Tells what is waited for, once, where no passing line does. */
  function tell(seen: ScrapeView): void {
    const text = whatOf(seen);
    if (seen.endedAt !== undefined || text === waitingFor) return;
    waitingFor = text;
    if (!terminal.passing('') && !json) terminal.err(text);
  }
}

/** Formats what a scrape waits for: to begin, else for its turn at the host or for the answer. */
function whatOf({ scrape, status }: ScrapeView): string {
  return status === 'waiting'
    ? `scrape ${scrape} waits to begin`
    : `scrape ${scrape} waits for its turn at the host, or for an answer`;
}

function request(
  client: Client,
  id: string,
  { target, full, from, to, arg }: Options,
): Promise<Result<'project.rescrape'>> {
  const wish = defined({ full, from, to, args: arg });
  const asked = { id, ...defined({ target, wish: Object.keys(wish).length > 0 ? wish : undefined }) };
  return client.call('project.rescrape', asked);
}

function showRequested(terminal: Terminal, { scrape, target, coalesced, held }: Requested): string {
  const when = held === undefined ? '' : `; ${heldText(held, terminal.now())}`;
  return `scrape ${scrape} of target ${target} ${coalesced ? 'was waiting already' : 'is asked for'}${when}`;
}

async function waitForAll(
  terminal: Terminal,
  command: Command,
  client: Client,
  asked: readonly Requested[],
  onLook: (seen: ScrapeView) => void,
): Promise<void> {
  const json = globalOptions(command).json ?? false;
  const many = asked.length > 1;
  const followed = await Promise.all(
    asked.map(({ scrape }) => followScrape(client, scrape, (step) => showOne(scrape, step), onLook)),
  );
  for (const { scrape } of followed) print(terminal, command, scrape, (view) => showScrapeLine(terminal, view));
  refuseIncomplete(followed);

  function showOne(scrape: number, step: StepView): void {
    terminal.passing('');
    const line = many ? `${scrape}: ${showStep(terminal, step)}` : showStep(terminal, step);
    terminal.out(json ? JSON.stringify({ scrape, ...step }) : line);
  }
}
