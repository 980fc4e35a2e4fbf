import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { paper } from './terminal.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');

/** Every command line that the text shows, without the comment behind it. */
const lines = Array.from(readme.matchAll(/(?:npx |`)heronry ([^`#&\n]+)/g), ([, words = '']) =>
  words.trim().split(/\s+/),
);

const program = await createProgram(paper().terminal);

/** The command that words name, and the words that are its own. */
function commandOf(words: readonly string[]): {
  readonly command: Command | undefined;
  readonly rest: readonly string[];
} {
  let command = program.commands.find((each) => each.name() === words[0]);
  let rest = words.slice(1);
  const inner = command?.commands.find((each) => each.name() === rest[0]);
  if (inner !== undefined) [command, rest] = [inner, rest.slice(1)];
  return { command, rest };
}

test('every command that the README shows is one, with these options', () => {
  assert.ok(lines.length > 15);
  for (const words of lines) {
    const shown = words.join(' ');
    if (words[0]?.startsWith('-') || words[0] === 'COMMAND') continue;
    const { command, rest } = commandOf(words);
    assert.ok(command, shown);
    const known = new Set(['--json', '--socket', '--help', ...command.options.map(({ long }) => long)]);
    for (const word of rest.filter((each) => each.startsWith('--'))) assert.ok(known.has(word), `${shown}: ${word}`);
    const required = command.registeredArguments.filter((argument) => argument.required).length;
    const given = rest.filter((each) => !each.startsWith('-')).length;
    if (rest.length > 0) assert.ok(given >= required, `${shown}: expected ${required} arguments`);
  }
});
