import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { run } from './terminal.ts';

/** What bash offers for the last of the words. */
async function offered(directory: string, words: readonly string[]): Promise<string[]> {
  const { out } = await run(['completion', 'bash']);
  await writeFile(join(directory, 'script'), out);
  const list = words.map((word) => `'${word}'`).join(' ');
  const program = `heronry() { if test "$1" = sources; then echo crowd; echo shop; else echo solar; echo lunar; fi; }
    source ${join(directory, 'script')}; COMP_WORDS=(heronry ${list}); COMP_CWORD=${words.length}; _heronry; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', program], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion', () => {
  const cases: readonly [string[], string[]][] = [
    [['re'], ['release', 'rescrape', 'restore', 'records', 'reextract', 'resume', 'restore-backup']],
    [['w'], ['worker', 'waste', 'why', 'watch', 'workers']],
    [['why', 'so'], ['solar']],
    [['waste', 'cr'], ['crowd']],
    [['start', '--ro'], ['--role']],
    [['schedule', '--u'], ['--until']],
    [['add', 'x', '--to'], ['--tokens']],
    [['rescrape', '--w'], ['--wait']],
    [['rescrape', 'so'], ['solar']],
    [['--socket', 'x', '--json', 'show', 'l'], ['lunar']],
    [['add', 'so'], []],
    [['try', 'cr'], ['crowd']],
    [['run', 's'], ['shop']],
    [['test', '--u'], ['--update']],
    [['test', 'c'], ['crowd']],
    [['fixture', 'a'], ['add']],
    [['fixture', 'add', '--fo'], ['--force']],
    [['init', 's'], ['source']],
    [['import', 'c'], ['changedetection']],
    [['import', 'urlwatch', '--c'], ['--cache']],
    [['crawls', 'cr'], ['crowd']],
    [['settings', 's'], ['set']],
    [['completion', 'f'], ['fish']],
  ];
  for (const [words, expected] of cases) {
    test(`bash completes "heronry ${words.join(' ')}" with ${expected.join(', ') || 'nothing'}`, async (t) => {
      assert.deepEqual(await offered(await temporaryDirectory(t), words), expected);
    });
  }

  for (const shell of ['zsh', 'fish']) {
    test(`that of ${shell} names every command and quotes what it says of them`, async () => {
      const { out } = await run(['completion', shell]);
      for (const command of ['start', 'rescrape', 'run', 'crawls', 'try', 'fixture', 'test', 'completion'])
        assert.match(out, new RegExp(`\\b${command}\\b`));
      assert.match(out, /source'\\''s/);
    });
  }
});
