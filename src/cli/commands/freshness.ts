import { Command } from 'commander';
import type { Result } from '../../control/methods.ts';
import type { DeadlineView, FreshnessView } from '../../control/methods/objective.ts';
import { examples, print, withDaemon } from '../cli.ts';
import { ageText, durationText } from '../duration.ts';
import { infeasibleText } from '../infeasible-text.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../text.ts';

type Report = Result<'objective.report'>;

/** `freshness`: how fresh everything with an objective is. */
export function freshnessCommand(terminal: Terminal): Command {
  return new Command('freshness')
    .description('show how fresh everything with an objective is: ages, the part that keeps it, the next deadlines')
    .option('-s, --source <id>', 'of this source alone')
    .option('--project <id>', 'of this project alone')
    .addHelpText('after', examples('heronry freshness', 'heronry freshness --source shop --json'))
    .action((options: { readonly source?: string; readonly project?: string }, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const report = await client.call('objective.report', options);
        if (report.all.count === 0) terminal.err('nothing has an objective');
        print(terminal, command, report, () => showReport(terminal, report));
      }),
    );
}

function showReport(terminal: Terminal, { all, sources, next, infeasible }: Report): string {
  if (all.count === 0) return '';
  const headings = ['SOURCE', 'COUNT', 'WITHIN', 'BREACHES', 'P50', 'P95', 'P99', 'OLDEST', 'NEXT DEADLINE'];
  const rows = [...sources.map((each) => ({ ...each, name: each.source })), { ...all, name: 'all' }];
  return [
    table(
      terminal,
      headings,
      rows.map((row) => [row.name, ...cellsOf(row, terminal.now())]),
      'headed',
    ),
    table(
      terminal,
      ['DEADLINE', 'AGE', 'OBJECTIVE', 'PROJECT', 'TARGET', 'SOURCE', 'FIELD'],
      next.map((each) => deadlineRow(terminal, each)),
      'headed',
    ),
    ...infeasible.map((each) => terminal.paint('red', infeasibleText(each))),
  ].join('\n\n');
}

function cellsOf(
  { count, shareWithin, breaches, p50Ms, p95Ms, p99Ms, maxMs, nextDeadlineAt }: FreshnessView,
  now: number,
): string[] {
  const ages = [p50Ms, p95Ms, p99Ms, maxMs].map(durationText);
  const next = nextDeadlineAt === undefined ? '–' : ageText(nextDeadlineAt, now);
  return [String(count), `${Math.floor(shareWithin * 1_000) / 10} %`, String(breaches), ...ages, next];
}

function deadlineRow(
  terminal: Terminal,
  { deadlineAt, ageMs, objectiveMs, project, target, source, field }: DeadlineView,
): string[] {
  const when = ageText(deadlineAt, terminal.now());
  return [
    deadlineAt < terminal.now() ? terminal.paint('red', when) : when,
    durationText(ageMs),
    durationText(objectiveMs),
    project,
    String(target),
    source,
    field === undefined ? '–' : plainText(field),
  ];
}
