import { Argument, Command, type Option } from 'commander';
import { defined } from '../../defined.ts';
import { examples, helpGroups } from '../cli.ts';
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

interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** The shell command that lists the ids which the first argument may be. */
  readonly lists?: string;
  readonly words: readonly string[];
}

/** Makes the script by which a shell completes the program's commands, their options, and ids. */
function completionScript(shell: Shell, program: Command): string {
  const commands = program.commands.map((command) => describe(command, program.options));
  switch (shell) {
    case 'bash':
      return bashScript(commands);
    case 'zsh':
      return zshScript(commands);
    case 'fish':
      return fishScript(commands);
    default:
      return shell satisfies never;
  }
}

function describe(command: Command, globals: readonly Option[]): Completed {
  const [first] = command.registeredArguments;
  const lists = command.name() === 'add' ? undefined : listing[first?.name() ?? ''];
  return {
    name: command.name(),
    description: command.description(),
    options: optionsOf(command, globals),
    ...defined({ lists }),
    words: [...command.commands.map((each) => each.name()), ...(first?.argChoices ?? [])],
  };
}

/** Lists the options of a command, of its own commands, and of the whole program, each once. */
function optionsOf(command: Command, globals: readonly Option[]): Option[] {
  const all = [...command.options, ...command.commands.flatMap(({ options }) => options), ...globals];
  const byName = new Map(all.toReversed().map((option) => [option.long ?? '', option]));
  byName.delete('');
  return [...byName.values()].reverse();
}

/** The shell commands that list ids, by the name of the argument that takes them. */
const listing: Readonly<Record<string, string>> = {
  id: 'heronry list --ids 2>/dev/null',
  source: 'heronry sources --ids 2>/dev/null',
  sources: 'heronry sources --ids 2>/dev/null',
};

function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options, lists, words }) => {
    const fixed = [...words, ...options.map(({ long }) => long)].join(' ');
    return `    ${name}) words="${fixed}${lists === undefined ? '' : ` $(${lists})`}" ;;`;
  });
  return `# bash completion of heronry
_heronry() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="" index words
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
    --socket) index=$((index + 1)) ;;
    -*) ;;
    *) command="\${COMP_WORDS[index]}"; break ;;
    esac
  done
  case "$command" in
    "") words="${commands.map(({ name }) => name).join(' ')}" ;;
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _heronry heronry`;
}

function zshScript(commands: readonly Completed[]): string {
  const named = commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`);
  const cases = commands.map(({ name, options, lists, words }) => {
    const listed = options.map(({ long, description }) => quoted(`${long}:${description}`)).join(' ');
    const ids = lists === undefined ? '' : `; compadd -- \${(f)"$(${lists})"}`;
    const fixed = words.length > 0 ? `; compadd -- ${words.join(' ')}` : '';
    return `    ${name}) options=(${listed}); _describe -o option options${ids}${fixed}; _files ;;`;
  });
  return `#compdef heronry
_heronry() {
  local -a commands options
  commands=(
${named.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _heronry heronry`;
}

function fishScript(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, description, options, lists, words }) => {
    const within = `complete -c heronry -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c heronry -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      ...options.map(
        (option) =>
          `${within} -l ${option.long?.slice(2)}${option.required ? ' -r' : ''} -d ${quoted(option.description)}`,
      ),
      ...(lists === undefined ? [] : [`${within} -f -a '(${lists})'`]),
      ...(words.length > 0 ? [`${within} -f -a ${quoted(words.join(' '))}`] : []),
    ];
  });
  return ['# fish completion of heronry', ...lines].join('\n');
}

/** Puts a text in single quotes, in which none of the shells expands anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
