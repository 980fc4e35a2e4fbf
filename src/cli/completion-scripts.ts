import type { CompletedPlace } from './completion-places.ts';

type Places = readonly CompletedPlace[];

/** The options of places that take a value, each with the shell words for it: fixed ones, or what a command lists. */
function valued(places: Places) {
  return places.flatMap(({ place, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ long, short, words, lists }) => ({
        names: [long, ...(short === undefined ? [] : [short])].map((name) => `'${place} ${name}'`).join(' | '),
        words: words?.join(' '),
        lists,
      })),
  );
}

/** The places behind commands, as patterns of a shell's `case`. */
function patterns(places: Places): string {
  return places
    .filter(({ place }) => place !== '')
    .map(({ place }) => `'${place}'`)
    .join(' | ');
}

/** Makes the script by which bash completes a command line. */
export function bashScript(places: Places): string {
  const values = valued(places).map(({ names, words, lists }) => {
    const known = words ?? (lists === undefined ? '' : `$(${lists})`);
    // Without any, bash completes the names of files.
    return `  ${names}) words="${known}" ;;`;
  });
  const cases = places.map(({ place, options, lists, words }) => {
    const fixed = [...words.map(({ name }) => name), ...options.map(({ long }) => long)].join(' ');
    return `    '${place}') words="${fixed}${lists === undefined ? '' : ` $(${lists})`}" ;;`;
  });
  return `# bash completion of heronry
_heronry() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" place="" index words
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
    --socket) index=$((index + 1)); continue ;;
    -*) continue ;;
    esac
    case "\${place:+$place }\${COMP_WORDS[index]}" in
    ${patterns(places)}) place="\${place:+$place }\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$place $previous" in
${values.join('\n')}
  *)
    case "$place" in
${cases.join('\n')}
    esac
    ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _heronry heronry`;
}

/** Makes the script by which zsh completes a command line. */
export function zshScript(places: Places): string {
  const values = valued(places).map(({ names, words, lists }) => {
    const known = words === undefined ? (lists === undefined ? '_files' : added(lists)) : `compadd -- ${words}`;
    return `    (${names}) ${known}; return ;;`;
  });
  const cases = places.map(({ place, options, lists, words }) => {
    const described = (each: { readonly name: string; readonly description: string }) =>
      quoted(`${each.name}:${each.description}`);
    const named = options.map(({ long, description }) => described({ name: long, description })).join(' ');
    return [
      `    ('${place}')`,
      ...(words.length > 0 ? [`      known=(${words.map(described).join(' ')}); _describe command known`] : []),
      ...(lists === undefined ? [] : [`      ${added(lists)}`]),
      `      known=(${named}); _describe -o option known`,
      ...(words.length > 0 ? [] : ['      _files']),
      '      ;;',
    ].join('\n');
  });
  return `#compdef heronry
_heronry() {
  local -a known
  local place= word
  local -i index
  for ((index = 2; index < CURRENT; index++)); do
    word=$words[index]
    case $word in
      (--socket) ((index++)); continue ;;
      (-*) continue ;;
    esac
    case "\${place:+$place }$word" in
      (${patterns(places)}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $words[CURRENT-1]" in
${values.join('\n')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
}
# In a folder of fpath this file is the function itself, at its first call.
if [[ $funcstack[1] == _heronry ]]; then
  _heronry "$@"
else
  compdef _heronry heronry
fi`;

  function added(lists: string): string {
    return `compadd -- \${(f)"$(${lists})"}`;
  }
}

/** Makes the script by which fish completes a command line. */
export function fishScript(places: Places): string {
  const names = places.filter(({ place }) => place !== '').map(({ place }) => quoted(place));
  const lines = places.flatMap(({ place, options, lists, words }) => {
    const here = `complete -c heronry -n '__heronry_place ${place}'`;
    return [
      ...words.map(({ name, description }) => `${here} -f -a ${name} -d ${quoted(description)}`),
      ...(lists === undefined ? [] : [`${here} -f -a '(${lists})'`]),
      ...options.map(({ long, short, description, takesValue, words: values, lists: listed }) => {
        const given = values?.join(' ') ?? (listed === undefined ? undefined : `(${listed})`);
        const value = given === undefined ? (takesValue ? ' -r' : '') : ` -x -a ${quoted(given)}`;
        const letter = short === undefined ? '' : ` -s ${short.slice(1)}`;
        return `${here} -l ${long.slice(2)}${letter}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# fish completion of heronry
function __heronry_place
  set -l place ''
  set -l skip no
  for word in (commandline -opc)[2..-1]
    if test $skip = yes
      set skip no
      continue
    end
    switch $word
      case --socket
        set skip yes
      case '-*'
      case '*'
        set -l longer (string trim -- "$place $word")
        if contains -- $longer ${names.join(' ')}
          set place $longer
        end
    end
  end
  test "$place" = "$argv"
end
${lines.join('\n')}`;
}

/** Puts a text in single quotes, in which none of the shells expands anything. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
