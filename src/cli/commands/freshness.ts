import { Command } from 'commander';
import type { Result } from '../../control/methods.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { ageText, durationText } from '../../time-text.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { restingLines } from '../resting-text.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText, projectsText } from '../../view/text.ts';

type Report = Result<'objective.report'>;

/** `freshness`: shows how fresh everything with an objective is. */
export function createCommand(terminal: Terminal): Command {
  return new Command('freshness')
    .helpGroup(helpGroups.schedule)
    .description(
      'show how fresh everything with an objective is: ages, the share that keeps its objective, the next deadlines',
    )
    .option('-s, --source <id>', 'only this source')
    .option('--project <id>', 'only this project')
    .addHelpText('after', examples('heronry freshness', 'heronry freshness --source shop --json'))
    .action((options: { readonly source?: string; readonly project?: string }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const report = await client.call('objective.report', options);
        if (report.all.count === 0 && report.resting === undefined) terminal.err('nothing has an objective');
        print(terminal, command, report, () => showReport(terminal, report));
      }),
    );
}

const recordColumn = [
  'RECORD',
  ({ record }: Report['next'][number]) => (record === undefined ? '–' : plainText(`${record.type} ${record.key}`)),
  { cutTo: 12 },
] as const;

function showReport(terminal: Terminal, { all, sources, next, infeasible, resting = [], cut = [] }: Report): string {
  const now = terminal.now();
  const rests = restingLines(resting, cut, now);
  if (all.count === 0) return rests.join('\n');
  const rows = [...sources, { ...all, source: 'all' }];
  const deadlineText = (at: number): string => (at < now ? terminal.paint('red', ageText(at, now)) : ageText(at, now));
  const ages = table(terminal, rows, [
    ['SOURCE', ({ source }) => source, { cutTo: 12 }],
    ['COUNT', ({ count }) => String(count)],
    ['WITHIN', ({ shareWithin }) => `${Math.floor(shareWithin * 1_000) / 10} %`],
    ['BREACHES', ({ breaches }) => String(breaches)],
    ['P50', ({ p50Ms }) => durationText(p50Ms), { spare: true }],
    ['P95', ({ p95Ms }) => durationText(p95Ms), { spare: true }],
    ['P99', ({ p99Ms }) => durationText(p99Ms), { spare: true }],
    ['OLDEST', ({ maxMs }) => durationText(maxMs)],
    ['NEXT DEADLINE', ({ nextDeadlineAt }) => (nextDeadlineAt === undefined ? '–' : ageText(nextDeadlineAt, now))],
  ]);
  const deadlines = table(terminal, next, [
    ['DEADLINE', ({ deadlineAt }) => deadlineText(deadlineAt)],
    ['AGE', ({ ageMs }) => durationText(ageMs)],
    ['OBJECTIVE', ({ objectiveMs }) => durationText(objectiveMs)],
    ['PROJECT', ({ projects }) => projectsText(projects), { cutTo: 12 }],
    ['TARGET', ({ target }) => String(target)],
    ['SOURCE', ({ source }) => source, { cutTo: 10, spare: true }],
    ...(next.some(({ record }) => record !== undefined) ? [recordColumn] : []),
    ['FIELD', ({ field }) => (field === undefined ? '–' : plainText(field)), { cutTo: 8 }],
  ]);
  const later = all.count - next.length;
  const more = later > 0 ? `\n… and ${countText(later, 'later deadline')}` : '';
  const refused = infeasible.map((each) => terminal.paint('red', infeasibleText(each)));
  return [ages, deadlines + more, ...refused, ...rests].join('\n\n');
}
