import { Command } from 'commander';
import type { Result } from '../../control/methods.ts';
import type { TallyView, WasteView } from '../../control/methods/waste.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { durationText } from '../duration.ts';
import { countIn } from '../options.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText } from '../text.ts';

type Report = Result<'waste.report'>;

/** `waste`: what scraping cost lately, and how much of it found nothing new. */
export function wasteCommand(terminal: Terminal): Command {
  return new Command('waste')
    .description('show what scraping cost lately, how much of it found nothing new, and what could be done about it')
    .argument('[source]', 'this source alone, with its most wasteful targets')
    .option('--days <count>', 'of the last so many days, today among them, up to 32', countIn(1, 32), 30)
    .addHelpText('after', examples('heronry waste', 'heronry waste shop --days 7'))
    .action((source: string | undefined, { days }: { readonly days: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const report = await client.call('waste.report', { days, ...(source !== undefined && { source }) });
        if (report.all.scrapes + report.all.requests === 0) terminal.err('nothing was scraped in that time');
        print(terminal, command, report, () => showReport(terminal, report));
      }),
    );
}

function showReport(terminal: Terminal, { all, sources, targets }: Report): string {
  if (all.scrapes + all.requests === 0) return '';
  const told = targets.length > 0 ? targets : sources;
  const rows = told.map((each) => [nameOf(each), ...cellsOf(each)]);
  const headings = ['OF', 'SCRAPES', 'UNCHANGED', 'REQUESTS', 'PULSES', '304', 'BYTES', 'FOR NOTHING NEW', 'CPU'];
  const total = told.length > 1 ? [['all', ...cellsOf(all)]] : [];
  const advice = [...sources, ...targets].flatMap((each) => each.advice.map(({ text }) => `${nameOf(each)}: ${text}`));
  return [
    table(terminal, headings, [...rows, ...total], 'headed'),
    ...(advice.length > 0 ? [advice.join('\n')] : []),
  ].join('\n\n');
}

function nameOf({ source, project, target }: WasteView): string {
  return target === undefined ? source : `${project} ${target}`;
}

function cellsOf({
  scrapes,
  unchanged,
  requests,
  pulses,
  notModified,
  bytes,
  unchangedBytes,
  cpuMs,
}: TallyView): string[] {
  const share = scrapes === 0 ? 0 : Math.round((unchanged / scrapes) * 100);
  return [
    String(scrapes),
    `${unchanged} (${share} %)`,
    String(requests),
    String(pulses),
    String(notModified),
    bytesText(bytes),
    bytesText(unchangedBytes),
    durationText(cpuMs),
  ];
}
