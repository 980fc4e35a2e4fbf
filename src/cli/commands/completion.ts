import { Argument, Command } from 'commander';
import { examples, helpGroups } from '../cli.ts';
import { completedPlaces } from '../completion-places.ts';
import { bashScript, fishScript, zshScript } from '../completion-scripts.ts';
import type { Terminal } from '../terminal.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

type Shell = (typeof shells)[number];

/** `completion`: prints a script by which a shell completes commands, options and ids. */
export function createCommand(terminal: Terminal): Command {
  return new Command('completion')
    .helpGroup(helpGroups.daemon)
    .description('print a script that lets a shell complete commands, options and ids of projects and sources')
    .addArgument(new Argument('<shell>', 'which').choices(shells))
    .addHelpText(
      'after',
      examples(
        'heronry completion bash > ~/.local/share/bash-completion/completions/heronry',
        'heronry completion zsh > ~/.zfunc/_heronry',
        'heronry completion fish > ~/.config/fish/completions/heronry.fish',
      ),
    )
    .action((shell: Shell, _options: object, command: Command) => {
      terminal.out(completionScript(shell, command.parent ?? command));
    });
}

/** Makes the script by which a shell completes the program's commands, their options, and ids. */
function completionScript(shell: Shell, program: Command): string {
  const places = completedPlaces(program);
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return zshScript(places);
    case 'fish':
      return fishScript(places);
    default:
      return shell satisfies never;
  }
}
