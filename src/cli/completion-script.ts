import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** What prints the ids that its first argument may be: of projects or of sources. */
  readonly lists?: string;
  readonly words: readonly string[];
}

/** The script that makes a shell complete the program's commands, their options, and ids of projects. */
export function completionScript(shell: Shell, program: Command): string {
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
    ...(lists !== undefined && { lists }),
    words: [...command.commands.map((each) => each.name()), ...(first?.argChoices ?? [])],
  };
}

/** Its own options, those of its commands, and those of the whole program, each once. */
function optionsOf(command: Command, globals: readonly Option[]): Option[] {
  const all = [...command.options, ...command.commands.flatMap(({ options }) => options), ...globals];
  const byName = new Map(all.toReversed().map((option) => [option.long ?? '', option]));
  byName.delete('');
  return [...byName.values()].reverse();
}

/** What prints the ids that an argument of this name may be. */
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

/** In single quotes, in which none of the shells expands anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
