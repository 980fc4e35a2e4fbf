import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { paper } from '../cli/terminal.ts';

/** The command line of heronry. */
export const program = await createProgram(paper().terminal);

/** The words of a command line, as a shell parts them, without the comment behind it and what follows a sign such as `&&`. */
export function wordsOf(line: string): string[] {
  const words = Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, one, other, bare]) => one ?? other ?? bare ?? '',
  );
  const end = words.findIndex((word) => /^(?:#|&&?|\||;|>|\d?>&?\d?|2>.*|…)$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

/** The command that words name, and the words that are its own. */
function commandOf(words: readonly string[]): {
  readonly command: Command | undefined;
  readonly rest: readonly string[];
} {
  const named = (from: Command, name: string | undefined): Command | undefined =>
    from.commands.find((each) => each.name() === name || each.aliases().includes(name ?? ''));
  let command = named(program, words[0]);
  let rest = words.slice(1);
  const inner = command && named(command, rest[0]);
  if (inner !== undefined) [command, rest] = [inner, rest.slice(1)];
  return { command, rest };
}

/** What is wrong with a command line: an unknown command or option, or an argument too few; undefined where nothing is. */
export function faultOf(words: readonly string[]): string | undefined {
  if (words[0]?.startsWith('-')) return undefined;
  const { command, rest } = commandOf(words);
  if (command === undefined) return 'no such command';
  const known = new Set(['--json', '--socket', '--any-daemon', '--help', '--version']);
  for (let of: Command | null = command; of !== null; of = of.parent)
    for (const { long, short } of of.options) for (const name of [long, short]) known.add(name ?? '');
  const wrong = rest.find((word) => /^--?[a-z]/.test(word) && !known.has(word.replace(/=.*/, '')));
  if (wrong !== undefined) return `no option ${wrong}`;
  const required = command.registeredArguments.filter((argument) => argument.required).length;
  const given = rest.filter((each) => !each.startsWith('-')).length;
  // A sentence may name a command alone.
  return rest.length > 0 && given < required ? `expected ${required} arguments` : undefined;
}
