import { Command } from 'commander';
import type { HostPlanView, KeptView, PlanView } from '../../control/methods/schedule.ts';
import { defined } from '../../defined.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { clockText, durationText, writtenText } from '../../time-text.ts';
import { CommandError } from '../exit-status.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { readProjects, splitTooLarge } from '../local/projects.ts';
import { countIn, dayOption } from '../options.ts';
import { restingLines } from '../resting-text.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { bytesText, countText, plainText } from '../../view/text.ts';

const dayMs = 86_400_000;

interface Options {
  readonly days: number;
  readonly from?: string;
  readonly file?: string;
  readonly prune?: boolean;
}

/** `plan`: what the coming days will be. */
export function createCommand(terminal: Terminal): Command {
  return new Command('plan')
    .helpGroup(helpGroups.schedule)
    .description('forecast the coming days: requests by host, objectives kept or not, bytes; asks nobody')
    .option('--days <count>', 'so many days, up to 366', countIn(1, 366), 1)
    .option('--from <day>', 'from the begin of a day such as 2016-03-05, in UTC; by default from now', dayOption)
    .option('-f, --file <file>', 'as if this project file had been applied; asks for sitemaps that it names')
    .option('--prune', 'as if it had been applied with --prune')
    .addHelpText('after', examples('heronry plan', 'heronry plan --days 30', 'heronry plan --days 30 -f projects.yaml'))
    .action(async ({ days, from, file, prune }: Options, command: Command) => {
      if (prune === true && file === undefined)
        throw new CommandError('usage', 'plan: --prune: expected --file beside it');
      const projects = file === undefined ? undefined : await readProjects(terminal, command, file);
      await withDaemon(terminal, command, async (client) => {
        const asked = defined({
          from: from === undefined ? undefined : Date.parse(`${from}T00:00:00Z`),
          projects,
          prune,
        });
        const plan = await client.call('schedule.plan', { days, ...asked }).catch(splitTooLarge('plan'));
        print(terminal, command, plan, () => showPlan(terminal, plan));
      });
    });
}

function showPlan(terminal: Terminal, plan: PlanView): string {
  const {
    from,
    days,
    hosts,
    targets,
    skipped,
    requests,
    pulses,
    bytes,
    peak,
    objectives,
    busiest,
    infeasible,
    resting = [],
    cut = [],
  } = plan;
  const now = terminal.now();
  const left = skipped === 0 ? '' : `; ${countText(skipped, 'target')} left out, as no source is loaded for them`;
  const lines = [
    `${countText(days, 'day')} from ${clockText(from, now)} UTC: ${countText(targets, 'target')} on ${countText(hosts, 'host')}${left}`,
    `requests    ${sumOf(requests)}, ${perDayText(requests)}${pulses === 0 ? '' : `, ${pulses} of them by pulses and re-checks`}; ${bytesText(bytes)} by what scrapes brought so far`,
    ...lateLines(terminal, plan),
    `peak        ${countText(peak.requests, 'request')} in the minute of ${clockText(peak.at, now)}`,
    `objectives  ${allKeptText(objectives)}${nearestText(plan)}`,
  ];
  if (busiest.length > 0) lines.push('', showHosts(terminal, busiest));
  if (hosts > busiest.length) lines.push(`… and ${countText(hosts - busiest.length, 'host')} with less load`);
  const told = [
    ...busiest.filter(({ load }) => load > 1).map(overloadText),
    ...infeasible.map(infeasibleText),
    ...(cut.includes('infeasible') ? ['… and more objectives that their hosts do not allow'] : []),
  ];
  if (told.length > 0) lines.push('', ...told.map((each) => terminal.paint('red', each)));
  if (resting.length > 0) lines.push('', ...restingLines(resting, cut, now));
  return lines.join('\n');
}

/** The lines on requests that come late or never; none if no host is overloaded. */
function lateLines(terminal: Terminal, { undone, overloaded }: PlanView): string[] {
  if (overloaded === 0) return [];
  const hosts = `${countText(overloaded, 'host')} ${overloaded === 1 ? 'is' : 'are'} asked for more than allowed`;
  return [terminal.paint('red', `late        ${sumOf(undone)} of them, ${perDayText(undone)}, or never: ${hosts}`)];
}

/** A sentence on how many of a host's due requests it has turns for. */
function overloadText({ key, requests, undone, load, delayMs }: HostPlanView): string {
  const allowed = Math.floor(dayMs / delayMs);
  return (
    `host ${plainText(key)} is asked for ${loadText(load)} of what it allows: ` +
    `${countText(allowed, 'request')} a day at one in ${durationText(delayMs)}, so that of ${sumOf(requests)} ${sumOf(undone)} come late or never`
  );
}

/** Formats a load in percent. A load above 100 % is never rounded down to 100 %. */
function loadText(load: number): string {
  const perMille = Math.round(load * 1_000);
  return `${(load > 1 ? Math.max(1_001, perMille) : perMille) / 10} %`;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, each) => sum + each, 0);
}

function showHosts(terminal: Terminal, hosts: readonly HostPlanView[]): string {
  return table(terminal, hosts, [
    ['HOST', ({ key }) => plainText(key)],
    ['TARGETS', ({ targets }) => String(targets), { spare: true }],
    ['REQUESTS/DAY', ({ requests }) => rangeText(requests)],
    ['LOAD', ({ load }) => loadText(load)],
    ['DELAY', ({ delayMs }) => durationText(delayMs), { spare: true }],
    ['PEAK/MIN', ({ peak }) => String(peak.requests), { spare: true }],
    ['LONGEST WAIT', ({ longestWaitMs }) => (longestWaitMs === 0 ? '–' : durationText(longestWaitMs)), { spare: true }],
    ['BYTES', ({ bytes }) => bytesText(bytes), { spare: true }],
    ['OBJECTIVES', ({ objectives }) => keptText(objectives), { cutTo: 10 }],
  ]);
}

/** `96 a day`; where days differ, from the quietest to the busiest. */
function perDayText(requests: readonly number[]): string {
  return `${rangeText(requests, ' to ')} a day`;
}

/** `96`; where days differ, the quietest and the busiest. */
function rangeText(requests: readonly number[], between = '–'): string {
  const [least, most] = [Math.min(...requests), Math.max(...requests)];
  return least === most ? String(most) : `${least}${between}${most}`;
}

function keptText({ kept, broken, infeasible, worstByMs }: KeptView): string {
  if (kept + broken + infeasible === 0) return 'none';
  return [
    `${kept} kept`,
    ...(broken === 0 ? [] : [`${broken} broken by up to ${durationText(worstByMs)}`]),
    ...(infeasible === 0 ? [] : [`${infeasible} cannot be kept`]),
  ].join(', ');
}

/** What is said of the objectives of all hosts: those of the records of lists and crawls are only counted where hosts do not allow them. */
function allKeptText(kept: KeptView): string {
  const text = keptText(kept);
  return text === 'none'
    ? 'none of whole pages; those of records in lists and crawls are named only where a host does not allow them'
    : text;
}

/** The nearest feasible objective, as the end of a sentence; empty unless there is exactly one. */
function nearestText({ objectives, infeasible: [first, ...others] }: PlanView): string {
  if (objectives.infeasible === 0 || first?.nearestMs === undefined || others.length > 0) return '';
  return `: ${writtenText(first.nearestMs)} could be`;
}
