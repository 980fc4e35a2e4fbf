import { Command, Option } from 'commander';
import type { Client } from '../../control/client.ts';
import type { MethodInput, Result } from '../../control/methods.ts';
import type { ScrapeOfProjects } from '../../control/methods/scrape.ts';
import type { ScrapeView } from '../../view/scrape.ts';
import { defined } from '../../defined.ts';
import { listRows, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { ageText } from '../../time-text.ts';
import { countOption, limitOption } from '../options.ts';
import { failureText, showEnd, showScrapeLine, showStep, tookText, wishText } from '../show-scrape.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText, projectsText } from '../../view/text.ts';

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
    .option('--limit <count>', 'the most scrapes to list', limitOption, 20)
    .addHelpText(
      'after',
      examples('heronry scrapes', 'heronry scrapes --project solar --status failed', 'heronry scrapes 4711'),
    )
    .action((scrape: number | undefined, { limit, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (scrape !== undefined) {
          const found = await withAllSteps(terminal, client, scrape);
          const lines = (): string[] => [
            showScrapeLine(terminal, found.scrape),
            ...found.steps.map((step) => `  ${showStep(terminal, step).replaceAll('\n', '\n  ')}`),
          ];
          return print(terminal, command, found, () => lines().join('\n'));
        }
        const scrapes = await listRows(terminal, { limit, noun: 'scrape' }, 'scrapes', (most, before?: number) =>
          client.call('scrape.list', { ...wanted, limit: most, ...defined({ before }) }),
        );
        if (scrapes.length === 0) terminal.err(Object.keys(wanted).length > 0 ? 'no scrape matches' : 'no scrapes');
        print(terminal, command, scrapes, () => showScrapes(terminal, scrapes));
      }),
    );
}

/** Resolves with a scrape and all its steps, however many. */
async function withAllSteps(terminal: Terminal, client: Client, scrape: number): Promise<Result<'scrape.get'>> {
  let { scrape: view } = await client.call('scrape.get', { scrape, limit: 1 });
  const steps = await listRows(terminal, { noun: 'step' }, 'steps', async (limit, afterStep?: number) => {
    const found = await client.call('scrape.get', { scrape, limit, ...defined({ afterStep }) });
    view = found.scrape;
    return { ...found, next: found.steps.length === limit ? found.steps.at(-1)?.step : undefined };
  });
  return { scrape: view, steps };
}

function showScrapes(terminal: Terminal, scrapes: readonly ScrapeOfProjects[]): string {
  return table(terminal, scrapes, [
    ['SCRAPE', ({ scrape }) => String(scrape)],
    ['PROJECT', ({ projects }) => projectsText(projects), { cutTo: 12 }],
    ['SOURCE', ({ source }) => source, { cutTo: 10, spare: true }],
    ['STATUS', (scrape) => showEnd(terminal, scrape), { cutTo: 12 }],
    [
      'REASON',
      ({ reason, wish }) => (wish === undefined ? reason : `${reason} ${wishText(wish)}`),
      { cutTo: 8, spare: true },
    ],
    ['BEGAN', ({ startedAt }) => ageText(startedAt, terminal.now())],
    ['TOOK', (scrape) => tookText(scrape) ?? '–', { spare: true }],
    ['RECORDS', countsOf],
    ['END', endText, { cutTo: 16 }],
  ]);
}

function countsOf({ counts: { added, changed, confirmed, missing = 0, gone = 0 } }: ScrapeView): string {
  return `+${added} ~${changed} =${confirmed}${missing > 0 ? ` ?${missing}` : ''}${gone > 0 ? ` -${gone}` : ''}`;
}

/** Formats a scrape's failure, else the reason why it ended. */
function endText({ failure, endReason = '' }: ScrapeView): string {
  return failure ? failureText(failure) : plainText(endReason);
}
