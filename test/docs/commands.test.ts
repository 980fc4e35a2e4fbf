import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { paper } from '../cli/terminal.ts';
import { pages, top } from './fences.ts';

const program = await createProgram(paper().terminal);

/** The words of a command line, as a shell parts them, without the comment behind it and what follows a sign such as `&&`. */
function wordsOf(line: string): string[] {
  const words = Array.from(
    line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, one, other, bare]) => one ?? other ?? bare ?? '',
  );
  const end = words.findIndex((word) => /^(?:#|&&?|\||;|>|\d?>&?\d?|2>.*|…)$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

/** Every command line that a page shows, in a block or within a sentence. */
function commandsOf(page: string): readonly (readonly string[])[] {
  const text = readFileSync(join(top, page), 'utf8');
  const shown = text.matchAll(/(?:^(?:\$ )?(?:npx )?|`(?:npx )?|&& (?:npx )?)heronry ([a-z-][^`\n]*)/gm);
  return Array.from(shown, ([, line = '']) => wordsOf(line));
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
function faultOf(words: readonly string[]): string | undefined {
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

describe('every command that a page shows is one, with these options', () => {
  for (const page of pages)
    test(page, () => {
      const faults = commandsOf(page).flatMap((words) => {
        const fault = faultOf(words);
        return fault === undefined ? [] : [`${words.join(' ')}: ${fault}`];
      });
      assert.deepEqual(faults, []);
    });

  test('and one that is not is found', () => {
    const wrong = {
      'shov solar': 'no such command',
      'rescrape solar --wat': 'no option --wat',
      'restore-backup out': 'expected 2 arguments',
    };
    for (const [line, fault] of Object.entries(wrong)) assert.equal(faultOf(wordsOf(line)), fault, line);
    assert.equal(faultOf(wordsOf('show solar   # what is known')), undefined);
  });

  test('and there are many', () => {
    assert.ok(commandsOf('README.md').length > 10);
    assert.ok(pages.flatMap((page) => commandsOf(page)).length > 300);
  });
});
