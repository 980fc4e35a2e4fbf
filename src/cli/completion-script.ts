import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** Whether its arguments are projects that there are. */
  readonly takesIds: boolean;
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
  return {
    name: command.name(),
    description: command.description(),
    options: [...command.options, ...globals].filter((option) => option.long),
    takesIds: first?.name() === 'id' && command.name() !== 'add',
    words: [...command.commands.map((each) => each.name()), ...(first?.argChoices ?? [])],
  };
}

const listIds = 'heronry list --ids 2>/dev/null';

function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options, takesIds, words }) => {
    const fixed = [...words, ...options.map(({ long }) => long)].join(' ');
    return `    ${name}) words="${fixed}${takesIds ? ` $(${listIds})` : ''}" ;;`;
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
  const cases = commands.map(({ name, options, takesIds, words }) => {
    const listed = options.map(({ long, description }) => quoted(`${long}:${description}`)).join(' ');
    const ids = takesIds ? `; compadd -- \${(f)"$(${listIds})"}` : '';
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
  const lines = commands.flatMap(({ name, description, options, takesIds, words }) => {
    const within = `complete -c heronry -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c heronry -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      ...options.map(
        (option) =>
          `${within} -l ${option.long?.slice(2)}${option.required ? ' -r' : ''} -d ${quoted(option.description)}`,
      ),
      ...(takesIds ? [`${within} -f -a '(${listIds})'`] : []),
      ...(words.length > 0 ? [`${within} -f -a ${quoted(words.join(' '))}`] : []),
    ];
  });
  return ['# fish completion of heronry', ...lines].join('\n');
}

/** In single quotes, in which none of the shells expands anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
