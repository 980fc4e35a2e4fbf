import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { findProgram } from '../support/servers/own-server.ts';
import { run } from './terminal.ts';

/** A function in place of the program, by which each shell lists ids. */
const program = 'heronry() { if test "$1" = sources; then echo crowd; echo shop; else echo solar; echo lunar; fi; }';
const fishProgram =
  'function heronry; if test $argv[1] = sources; echo crowd; echo shop; else; echo solar; echo lunar; end; end';

/** The settings of a zsh that writes into a file what it would offer, and leaves. */
const zshSettings = `PS1=
${program}
fpath=($ZDOTDIR/functions $fpath)
autoload -Uz compinit; compinit -u -D
bindkey '^I' complete-word
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits; builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $hits >> $ZDOTDIR/offered
  builtin compadd "$@"
}
comppostfuncs=(exit)`;

/** Gives a zsh that is at a terminal a line and Tab, and waits until it has left. */
const zshTab = `zmodload zsh/zpty || exit 2
zpty z zsh -i
zpty -n -w z "$1"$'\\t'
while zpty -r z line; do :; done`;

/** What each shell offers for the last of the words. */
const shells = {
  async bash(directory: string, script: string, words: readonly string[]) {
    await writeFile(join(directory, 'script'), script);
    const list = words.map((word) => `'${word}'`).join(' ');
    const typed = `COMP_WORDS=(heronry ${list}); COMP_CWORD=${words.length}; _heronry; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf('bash', directory, ['-c', `${program}; source ${join(directory, 'script')}; ${typed}`]);
  },
  async zsh(directory: string, script: string, words: readonly string[]) {
    await mkdir(join(directory, 'functions'));
    await writeFile(join(directory, 'functions', '_heronry'), script);
    await writeFile(join(directory, '.zshrc'), zshSettings);
    await writeFile(join(directory, 'tab'), zshTab);
    await writeFile(join(directory, 'offered'), '');
    const env = { ...process.env, ZDOTDIR: directory };
    linesOf('zsh', directory, ['-f', join(directory, 'tab'), ['heronry', ...words].join(' ')], env);
    return (await readFile(join(directory, 'offered'), 'utf8')).split('\n').filter((line) => line !== '');
  },
  async fish(directory: string, script: string, words: readonly string[]) {
    await writeFile(join(directory, 'script'), script);
    const typed = `complete -C '${['heronry', ...words].join(' ')}'`;
    const env = { ...process.env, HOME: directory };
    const lines = linesOf(
      'fish',
      directory,
      ['-c', `${fishProgram}; source ${join(directory, 'script')}; ${typed}`],
      env,
    );
    return lines.map((line) => line.replace(/\t.*/, ''));
  },
};

/** Runs a shell in an empty folder, as all of them offer files as well. */
function linesOf(shell: string, directory: string, words: readonly string[], env = process.env): string[] {
  const cwd = join(directory, 'empty');
  mkdirSync(cwd);
  const { stdout, stderr } = spawnSync(shell, words, { cwd, encoding: 'utf8', env, timeout: 60_000 });
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

/** Words, and what is offered for the last of them. */
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
  [
    ['start', '--role', ''],
    ['all', 'api'],
  ],
  [['fixture', 'add', 'cr'], ['crowd']],
  [['held', 'reject', 's'], ['shop']],
  [['metrics', 's'], ['solar']],
  [['records', '--project', 'l'], ['lunar']],
  [['steps', 'clean', 'd'], ['done']],
  [['--js'], ['--json']],
];

/** Tests what a shell offers, by the script that is made for it. */
export function completesBy(shell: keyof typeof shells): void {
  const skip = findProgram(shell) === undefined && `${shell} is not installed`;
  for (const [words, expected] of cases) {
    const offers = expected.join(', ') || 'nothing';
    void test(`${shell} completes "heronry ${words.join(' ')}" with ${offers}`, { skip }, async (t) => {
      const offered = await offeredBy(t, words);
      assert.deepEqual(offered.toSorted(), expected.toSorted());
    });
  }

  void test(`${shell} lists the projects nowhere but where one is expected`, { skip }, async (t) => {
    for (const words of [
      ['sinks', 'so'],
      ['token', 'revoke', 'so'],
      ['pipelines', 'run', 'so'],
      ['validate', 'so'],
    ])
      assert.deepEqual(await offeredBy(t, words), []);
  });

  async function offeredBy(t: TestContext, words: readonly string[]): Promise<string[]> {
    const { out } = await run(['completion', shell]);
    return shells[shell](await temporaryDirectory(t), out, words);
  }
}
