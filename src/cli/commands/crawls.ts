import { Command } from 'commander';
import type { CrawlView } from '../../control/methods/crawl.ts';
import { allSlices } from '../all-slices.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { ageText, durationText } from '../duration.ts';
import { countOption } from '../options.ts';
import { showStatus } from '../show-status.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText, plainText } from '../text.ts';

interface Options {
  readonly target?: number;
  readonly limit: number;
}

/** `crawls`: what crawls of a project found, and what they left out. */
export function crawlsCommand(terminal: Terminal): Command {
  return new Command('crawls')
    .description(
      "show the crawls of a project, each target's newest first: pages, records, fields, and what was not followed",
    )
    .argument('<id>', 'the project')
    .option('-t, --target <number>', 'only those of this target', countOption)
    .option('--limit <count>', 'at most so many', countOption, 5)
    .addHelpText('after', examples('heronry crawls shop', 'heronry crawls shop --limit 1 --json'))
    .action((id: string, { target, limit }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const crawls = await allSlices<CrawlView, string>(limit, async (most, before) => {
          const asked = { project: id, limit: most, ...(target !== undefined && { target }) };
          const { crawls: rows, next } = await client.call('crawl.list', { ...asked, ...(before && { before }) });
          return { rows, next };
        });
        if (crawls.length === 0) terminal.err(`no crawl of ${id} is known`);
        print(terminal, command, crawls, () => crawls.map((crawl) => showCrawl(terminal, crawl)).join('\n\n'));
      }),
    );
}

function showCrawl(terminal: Terminal, crawl: CrawlView): string {
  const { pages, detailPages, maxPages, records, newRecords, changed, errors, bytes, waiting } = crawl;
  const facts: readonly (readonly [string, string])[] = [
    ['pages', `${pages} of ${maxPages} at most, ${detailPages} of them with records, ${bytesText(bytes)}`],
    ['records', `${records} read, ${newRecords} met, ${changed} changed`],
    ['answers', countsText({ ...crawl.status, forbidden: 0 })],
    ['errors', errors > 0 ? terminal.paint('red', String(errors)) : ''],
    ['waiting', crawl.endedAt === undefined ? `${waiting.detail} with records, ${waiting.listing} others` : ''],
    ['refused', countsText(leftOut(crawl))],
    ['offsite', crawl.offsite.map(({ domain, links }) => `${plainText(domain)} ${links}`).join(', ')],
    ['fields', fillText(crawl)],
  ];
  return [
    `crawl ${crawl.crawl} of target ${crawl.target}  ${crawl.source}  ${endText(terminal, crawl)}`,
    ...facts.flatMap(([name, text]) => (text === '' ? [] : [`  ${name.padEnd(8)}  ${text}`])),
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

/** Links that were not followed, by reason; robots.txt forbids lists as well as pages with records. */
function leftOut({ refused, tooDeep, overBudget, forbidden, status }: CrawlView): Readonly<Record<string, number>> {
  return { ...refused, too_deep: tooDeep, over_budget: overBudget, forbidden: status['forbidden'] ?? forbidden };
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const met = Object.entries(counts).filter(([, count]) => count > 0);
  return met.map(([name, count]) => `${plainText(name)} ${count}`).join(', ');
}

/** Each field with the part of records that have it, the rarest first. */
function fillText({ fieldFill }: CrawlView): string {
  const shares = Object.entries(fieldFill).map(
    ([name, { seen, total }]) => [name, total === 0 ? 0 : Math.floor((seen / total) * 100)] as const,
  );
  return shares
    .sort(([, a], [, b]) => a - b)
    .map(([name, percent]) => `${plainText(name)} ${percent} %`)
    .join(', ');
}

/** What a crawl was trapped by. */
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
