import { Command } from 'commander';
import type { Result } from '../../control/methods.ts';
import type { TallyView, WasteView } from '../../control/methods/waste.ts';
import { defined } from '../../defined.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { durationText } from '../../time-text.ts';
import { countIn } from '../options.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText, projectsText } from '../../view/text.ts';

type Report = Result<'waste.report'>;

/** `waste`: shows what scraping cost lately, and how much of it found nothing new. */
export function createCommand(terminal: Terminal): Command {
  return new Command('waste')
    .helpGroup(helpGroups.schedule)
    .description('show what scraping cost lately, how much of it found nothing new, and what could be done about it')
    .argument('[source]', 'only this source, with its most wasteful targets')
    .option('--days <count>', 'the number of days up to today, at most 32', countIn(1, 32), 30)
    .addHelpText('after', examples('heronry waste', 'heronry waste shop --days 7'))
    .action((source: string | undefined, { days }: { readonly days: number }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const report = await client.call('waste.report', defined({ days, source }));
        if (report.all.scrapes + report.all.requests === 0) terminal.err('nothing was scraped in that time');
        print(terminal, command, report, () => showReport(terminal, report));
      }),
    );
}

function showReport(terminal: Terminal, { all, sources, targets, more = 0 }: Report): string {
  if (all.scrapes + all.requests === 0) return '';
  const told: readonly (TallyView & { readonly name: string })[] = (targets.length > 0 ? targets : sources).map(
    (each) => ({ ...each, name: nameOf(each) }),
  );
  const advice = [...sources, ...targets].flatMap((each) => each.advice.map(({ text }) => `${nameOf(each)}: ${text}`));
  const costs = table(terminal, told.length > 1 ? [...told, { ...all, name: 'all' }] : told, [
    ['OF', ({ name }) => name, { cutTo: 16 }],
    ['SCRAPES', ({ scrapes }) => String(scrapes)],
    ['UNCHANGED', ({ unchanged, scrapes }) => `${unchanged} (${percentOf(unchanged, scrapes)} %)`],
    ['REQUESTS', ({ requests }) => String(requests)],
    ['PULSES', ({ pulses }) => String(pulses), { spare: true }],
    ['304', ({ notModified }) => String(notModified), { spare: true }],
    ['BYTES', ({ bytes }) => bytesText(bytes)],
    ['FOR NOTHING NEW', ({ unchangedBytes }) => bytesText(unchangedBytes)],
    ['CPU', ({ cpuMs }) => durationText(cpuMs), { spare: true }],
  ]);
  const left = more === 0 ? '' : `\n… and ${countText(more, 'less wasteful target')}`;
  return [costs + left, ...(advice.length > 0 ? [advice.join('\n')] : [])].join('\n\n');
}

function nameOf({ source, projects = [], target }: WasteView): string {
  return target === undefined ? source : `${projectsText(projects)} ${target}`;
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 100);
}
