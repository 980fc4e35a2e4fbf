import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { Result } from '../../control/methods.ts';
import type { ReextractionView } from '../../view/reextraction.ts';
import { defined } from '../../defined.ts';
import { ageText, clockText } from '../../time-text.ts';
import { examples, helpGroups, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { countOption, instantOption } from '../options.ts';
import { cutChange } from '../cut-change.ts';
import { showChange } from '../show-change.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { countText, plainText } from '../../view/text.ts';

interface Options {
  readonly type?: string;
  readonly since?: number;
  readonly show?: number;
  readonly apply?: number;
  readonly cancel?: number;
}

type Job = Result<'reextraction.get'>;

/** `reextract`: reads the kept pages of a source again, and corrects its history by what they say. */
export function createCommand(terminal: Terminal): Command {
  return new Command('reextract')
    .helpGroup(helpGroups.sources)
    .description(
      'read the kept pages of a source again by its present definition, and show what would change; --apply corrects the history',
    )
    .argument('[source]', 'the source; without one, and without an option, all jobs are listed')
    .option('--type <type>', 'only records of this type')
    .option('--since <instant>', 'only pages that came at this instant in UTC or later', instantOption)
    .option('--show <job>', 'show what a job would change', countOption)
    .option('--apply <job>', 'correct the history, and the present values that go back to its pages', countOption)
    .option('--cancel <job>', 'end a job', countOption)
    .addHelpText(
      'after',
      examples('heronry reextract shop --since 2026-03-01', 'heronry reextract --apply 3', 'heronry reextract'),
    )
    .action((source: string | undefined, { type, since, show, apply, cancel }: Options, command: Command) => {
      if ([source, show, apply, cancel].filter((each) => each !== undefined).length > 1)
        throw new CommandError(
          'usage',
          'reextract: expected a source, --show, --apply or --cancel, and one of them only',
        );
      if (source === undefined && (type !== undefined || since !== undefined))
        throw new CommandError('usage', 'reextract: expected a source beside --type and --since');
      return withDaemon(terminal, command, async (client) => {
        if (cancel !== undefined)
          return print(terminal, command, await client.call('reextraction.cancel', { job: cancel }), lineOf);
        const job = await jobOf(client, source, defined({ show, apply }), defined({ type, since }));
        if (job !== undefined) {
          print(terminal, command, job, () => showJob(terminal, job));
          if (job.failure !== undefined) throw new CommandError('failed', `job ${job.job}: ${job.failure}`);
          return undefined;
        }
        const { jobs } = await client.call('reextraction.list', {});
        if (jobs.length === 0) terminal.err('no kept pages were read again so far');
        return print(terminal, command, jobs, () => listText(terminal, jobs));
      });
    });
}

/** Begins, applies or shows a job, and waits for its end. */
async function jobOf(
  client: Client,
  source: string | undefined,
  { show, apply }: Pick<Options, 'show' | 'apply'>,
  wish: Pick<Options, 'type' | 'since'>,
): Promise<Job | undefined> {
  if (source !== undefined) {
    const { job } = await client.call('reextraction.begin', { source, ...wish });
    return client.call('reextraction.get', { job, wait: true });
  }
  if (apply !== undefined) {
    await client.call('reextraction.apply', { job: apply });
    return client.call('reextraction.get', { job: apply, wait: true });
  }
  return show === undefined ? undefined : client.call('reextraction.get', { job: show });
}

function lineOf({ job, source, state, pages, changes, records }: ReextractionView): string {
  const found = `${countText(changes, 'correction')} of ${countText(records, 'record')}`;
  return `job ${job} of ${source} is ${state}: ${countText(pages, 'page')} read, ${found}`;
}

function showJob(terminal: Terminal, job: Job): string {
  const { unreadable, damaged, fields, present, state } = job;
  const lines = [lineOf(job)];
  if (unreadable > 0) lines.push(`nothing could be read from ${countText(unreadable, 'page')}`);
  if (damaged > 0) lines.push(terminal.paint('yellow', `${countText(damaged, 'page')} are damaged or gone`));
  const counts = Object.entries(fields).map(([field, count]) => `${plainText(field)} ${count}`);
  if (counts.length > 0) lines.push(`by field: ${counts.join(', ')}; present values that change: ${present}`);
  const rows = job.examples.flatMap((each) =>
    Object.entries(each.fields).map(([field, change]) => ({ ...each, field, change })),
  );
  if (rows.length > 0)
    lines.push(
      '',
      table(terminal, rows, [
        ['WHEN', ({ at }) => clockText(at, terminal.now())],
        ['RECORD', ({ type, key }) => `${type} ${plainText(key)}`, { cutTo: 16 }],
        ['FIELD', ({ field }) => plainText(field)],
        [
          'CHANGE',
          ({ change }) => showChange(terminal, change),
          { cutTo: 16, cut: ({ change }, room) => cutChange(terminal, change, room) },
        ],
        ['PAGE', ({ page }) => page, { spare: true }],
      ]),
    );
  if (state === 'ready' && job.changes > 0)
    lines.push('', `nothing has changed yet: \`heronry reextract --apply ${job.job}\` corrects the history`);
  return lines.join('\n');
}

function listText(terminal: Terminal, jobs: readonly ReextractionView[]): string {
  return table(terminal, jobs, [
    ['JOB', ({ job }) => String(job)],
    ['SOURCE', ({ source }) => source],
    ['STATE', ({ state }) => state],
    ['PAGES', ({ pages }) => String(pages)],
    ['RECORDS', ({ records }) => String(records)],
    ['CHANGES', ({ changes }) => String(changes)],
    ['BEGAN', ({ createdAt }) => ageText(createdAt, terminal.now())],
  ]);
}
