import { Command } from 'commander';
import type { Client } from '../../control/client.ts';
import type { PipelineView } from '../../control/methods/pipeline.ts';
import { defined } from '../../defined.ts';
import { ageText, dueText, durationText } from '../../time-text.ts';
import type { JobView, RunView } from '../../view/pipeline.ts';
import { plainText, valueText } from '../../view/text.ts';
import { callAndPrint, examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { CommandError } from '../exit-status.ts';
import { countOption, limitOption } from '../options.ts';
import { factLines, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly limit: number;
  readonly run?: number;
}

const aPipeline = ['<id>', 'the pipeline'] as const;

/** `pipelines`: lists the pipelines, shows the runs of one, and has it run, pause and go on. */
export function createCommand(terminal: Terminal): Command {
  return new Command('pipelines')
    .alias('pipeline')
    .helpGroup(helpGroups.schedule)
    .description('list the pipelines with their last runs, or show the jobs and the runs of one')
    .argument('[id]', 'the pipeline to show')
    .option('--limit <count>', 'the most runs to show', limitOption, 20)
    .option('--run <number>', 'show the jobs of this run; default: of the last', countOption)
    .addHelpText(
      'after',
      examples(
        'heronry pipelines',
        'heronry pipelines nightly',
        'heronry pipelines nightly --run 12',
        'heronry pipelines run nightly',
        'heronry pipelines clear nightly 12 --job merge',
        'heronry pipelines pause nightly --reason "the warehouse moves"',
      ),
    )
    .addCommand(runCommand(terminal))
    .addCommand(pauseCommand(terminal))
    .addCommand(resumeCommand(terminal))
    .addCommand(clearCommand(terminal))
    .addCommand(cancelCommand(terminal))
    .action((id: string | undefined, { limit, run }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        if (id === undefined) {
          const { pipelines } = await client.call('pipeline.list', {});
          if (pipelines.length === 0)
            terminal.err('no pipelines: write a file in the folder `pipelines`, then `heronry sources --reload`');
          return print(terminal, command, pipelines, () => showPipelines(terminal, pipelines));
        }
        const pipeline = await client.call('pipeline.get', { id });
        const runs = await listRows(terminal, { limit, noun: 'run' }, 'runs', (most, before?: number) =>
          client.call('pipeline.runs', { id, limit: most, ...defined({ before }) }),
        );
        const shown = run === undefined ? pipeline.last : await runOf(client, id, run);
        print(terminal, command, { pipeline, runs, ...defined({ run: shown }) }, () =>
          showPipeline(terminal, { pipeline, runs, shown }),
        );
      }),
    );
}

function runCommand(terminal: Terminal): Command {
  return new Command('run')
    .description('have a pipeline run now, whatever its schedule; not while it is paused, or a run of it is under way')
    .argument(...aPipeline)
    .option('-w, --wait', 'wait for its end; exits with 1 unless all its jobs are done')
    .addHelpText('after', examples('heronry pipelines run nightly', 'heronry pipelines run nightly --wait'))
    .action((id: string, { wait }: { readonly wait?: true }, command: Command) =>
      wait === undefined
        ? callAndPrint(terminal, command, ['pipeline.run', { id }], ({ run }) => `run ${run} of ${id} has begun`)
        : withDaemon(terminal, command, async (client) => {
            const ended = await runToEnd(client, id);
            print(terminal, command, ended, () => `run ${lastText(terminal, ended)}`);
            if (ended.state !== 'done') throw new CommandError('failed', `run ${ended.run} of ${id} ${ended.state}`);
          }),
    );
}

