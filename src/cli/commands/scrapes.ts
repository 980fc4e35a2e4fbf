import { Command, Option } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import type { ScrapeView } from '../../view/scrape.ts';
import { defined } from '../../defined.ts';
import { allRows, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { ageText } from '../../time-text.ts';
import { countOption } from '../options.ts';
import { failureText, showEnd, showScrapeLine, showStep, tookText, wishText } from '../show-scrape.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';

type Options = Omit<MethodInput<'scrape.list'>, 'before' | 'limit'> & { readonly limit: number };

/** `scrapes`: lists scrapes, or shows one with its steps. */
export function createCommand(terminal: Terminal): Command {
  const statuses: readonly ScrapeView['status'][] = [
    'waiting',
    'running',
    'complete',
    'failed',
    'aborted',
    'cancelled',
  ];
  return new Command('scrapes')
    .helpGroup(helpGroups.sources)
    .description('list scrapes, the newest first, or show one with its steps')
    .argument('[scrape]', 'the number of the scrape to show', countOption)
    .option('-p, --project <id>', 'only scrapes of this project')
    .option('-s, --source <id>', 'only scrapes of this source')
    .addOption(new Option('--status <status>', 'only scrapes of this status').choices(statuses))
    .option('--limit <count>', 'the most scrapes to list', countOption, 20)
    .addHelpText(
      'after',
      examples('heronry scrapes', 'heronry scrapes --project solar --status failed', 'heronry scrapes 4711'),
    )
    .action((scrape: number | undefined, { limit, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (scrape !== undefined) {
          const found = await client.call('scrape.get', { scrape, limit: 1_000 });
          const lines = (): string[] => [
            showScrapeLine(terminal, found.scrape),
            ...found.steps.map((step) => `  ${showStep(terminal, step).replaceAll('\n', '\n  ')}`),
          ];
          return print(terminal, command, found, () => lines().join('\n'));
        }
        const scrapes = await allRows(limit, 'scrapes', (most, before?: number) =>
          client.call('scrape.list', { ...wanted, limit: most, ...defined({ before }) }),
        );
        if (scrapes.length === 0) terminal.err(Object.keys(wanted).length > 0 ? 'no scrape matches' : 'no scrapes');
        print(terminal, command, scrapes, () => showScrapes(terminal, scrapes));
      }),
    );
}

function showScrapes(terminal: Terminal, scrapes: readonly ScrapeView[]): string {
  return table(terminal, scrapes, [
    ['SCRAPE', ({ scrape }) => String(scrape)],
    ['PROJECT', ({ project }) => project],
    ['SOURCE', ({ source }) => source],
    ['STATUS', (scrape) => showEnd(terminal, scrape)],
    ['REASON', ({ reason, wish }) => (wish === undefined ? reason : `${reason} ${wishText(wish)}`)],
    ['BEGAN', ({ startedAt }) => ageText(startedAt, terminal.now())],
    ['TOOK', (scrape) => tookText(scrape) ?? '–'],
    ['RECORDS', countsOf],
    ['END', endText],
  ]);
}

function countsOf({ counts: { added, changed, confirmed, missing = 0, gone = 0 } }: ScrapeView): string {
  return `+${added} ~${changed} =${confirmed}${missing > 0 ? ` ?${missing}` : ''}${gone > 0 ? ` -${gone}` : ''}`;
}

/** Formats a scrape's failure, else the reason why it ended. */
function endText({ failure, endReason = '' }: ScrapeView): string {
  return failure ? failureText(failure) : plainText(endReason);
}
