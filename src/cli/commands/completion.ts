import { Argument, Command } from 'commander';
import { examples } from '../cli.ts';
import { completionScript, shells, type Shell } from '../completion-script.ts';
import type { Terminal } from '../terminal.ts';

/** `completion`: prints what makes a shell complete commands, options and project ids. */
export function completionCommand(terminal: Terminal): Command {
  return new Command('completion')
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