/** Begins a run of a pipeline. Resolves with the run when it has ended. */
async function runToEnd(client: Client, id: string): Promise<RunView> {
  let wake = (): void => {};
  await client.subscribe({ types: ['pipeline.ended'] }, () => wake());
  const { run } = await client.call('pipeline.run', { id });
  for (;;) {
    const { promise: told, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    const seen = await runOf(client, id, run);
    if (seen.state !== 'running') return seen;
    await Promise.race([told, client.closed]);
  }
}

/** Resolves with a run. Rejects with a `CommandError` where there is none of that number. */
async function runOf(client: Client, id: string, run: number): Promise<RunView> {
  const { runs } = await client.call('pipeline.runs', { id, before: run + 1, limit: 1 });
  const [found] = runs;
  if (found?.run !== run) throw new CommandError('not_found', `pipeline ${id} has no run ${run}`);
  return found;
}

function pauseCommand(terminal: Terminal): Command {
  return new Command('pause')
    .description('have nothing of a pipeline begin until it is resumed; jobs that run go on')
    .argument(...aPipeline)
    .option('--reason <text>', 'why, for people')
    .addHelpText('after', examples('heronry pipelines pause nightly'))
    .action((id: string, { reason }: { readonly reason?: string }, command: Command) =>
      callAndPrint(terminal, command, ['pipeline.pause', { id, ...defined({ reason }) }], () => `${id} is paused`),
    );
}

function resumeCommand(terminal: Terminal): Command {
  return new Command('resume')
    .description('end the pause of a pipeline; what its schedule had for the time of the pause is left out')
    .argument(...aPipeline)
    .addHelpText('after', examples('heronry pipelines resume nightly'))
    .action((id: string, _options: object, command: Command) =>
      callAndPrint(terminal, command, ['pipeline.resume', { id }], () => `${id} is not paused`),
    );
}

function clearCommand(terminal: Terminal): Command {
  return new Command('clear')
    .description(
      'run jobs of a run again, by default those that failed or were cancelled, and all that come after them',
    )
    .argument(...aPipeline)
    .argument('<run>', 'the number of the run', countOption)
    .option('--job <name>', 'this job')
    .addHelpText(
      'after',
      examples('heronry pipelines clear nightly 12', 'heronry pipelines clear nightly 12 --job merge'),
    )
    .action((id: string, number: number, { job }: { readonly job?: string }, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['pipeline.clear', { id, run: number, ...defined({ job }) }],
        ({ cleared }) => `run ${number} of ${id} goes on with ${cleared.join(', ')}`,
      ),
    );
}

function cancelCommand(terminal: Terminal): Command {
  return new Command('cancel')
    .description('end a run under way; scrapes that its jobs have asked for go on')
    .argument(...aPipeline)
    .argument('<run>', 'the number of the run', countOption)
    .addHelpText('after', examples('heronry pipelines cancel nightly 12'))
    .action((id: string, number: number, _options: object, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['pipeline.cancel', { id, run: number }],
        () => `run ${number} of ${id} is cancelled`,
      ),
    );
}

function showPipelines(terminal: Terminal, pipelines: readonly PipelineView[]): string {
  return table(terminal, pipelines, [
    ['PIPELINE', ({ id }) => id],
    ['STATE', ({ paused, last }) => (paused !== undefined ? 'paused' : last?.state === 'running' ? 'running' : 'idle')],
    ['NEXT', (pipeline) => nextText(terminal, pipeline) ?? '–'],
    ['JOBS', ({ jobs }) => String(jobs.length)],
    ['LAST RUN', ({ last }) => (last === undefined ? '–' : lastText(terminal, last)), { cutTo: 24 }],
  ]);
}

function nextText(terminal: Terminal, { paused, nextAt }: PipelineView): string | undefined {
  return paused === undefined && nextAt !== undefined ? dueText(nextAt, terminal.now()) : undefined;
}

function lastText(terminal: Terminal, { run: number, state, beganAt, durationMs, jobs }: RunView): string {
  const failed = failedOf(jobs);
  const what = `${number} ${state}${failed === '' ? '' : ` at ${failed}`}`;
  return `${what}, ${ageText(beganAt, terminal.now())}, ${durationText(durationMs)}`;
}

function failedOf(jobs: readonly JobView[]): string {
  return jobs.flatMap(({ name, state }) => (state === 'failed' ? [name] : [])).join(', ');
}

/** What is shown of a pipeline. */
interface Shown {
  readonly pipeline: PipelineView;
  readonly runs: readonly RunView[];
  /** The run whose jobs are shown. */
  readonly shown: RunView | undefined;
}

function showPipeline(terminal: Terminal, { pipeline, runs, shown }: Shown): string {
  const { id, schedule, paused, jobs } = pipeline;
  const now = terminal.now();
  const why = paused?.reason === undefined ? '' : `: ${plainText(paused.reason)}`;
  return [
    terminal.paint('bold', id),
    ...factLines([
      ['schedule', schedule && `${schedule.cron} in ${schedule.zone}`],
      ['next', nextText(terminal, pipeline)],
      ['paused', paused && `${ageText(paused.at, now)}${why}`],
      ['jobs', shown === undefined ? jobs.map(({ name }) => name).join(', ') : undefined],
    ]),
    ...(shown === undefined
      ? []
      : [
          '',
          `jobs of run ${shown.run}:`,
          table(terminal, shown.jobs, [
            ['JOB', ({ name }) => name],
            ['DOES', ({ kind }) => kind],
            ['AFTER', ({ after }) => after.join(', ') || '–', { cutTo: 16 }],
            ['STATE', ({ state }) => state],
            ['TRIES', ({ tries }) => String(tries), { spare: true }],
            ['TOOK', (job) => tookText(job, now)],
            ['OUTCOME', outcomeText, { cutTo: 24 }],
          ]),
        ]),
    ...(runs.length === 0
      ? []
      : [
          '',
          table(terminal, runs, [
            ['RUN', ({ run: number }) => String(number)],
            ['STATE', ({ state }) => state],
            ['WHY', ({ reason }) => reason],
            ['BEGAN', ({ beganAt }) => ageText(beganAt, now)],
            ['TOOK', ({ durationMs }) => durationText(durationMs)],
            ['FAILED', ({ jobs: all }) => failedOf(all) || '–', { cutTo: 16 }],
          ]),
        ]),
  ].join('\n');
}

function tookText({ beganAt, endedAt }: JobView, now: number): string {
  return beganAt === undefined ? '–' : durationText(Math.max(0, (endedAt ?? now) - beganAt));
}

function outcomeText({ failure, result }: JobView): string {
  if (failure !== undefined) return plainText(failure);
  return result === undefined ? '–' : plainText(valueText(result));
}
