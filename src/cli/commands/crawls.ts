import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { CrawlView } from '../../view/crawl.ts';
import { defined } from '../../defined.ts';
import { listRows, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { ageText, clockText, durationText } from '../../time-text.ts';
import { CommandError } from '../exit-status.ts';
import { countOption, limitOption } from '../options.ts';
import { type Fact, factLines } from '../table.ts';
import { unfoundText } from '../show-scrape.ts';
import { showStatus, type Terminal } from '../terminal.ts';
import { bytesText, countText, plainText } from '../../view/text.ts';

interface Options {
  readonly project?: string;
  readonly target?: number;
  readonly limit: number;
}

/** `crawls`: shows what the crawls of a source or project found and left out. */
export function createCommand(terminal: Terminal): Command {
  return new Command('crawls')
    .helpGroup(helpGroups.sources)
    .description(
      "show the crawls of a source or project, each target's newest first: pages, records, fields, and what was not followed",
    )
    .argument('[source]', 'the source, or a project where no source has that id')
    .option('-p, --project <id>', 'only crawls of this project')
    .option('-t, --target <number>', 'only crawls of this target', countOption)
    .option('--limit <count>', 'the most crawls to show', limitOption, 5)
    .addHelpText('after', examples('heronry crawls shop', 'heronry crawls --project solar --limit 1 --json'))
    .action((id: string | undefined, { limit, ...only }: Options, command: Command) => {
      if (id === undefined && only.project === undefined)
        throw new CommandError('usage', 'crawls: expected a source, or --project');
      return withDaemon(terminal, command, async (client) => {
        const place = id === undefined ? {} : await placeOf(client, id, only.project);
        const crawls = await listRows(terminal, { limit, noun: 'crawl' }, 'crawls', (most, before?: string) =>
          client.call('crawl.list', { ...place, ...only, limit: most, ...defined({ before }) }),
        );
        if (crawls.length === 0) terminal.err(`no crawl of ${id ?? only.project} is known`);
        print(terminal, command, crawls, () => crawls.map((crawl) => showCrawl(terminal, crawl)).join('\n\n'));
      });
    });
}

/** Resolves with the source of an id; with its project, where there is no such source and no other project is wanted. */
async function placeOf(
  client: Client,
  id: string,
  project: string | undefined,
): Promise<{ source: string } | { project: string }> {
  if (project !== undefined) return { source: id };
  const { sources } = await client.call('source.list', {});
  return sources.some((source) => source.id === id) ? { source: id } : { project: id };
}

function showCrawl(terminal: Terminal, crawl: CrawlView): string {
  const { pages, recordPages, maxPages, records, newRecords, changed, errors, bytes, waiting, distrustedUntil } = crawl;
  const facts: readonly Fact[] = [
    ['pages', `${pages} of ${maxPages} at most, ${recordPages} gave records, ${bytesText(bytes)}`],
    ['records', `${records} read, ${newRecords} met, ${changed} changed`],
    ['answers', countsText({ ...crawl.status, forbidden: 0 })],
    ['errors', errors > 0 ? terminal.paint('red', String(errors)) : ''],
    ['waiting', crawl.endedAt === undefined ? `${waiting.detail} with records, ${waiting.listing} others` : ''],
    ['refused', countsText(leftOut(crawl))],
    ['offsite', crawl.offsite.map(({ domain, links }) => `${plainText(domain)} ${links}`).join(', ')],
    ['fields', fillText(crawl)],
    ['unfound', terminal.paint('yellow', plainText((crawl.unfound ?? []).map(unfoundText).join('; ')))],
    [
      'sitemap',
      distrustedUntil === undefined
        ? ''
        : `was wrong: not gone by before ${clockText(distrustedUntil, terminal.now())} UTC`,
    ],
  ];
  return [
    `crawl ${crawl.crawl} of target ${crawl.target}  ${crawl.source}  ${endText(terminal, crawl)}`,
    ...factLines(facts, { width: 8 }),
    ...loopLines(terminal, crawl),
  ].join('\n');
}

function endText(terminal: Terminal, { endReason, startedAt, durationMs }: CrawlView): string {
  const began = `began ${ageText(startedAt, terminal.now())}`;
  if (endReason === undefined) return `${showStatus(terminal, 'running')} for ${durationText(durationMs)}, ${began}`;
  const status =
    endReason === 'complete' || endReason === 'failed' || endReason === 'cancelled' ? endReason : 'aborted';
  const why = status === endReason ? '' : `: ${endReason}`;
  return `${showStatus(terminal, status)}${why} in ${durationText(durationMs)}, ${began}`;
}

/** Counts the links that were not followed, by reason. */
function leftOut({ refused, tooDeep, overBudget, forbidden, status }: CrawlView): Readonly<Record<string, number>> {
  return { ...refused, too_deep: tooDeep, over_budget: overBudget, forbidden: status['forbidden'] ?? forbidden };
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const met = Object.entries(counts).filter(([, count]) => count > 0);
  return met.map(([name, count]) => `${plainText(name)} ${count}`).join(', ');
}

/** Formats in what part of the records each field was found, the rarest first. */
function fillText({ fieldFill }: CrawlView): string {
  const shares = Object.entries(fieldFill).map(
    ([name, { seen, total }]) => [name, total === 0 ? 0 : Math.floor((seen / total) * 100)] as const,
  );
  return shares
    .sort(([, a], [, b]) => a - b)
    .map(([name, percent]) => `${plainText(name)} ${percent} %`)
    .join(', ');
}

/** Formats why a crawl was taken for endless. */
function loopLines(terminal: Terminal, { loop }: CrawlView): string[] {
  if (loop === undefined) return [];
  const { template, pages, share, nearDuplicates, growing, knownDetails, samples } = loop;
  const signs = [
    `${Math.round(share * 100)} % of them`,
    ...(nearDuplicates > 0 ? [`${Math.round(nearDuplicates * 100)} % nearly alike`] : []),
    ...(growing.length > 0 ? [`growing ${growing.map(plainText).join(', ')}`] : []),
    ...(knownDetails > 0 ? [countText(knownDetails, 'known record page')] : []),
  ];
  return [
    terminal.paint(
      'yellow',
      `  trapped   ${countText(pages, 'page')} without a new record: ${plainText(template)} (${signs.join('; ')})`,
    ),
    ...samples.map((sample) => `            ${plainText(sample)}`),
  ];
}
