import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { Asked } from '../../control/methods.ts';
import type { HostPlanView, KeptView, PlanView } from '../../control/methods/schedule.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { durationText } from '../duration.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { readProjects, tooLarge } from '../local/projects.ts';
import { countOption, dayOption } from '../options.ts';
import { clockText } from '../show-why.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText, plainText } from '../text.ts';

interface Options {
  readonly days: number;
  readonly from?: string;
  readonly file?: string;
  readonly prune?: boolean;
}

/** `plan`: what the coming days will be. */
export function planCommand(terminal: Terminal): Command {
  return new Command('plan')
    .description('forecast the coming days: requests by host, objectives kept or not, bytes; asks nobody')
    .option('--days <count>', 'so many days, up to 366', countOption, 1)
    .option('--from <day>', 'from the begin of a day such as 2016-03-05, in UTC; by default from now', dayOption)
    .option('-f, --file <file>', 'as if this project file had been applied')
    .option('--prune', 'as if it had been applied with --prune')
    .addHelpText('after', examples('heronry plan', 'heronry plan --days 30', 'heronry plan --days 30 -f projects.yaml'))
    .action(async ({ days, from, file, prune }: Options, command: Command) => {
      const projects = file === undefined ? undefined : await readProjects(terminal, file);
      await withDaemon(terminal, command, async (client) => {
        const plan = await forecast(client, {
          days,
          ...(from !== undefined && { from: Date.parse(`${from}T00:00:00Z`) }),
          ...(projects !== undefined && { projects }),
          ...(prune === true && { prune }),
        });
        print(terminal, command, plan, () => showPlan(terminal, plan));
      });
    });
}

async function forecast(client: Client, asked: Asked<'schedule.plan'>): Promise<PlanView> {
  try {
    return await client.call('schedule.plan', asked);
  } catch (error) {
    throw tooLarge('plan', error);
  }
}

function showPlan(terminal: Terminal, plan: PlanView): string {
  const { from, days, hosts, targets, skipped, requests, bytes, peak, objectives, busiest, infeasible } = plan;
  const now = terminal.now();
  const total = requests.reduce((sum, each) => sum + each, 0);
  const left = skipped === 0 ? '' : `; ${countText(skipped, 'target')} left out, as no source is loaded for them`;
  const lines = [
    `${countText(days, 'day')} from ${clockText(from, now)} UTC: ${countText(targets, 'target')} on ${countText(hosts, 'host')}${left}`,
    `requests    ${total}, ${perDayText(requests)}; ${bytesText(bytes)} by what scrapes brought so far`,
    `peak        ${countText(peak.requests, 'request')} in the minute of ${clockText(peak.at, now)}`,
    `objectives  ${keptText(objectives)}`,
  ];
  if (busiest.length > 0) lines.push('', showHosts(terminal, busiest));
  if (infeasible.length > 0) lines.push('', ...infeasible.map((each) => terminal.paint('red', infeasibleText(each))));
  return lines.join('\n');
}

function showHosts(terminal: Terminal, hosts: readonly HostPlanView[]): string {
  const rows = hosts.map(({ key, targets, requests, bytes, peak, longestWaitMs, load, delayMs, objectives }) => [
    plainText(key),
    String(targets),
    perDayText(requests),
    `${Math.round(load * 1_000) / 10} %`,
    durationText(delayMs),
    String(peak.requests),
    longestWaitMs === 0 ? '–' : durationText(longestWaitMs),
    bytesText(bytes),
    keptText(objectives),
  ]);
  const headings = ['HOST', 'TARGETS', 'REQUESTS', 'LOAD', 'DELAY', 'PEAK/MIN', 'LONGEST WAIT', 'BYTES', 'OBJECTIVES'];
  return table(terminal, headings, rows, 'headed');
}

/** `96 a day`; where days differ, from the quietest to the busiest. */
function perDayText(requests: readonly number[]): string {
  const [least, most] = [Math.min(...requests), Math.max(...requests)];
  return least === most ? `${most} a day` : `${least} to ${most} a day`;
}

function keptText({ kept, broken, worstByMs }: KeptView): string {
  if (kept + broken === 0) return 'none';
  return broken === 0 ? `${kept} kept` : `${kept} kept, ${broken} broken by up to ${durationText(worstByMs)}`;
}
