import { Command, Option } from 'commander';
import type { MetricPoint } from '../../control/methods/metric.ts';
import { defined } from '../../defined.ts';
import { csvCell, csvRow } from '../../export/csv.ts';
import { ageText } from '../../time-text.ts';
import { examples, globalOptions, helpGroups, print, withDaemon } from '../cli.ts';
import { instantOption } from '../options.ts';
import { figureText } from '../../view/text.ts';
import { showMetrics, showRates } from '../show-metrics.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { plainText } from '../../view/text.ts';

interface Options {
  readonly metric?: string;
  readonly since?: number;
  readonly until?: number;
  readonly format?: 'csv' | 'ndjson';
}

/** Points that are asked for at once. */
const atOnce = 500;

/** `metrics`: shows the metrics of a project as they are, or one of them over time. */
export function createCommand(terminal: Terminal): Command {
  return new Command('metrics')
    .helpGroup(helpGroups.projects)
    .description(
      'show the metrics of a project, what each is made of with its age, and the rates; or one metric over time',
    )
    .argument('<id>', 'the project')
    .option('-m, --metric <name>', 'this metric over time')
    .option('--since <instant>', 'only from this instant on, in UTC', instantOption)
    .option('--until <instant>', 'only before this instant, in UTC', instantOption)
    .addOption(new Option('--format <format>', 'the points for programs').choices(['csv', 'ndjson']))
    .addHelpText(
      'after',
      examples('heronry metrics solar', 'heronry metrics solar --metric roas --since 2026-03-01 --format csv'),
    )
    .action((id: string, options: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const { metric, since, until, format } = options;
        if (metric === undefined) {
          const { metrics, problems } = await client.call('metric.list', { project: id });
          for (const problem of problems) terminal.err(plainText(problem));
          if (metrics.length === 0 && problems.length === 0) terminal.err(`${id} has no metrics`);
          print(terminal, command, metrics, () =>
            [showMetrics(terminal, metrics, true), showRates(terminal, metrics)]
              .filter((part) => part !== '')
              .join('\n\n'),
          );
          return;
        }
        const points: MetricPoint[] = [];
        for (let from = since, more = true; more;) {
          const slice = await client.call('metric.series', {
            project: id,
            metric,
            limit: atOnce,
            ...defined({ since: from, until }),
          });
          points.push(...slice.points);
          from = slice.next;
          more = from !== undefined;
        }
        if (format === undefined || globalOptions(command).json === true) {
          if (points.length === 0) terminal.err(`nothing is known of ${metric} of ${id} then`);
          print(terminal, command, points, () => showPoints(terminal, points));
        } else for (const line of linesOf(points, format)) terminal.out(line);
      }),
    );
}

function showPoints(terminal: Terminal, points: readonly MetricPoint[]): string {
  return table(terminal, points, [
    ['WHEN', ({ at }) => ageText(at, terminal.now())],
    [
      'VALUE',
      ({ value, reason }) => (reason === undefined ? figureText(value) : `– (${plainText(reason.message)})`),
      { cutTo: 16 },
    ],
    ['STALE', ({ stale }) => (stale === undefined ? '' : plainText(stale)), { cutTo: 16 }],
  ]);
}

function linesOf(points: readonly MetricPoint[], format: 'csv' | 'ndjson'): string[] {
  if (format === 'ndjson') return points.map((point) => JSON.stringify(point));
  return [
    csvRow(['metric', 'at', 'amount', 'currency', 'reason', 'stale']),
    ...points.map(({ metric, at, value, reason, stale }) => {
      const isMoney = typeof value === 'object' && value !== null && 'amount' in value && 'currency' in value;
      const [amount, currency] = isMoney ? [value.amount, value.currency] : [value, null];
      return csvRow(
        [metric, new Date(at).toISOString(), amount, currency, reason?.code ?? null, stale ?? null].map((cell) =>
          csvCell(cell),
        ),
      );
    }),
  ];
}
