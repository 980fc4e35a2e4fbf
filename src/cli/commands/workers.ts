import { Command, Option } from 'commander';
import { ControlError } from '../../control/error.ts';
import type { Params } from '../../control/methods.ts';
import type { WorkerScale, WorkerView } from '../../control/methods/worker.ts';
import { ageText } from '../../time-text.ts';
import { queuesText } from '../../view/queues.ts';
import { countText, plainText, rateText } from '../../view/text.ts';
import { callAndPrint, examples, helpGroups, print, withDaemon } from '../cli.ts';
import { countIn } from '../options.ts';
import { showSteps } from '../show-steps.ts';
import { factLines, table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** `workers`: shows the worker processes, and tells them what to do. */
export function createCommand(terminal: Terminal): Command {
  return new Command('workers')
    .helpGroup(helpGroups.daemon)
    .description('list the worker processes that ask and read for the daemon, or tell one what to do')
    .addHelpText(
      'after',
      examples(
        'heronry workers',
        'heronry workers show ID',
        'heronry workers resize ID 32',
        'heronry workers scale --min 1 --max 4',
        'heronry workers stop ID',
      ),
    )
    .addCommand(showCommand(terminal))
    .addCommand(resizeCommand(terminal))
    .addCommand(scaleCommand(terminal))
    .addCommand(
      orderCommand(
        terminal,
        'drain',
        'have a worker process take no further step until it ends; those that it runs go on',
      ),
    )
    .addCommand(orderCommand(terminal, 'stop', 'have a worker process end in order'))
    .action((_options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const found = await client.call('worker.list', {});
        if (found.engine === 'local')
          terminal.err('the daemon asks and reads itself: `engine` in heronry.yaml has worker processes do it');
        else if (found.queues !== undefined && found.queues.state !== 'ready') {
          const { version } = await client.call('daemon.status', {});
          terminal.err(`queues: ${queuesText(found.queues, version, terminal.now())}`);
        } else if (found.workers.length === 0) terminal.err('no worker process is there: `heronry worker` runs one');
        print(terminal, command, found, () => {
          const lines = found.workers.length === 0 ? [] : [showWorkers(terminal, found.workers)];
          return [...lines, ...(found.scale === undefined ? [] : [scaleText(found.scale)])].join('\n');
        });
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('show a worker process with the steps that it runs, those that have run longest first, 50 at most')
    .argument('<id>', 'the worker process')
    .addHelpText('after', examples('heronry workers show V1StGXR8_Z5jdHi6B-myT'))
    .action((id: string, _options: object, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const { workers } = await client.call('worker.list', {});
        const worker = workers.find((each) => each.id === id);
        if (worker === undefined) throw new ControlError('not_found', `no worker process "${id}"`);
        print(terminal, command, worker, () => showWorker(terminal, worker));
      }),
    );
}

function resizeCommand(terminal: Terminal): Command {
  return new Command('resize')
    .description('have a worker process run so many steps at a time, until it ends')
    .argument('<id>', 'the worker process')
    .argument('<steps>', 'the number of steps at a time', countIn(1, 9_999))
    .addHelpText('after', examples('heronry workers resize V1StGXR8_Z5jdHi6B-myT 32'))
    .action((id: string, concurrency: number, _options: object, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['worker.resize', { id, concurrency }],
        () => `${id} is told to run ${countText(concurrency, 'step')} at a time`,
      ),
    );
}

function scaleCommand(terminal: Terminal): Command {
  return new Command('scale')
    .description('say how many worker processes are wanted at least and at most; without options, show that')
    .addOption(new Option('--min <count>', 'the least number').argParser(countIn(0, 1_000)))
    .addOption(new Option('--max <count>', 'the largest number').argParser(countIn(0, 1_000)))
    .addOption(new Option('--reset', 'go back to the limits of heronry.yaml').conflicts(['min', 'max']))
    .addHelpText(
      'after',
      examples('heronry workers scale', 'heronry workers scale --min 1 --max 4', 'heronry workers scale --reset'),
    )
    .action((wish: Params<'worker.scale'>, command: Command) =>
      callAndPrint(terminal, command, ['worker.scale', wish], scaleText),
    );
}

/** Formats how many worker processes are wanted, and who starts them. */
function scaleText({ min, max, wanted, by, own, configured }: WorkerScale): string {
  const who = by === 'daemon' ? `the daemon has started ${own}` : 'others start and end them';
  const limits = `at least ${min} and at most ${max}${configured === undefined ? '' : ` (${setText(configured)})`}`;
  return `wanted: ${wanted}, ${limits}; ${who}`;
}

/** Says that limits of the configuration do not hold, and how they do again. */
function setText({ min, max }: NonNullable<WorkerScale['configured']>): string {
  return `set by a command; heronry.yaml says ${min} to ${max}: heronry workers scale --reset`;
}

function orderCommand(terminal: Terminal, order: 'drain' | 'stop', does: string): Command {
  return new Command(order)
    .description(does)
    .argument('<id>', 'the worker process')
    .addHelpText('after', examples(`heronry workers ${order} V1StGXR8_Z5jdHi6B-myT`))
    .action((id: string, _options: object, command: Command) =>
      callAndPrint(terminal, command, [`worker.${order}`, { id }], () => `${id} is told to ${order}`),
    );
}

function showWorkers(terminal: Terminal, workers: readonly WorkerView[]): string {
  const now = terminal.now();
  return table(terminal, workers, [
    ['WORKER', ({ id }) => plainText(id)],
    ['STATE', stateText],
    ['HOST', ({ host, pid }) => `${plainText(host)} ${pid}`, { cutTo: 16 }],
    ['STEPS', ({ active, concurrency }) => `${active} of ${concurrency}`],
    ['RUN', ({ processed }) => String(processed)],
    ['FAILED', ({ failed }) => String(failed)],
    ['A MINUTE', ({ perMinute }) => (perMinute === undefined ? '' : rateText(perMinute.processed)), { spare: true }],
    ['HEARD', ({ heardAt }) => ageText(heardAt, now)],
    ['STARTED', ({ startedAt }) => ageText(startedAt, now), { spare: true }],
    ['VERSION', ({ version }) => plainText(version), { spare: true }],
  ]);
}

/** Formats all that is known of a worker process. */
function showWorker(terminal: Terminal, worker: WorkerView): string {
  const { id, host, pid, version, queues, concurrency, active, processed, failed, perMinute, steps } = worker;
  const now = terminal.now();
  const rate = perMinute && `${rateText(perMinute.processed)}, of which ${rateText(perMinute.failed)} failed`;
  return [
    `worker ${plainText(id)} ${stateText(worker)}`,
    ...factLines([
      ['machine', `${plainText(host)}, pid ${pid}`],
      ['version', plainText(version)],
      ['queues', plainText(queues.join(', '))],
      ['started', ageText(worker.startedAt, now)],
      ['heard', ageText(worker.heardAt, now)],
      ['steps', `${active} of ${concurrency}`],
      ['run', `${processed}, of which ${failed} failed`],
      ['a minute', rate],
    ]),
    ...(steps.length === 0 ? [] : [showSteps(terminal, steps)]),
  ].join('\n');
}

function stateText({ online, draining }: WorkerView): string {
  if (!online) return 'away';
  return draining ? 'draining' : 'running';
}
