import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pages, top } from './fences.ts';
import { faultOf, program, wordsOf } from './shown-command.ts';

/** Every command line that a page shows, in a block or within a sentence. */
function commandsOf(page: string): readonly (readonly string[])[] {
  const text = readFileSync(join(top, page), 'utf8');
  const shown = text.matchAll(/(?:^(?:\$ )?(?:npx )?|`(?:npx )?|&& (?:npx )?)heronry ([a-z-][^`\n]*)/gm);
  return Array.from(shown, ([, line = '']) => wordsOf(line));
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

  test('and docs/commands.md has each that there is', () => {
    const shown = new Set(commandsOf('docs/commands.md').map(([name]) => name));
    assert.deepEqual(
      program.commands.map((each) => each.name()).filter((name) => !shown.has(name)),
      [],
    );
  });

  test('and there are many', () => {
    assert.ok(commandsOf('README.md').length > 10);
    assert.ok(pages.flatMap((page) => commandsOf(page)).length > 300);
  });
});
