import { Argument, Command, Option } from 'commander';
import type { MethodInput } from '../../control/methods.ts';
import { defined } from '../../defined.ts';
import { EndedState, StepState, StepType } from '../../view/step-entry.ts';
import { countText } from '../../view/text.ts';
import { callAndPrint, examples, helpGroups, listRows, print, withDaemon } from '../cli.ts';
import { countOption, instantOption, limitOption } from '../options.ts';
import { showStepDetail, showSteps } from '../show-steps.ts';
import type { Terminal } from '../terminal.ts';

type Options = Omit<MethodInput<'step.list'>, 'before' | 'limit'> & { readonly limit: number };

/** The states of which all steps can be tried again. */
const retried = EndedState.exclude(['done']).options;

/** `steps`: lists single steps, shows one, and does with it what a person wants. */
export function createCommand(terminal: Terminal): Command {
  return new Command('steps')
    .helpGroup(helpGroups.sources)
    .description('list single steps, each one request and what was read from it, the newest first')
    .addOption(new Option('--state <state>', 'only steps in this state').choices(StepState.options))
    .addOption(new Option('--type <type>', 'only steps of this type').choices(StepType.options))
    .option('-s, --source <id>', 'only steps of this source')
    .option('-t, --target <number>', 'only steps of this target', countOption)
    .option('--worker <id>', 'only what this worker process runs or ran; `daemon` for the daemon itself')
    .option('--text <text>', 'only steps with this text in their address, source or failure')
    .option('--queued-from <instant>', 'only steps that began to wait then or later', instantOption)
    .option('--queued-to <instant>', 'only steps that began to wait before', instantOption)
    .option('--started-from <instant>', 'only steps whose turn came then or later', instantOption)
    .option('--started-to <instant>', 'only steps whose turn came before', instantOption)
    .option('--limit <count>', 'the most steps to list', limitOption, 20)
    .addHelpText(
      'after',
      `\nA target whose scrape has not begun stands in the list of \`--state waiting\` or \`delayed\`, as t and its number.\n\`heronry pause\` lets no step begin, of a source or at all, until \`heronry resume\`.\n${examples(
        'heronry steps --state failed --source shop',
        'heronry steps show 4711',
        'heronry steps retry failed',
        'heronry steps promote t17',
      )}`,
    )
    .addCommand(showCommand(terminal))
    .addCommand(countsCommand(terminal))
    .addCommand(retryCommand(terminal))
    .addCommand(promoteCommand(terminal))
    .addCommand(revokeCommand(terminal))
    .addCommand(cleanCommand(terminal))
    .action(({ limit, ...wanted }: Options, command: Command) =>
      withDaemon(terminal, command, async (client) => {
        const steps = await listRows(terminal, { limit, noun: 'step' }, 'steps', (most, before?: string) =>
          client.call('step.list', { ...wanted, limit: most, ...defined({ before }) }),
        );
        if (steps.length === 0) terminal.err(Object.keys(wanted).length > 0 ? 'no step matches' : 'no steps');
        print(terminal, command, steps, () => showSteps(terminal, steps));
      }),
    );
}

function showCommand(terminal: Terminal): Command {
  return new Command('show')
    .description('show a step with its tries, its log and the progress of its scrape')
    .argument('<id>', 'the step')
    .addHelpText('after', examples('heronry steps show 4711'))
    .action((id: string, _options: object, command: Command) =>
      callAndPrint(terminal, command, ['step.get', { id }], (step) => showStepDetail(terminal, step)),
    );
}

function countsCommand(terminal: Terminal): Command {
  return new Command('counts')
    .description('count steps by state')
    .addHelpText('after', examples('heronry steps counts --json'))
    .action((_options: object, command: Command) =>
      callAndPrint(terminal, command, ['step.counts', {}], ({ waiting, delayed, running, ended }) =>
        [`${waiting} waiting`, `${delayed} delayed`, `${running} running`, `${ended} ended and kept`].join(', '),
      ),
    );
}

function retryCommand(terminal: Terminal): Command {
  return new Command('retry')
    .description('scrape the target of a step again now, or the targets of all steps that ended so')
    .argument('<which>', 'the step, or `failed`, `lost` or `revoked` for all')
    .option('-s, --source <id>', 'of all: only of this source')
    .addHelpText('after', examples('heronry steps retry 4711', 'heronry steps retry failed --source shop'))
    .action((which: string, _options: object, command: Command) => {
      const state = retried.find((each) => each === which);
      const asked = state === undefined ? { id: which } : { state, ...sourceOf(command) };
      return callAndPrint(terminal, command, ['step.retry', asked], askedText);
    });
}

/** The source that is asked for: the list has an option of the same name, which takes it. */
function sourceOf(command: Command): { readonly source?: string } {
  return defined({ source: command.optsWithGlobals<{ readonly source?: string }>().source });
}

function promoteCommand(terminal: Terminal): Command {
  return new Command('promote')
    .description('have a target that waits or is due later take the next turn of its host')
    .argument('<id>', 'the first step of its next scrape, such as t17')
    .addHelpText('after', examples('heronry steps --state delayed', 'heronry steps promote t17'))
    .action((id: string, _options: object, command: Command) =>
      callAndPrint(terminal, command, ['step.promote', { id }], askedText),
    );
}

function revokeCommand(terminal: Terminal): Command {
  return new Command('revoke')
    .description('end a step: one that waits is never made, one that runs is cut, and its scrape is cancelled')
    .argument('<id>', 'the step')
    .addHelpText('after', examples('heronry steps revoke 4711', 'heronry steps revoke t17'))
    .action((id: string, _options: object, command: Command) =>
      callAndPrint(terminal, command, ['step.revoke', { id }], ({ revoked }) =>
        revoked ? `step ${id} is revoked` : `step ${id} had ended`,
      ),
    );
}

function cleanCommand(terminal: Terminal): Command {
  return new Command('clean')
    .description('remove ended steps from the list; scrapes and records stay')
    .addArgument(new Argument('<state>', 'steps that ended so').choices(EndedState.options))
    .option('-s, --source <id>', 'only of this source')
    .addHelpText('after', examples('heronry steps clean done'))
    .action((state: EndedState, _options: object, command: Command) =>
      callAndPrint(
        terminal,
        command,
        ['step.clean', { state, ...sourceOf(command) }],
        ({ removed }) => `${countText(removed, 'step')} removed`,
      ),
    );
}

function askedText({ scrapes, idle }: { readonly scrapes: readonly number[]; readonly idle: number }): string {
  const left = idle > 0 ? `; ${countText(idle, 'target')} not scraped any more` : '';
  const first = scrapes.slice(0, 10).join(', ');
  return `${countText(scrapes.length, 'scrape')} asked for${first === '' ? '' : `: ${first}${scrapes.length > 10 ? ', …' : ''}`}${left}`;
}
