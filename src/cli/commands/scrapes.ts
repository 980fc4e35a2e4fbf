import { Command, Option } from 'commander';
import type { ScrapeView } from '../../control/methods/scrape.ts';
import { allSlices } from '../all-slices.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { ageText, durationText } from '../duration.ts';
import { countOption } from '../options.ts';
import { failureText, showEnd, showScrapeLine, showStep, wishText } from '../show-scrape.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';

interface Options {
  readonly project?: string;
  readonly source?: string;
  readonly status?: ScrapeView['status'];
  readonly limit: number;
}

/** `scrapes`: runs, the newest first, or one with its steps. */
export function scrapesCommand(terminal: Terminal): Command {
  const statuses: readonly ScrapeView['status'][] = [
    'waiting',
    'running',
    'complete',
    'failed',
    'aborted',
    'cancelled',
  ];
  return new Command('scrapes')
    .description('list scrapes, the newest first, or show one with its steps')
    .argument('[scrape]', 'the number of one', countOption)
    .option('-p, --project <id>', 'only those of this project')
    .option('-s, --source <id>', 'only those of this source')
    .addOption(new Option('--status <status>', 'only these').choices(statuses))
    .option('--limit <count>', 'at most so many', countOption, 20)
    .addHelpText(
      'after',
      examples('heronry scrapes', 'heronry scrapes --project solar --status failed', 'heronry scrapes 4711'),
    )
    .action((scrape: number | undefined, options: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (scrape !== undefined) {
          const found = await client.call('scrape.get', { scrape, limit: 1_000 });
          const lines = (): string[] => [
            showScrapeLine(terminal, found.scrape),
            ...found.steps.map((step) => `  ${showStep(terminal, step).replaceAll('\n', '\n  ')}`),
          ];
          return print(terminal, command, found, () => lines().join('\n'));
        }
        const { project, source, status, limit } = options;
        const wanted = {
          ...(project !== undefined && { project }),
          ...(source !== undefined && { source }),
          ...(status && { status }),
        };
        const scrapes = await allSlices<ScrapeView, number>(limit, async (most, from) => {
          const slice = { ...wanted, limit: most, ...(from !== undefined && { before: from }) };
          const { scrapes: rows, next } = await client.call('scrape.list', slice);
          return { rows, next };
        });
        if (scrapes.length === 0) terminal.err(Object.keys(wanted).length > 0 ? 'no scrape matches' : 'no scrapes');
        print(terminal, command, scrapes, () => showScrapes(terminal, scrapes));
      }),
    );
}

function showScrapes(terminal: Terminal, scrapes: readonly ScrapeView[]): string {
  if (scrapes.length === 0) return '';
  const rows = scrapes.map((scrape) => [
    String(scrape.scrape),
    scrape.project,
    scrape.source,
    showEnd(terminal, scrape),
    [scrape.reason, ...(scrape.wish === undefined ? [] : [wishText(scrape.wish)])].join(' '),
    ageText(scrape.startedAt, terminal.now()),
    scrape.endedAt === undefined ? '–' : durationText(scrape.endedAt - scrape.startedAt),
    countsOf(scrape),
    endText(scrape),
  ]);
  const headings = ['SCRAPE', 'PROJECT', 'SOURCE', 'STATUS', 'REASON', 'BEGAN', 'TOOK', 'RECORDS', 'END'];
  return table(terminal, headings, rows);
}

function countsOf({ counts: { added, changed, confirmed, missing = 0, gone = 0 } }: ScrapeView): string {
  return `+${added} ~${changed} =${confirmed}${missing > 0 ? ` ?${missing}` : ''}${gone > 0 ? ` -${gone}` : ''}`;
}

/** What went wrong, else why it ended where it did. */
function endText({ failure, endReason = '' }: ScrapeView): string {
  return failure ? failureText(failure) : plainText(endReason);
}
