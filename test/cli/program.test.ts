import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createProgram } from '../../src/cli/program.ts';
import { ControlError, type ControlErrorCode } from '../../src/control/error.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { paper, run } from './terminal.ts';

describe('command line', async () => {
  for (const words of [['--help'], ['--version'], ['add', '--help'], ['settings', 'set', '--help'], ['help', 'list']]) {
    test(`"${words.join(' ')}" is answered and leaves with 0`, async () => {
      const { status, out } = await run(words);
      assert.equal(status, 0);
      assert.notEqual(out, '');
    });
  }

  test('its help tells the exit statuses', async () => {
    assert.match(
      (await run(['--help'])).out,
      /Exit status:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 .*\n {2}4 .*\n {2}69 /,
    );
  });

  for (const command of (await createProgram(paper().terminal)).commands) {
    test(`the help of ${command.name()} shows an example`, async () => {
      assert.match((await run([command.name(), '--help'])).out, new RegExp(`Examples:\n {2}heronry ${command.name()}`));
    });
  }

  const wrong: readonly [string[], RegExp][] = [
    [['lsit'], /unknown command 'lsit'\n\(Did you mean list\?\)/],
    [['rescrap', 'solar'], /Did you mean rescrape\?/],
    [['list', '--lable', 'x'], /unknown option '--lable'\n\(Did you mean --label\?\)/],
    [['settings', 'gte'], /gte/],
    [['show'], /missing required argument 'id'/],
    [['archive'], /expected ids of projects, or --label, --source, --match or --search in their place/],
    [['archive', 'solar', '--match', 's*'], /in their place, got both/],
    [['edit', 'solar'], /expected what to change, such as --every/],
    [['edit', '--match', 's*', '--name', 'x'], /--name: expected the id of one project beside it/],
    [['edit', 'a', 'b', '--remove-target', '7'], /--remove-target: expected the id of one project/],
    [['edit', 'solar', '--label', 'x', '--every', '2h'], /--label chooses projects: --add-label/],
    [['edit', 'solar', '--target', '7', '--name', 'x'], /--target: expected a schedule beside it/],
    [['rescrape', '--label', 'x', '--wait'], /--wait: expected the id of one project/],
    [['add', 'solar'], /expected --url, or --source with what its address needs/],
    [['add', 'solar', '--param', 'slug=x'], /expected --url, or --source with what its address needs/],
    [['add', 'solar', '--url', 'http://a.test/', '--param', 'slug=x'], /expected either --url or --param, got both/],
    [['add', 'solar', '--source', 'crowd', '--url', 'http://a', '--every', '5'], /Expected a duration such as/],
    [['add', 'solar', '--source', 'crowd', '--param', 'slug'], /Expected name=value/],
    [['scrapes', 'first'], /Expected a whole number/],
    [['list', '--status', 'gone'], /Allowed choices are active, finished, archived/],
    [['completion', 'csh'], /Allowed choices are bash, zsh, fish/],
    [['settings', 'set', 'every', '-1h'], /every: expected a duration such as 15m, got "-1h"/],
    [
      ['settings', 'set', 'time-limit', '999999999d'],
      /time-limit: expected a duration of 366d at most, got "999999999d"/,
    ],
    [['add', 'solar', '-s', 'crowd', '-u', 'http://a', '-e', '367d'], /Expected a duration of 366d at most/],
    [['settings', 'set', 'every', 'often'], /every: expected a duration such as 15m, got "often"/],
    [[], /Usage: heronry/],
  ];
  for (const [words, says] of wrong) {
    test(`"heronry ${words.join(' ')}" is refused with 2`, async () => {
      const { status, out, err } = await run(words);
      assert.match(err, says);
      assert.equal(out, '');
      assert.equal(status, 2);
    });
  }

  const refusals: readonly [ControlErrorCode, number][] = [
    ['not_found', 3],
    ['conflict', 4],
    ['invalid_params', 2],
    ['not_ready', 1],
    ['internal', 1],
  ];
  for (const name of ['archive', 'restore'] as const) {
    test(`${name} goes on after a project that is not there, and leaves with 3`, async (t) => {
      const asked: string[] = [];
      const change = ({ id }: { readonly id: string }) => {
        asked.push(id);
        if (id.startsWith('no')) throw new ControlError('not_found', `no project "${id}"`);
        return { id, name: id, labels: [], multiplier: 1, status: 'active', createdAt: 0, targets: [] } as const;
      };
      const { path } = await serve(t, { 'project.archive': change, 'project.restore': change });
      const result = await run([name, 'p1', 'nosuch', 'p3', 'nobody', '--socket', path]);
      assert.deepEqual(asked, ['p1', 'nosuch', 'p3', 'nobody']);
      assert.deepEqual(result, {
        status: 3,
        out: `${name}d p1\n${name}d p3\n`,
        err: 'heronry: no project "nosuch"\nno project "nobody"\n',
      });
    });
  }

  for (const [code, status] of refusals) {
    test(`a daemon's ${code} leaves with ${status} and its sentence`, async (t) => {
      const { path } = await serve(t, {
        'project.archive': () => {
          throw new ControlError(code, 'no project "sun"');
        },
      });
      const result = await run(['archive', 'sun', '--socket', path]);
      assert.deepEqual(result, { status, out: '', err: 'heronry: no project "sun"\n' });
    });
  }

  const refusedJson: readonly [string[], string][] = [
    [['lsit', '--json'], "unknown command 'lsit'\n(Did you mean list?)"],
    [['--json', 'fixture'], 'expected a command'],
    [['--json', 'show'], "missing required argument 'id'"],
    [['settings', 'set', 'every', 'often', '--json'], 'settings: every: expected a duration such as 15m, got "often"'],
  ];
  for (const [words, message] of refusedJson) {
    test(`"heronry ${words.join(' ')}" is refused as JSON alone`, async () => {
      const { err, status } = await run(words);
      assert.deepEqual(JSON.parse(err), { error: { code: 'usage', message } });
      assert.equal(status, 2);
    });
  }

  for (const words of [
    ['li\u001B[2Jst\u0007'],
    ['list', '--\u001B]0;x\u0007lable'],
    ['settings', 'set', 'every', '\u001B[2J'],
  ])
    test(`${JSON.stringify(words)} is echoed without what steers a terminal`, async () => {
      const { err, status } = await run(words);
      assert.equal(status, 2);
      assert.ok(!Array.from(err.replaceAll('\n', '')).some((letter) => letter < ' '), JSON.stringify(err));
    });

  test('with --json a refusal is told as JSON', async (t) => {
    const { path } = await serve(t, {
      'project.get': () => {
        throw new ControlError('not_found', 'no project "sun"');
      },
      'project.records': () => ({ records: [] }),
    });
    const { err, status } = await run(['show', 'sun', '--json', '--socket', path]);
    assert.deepEqual(JSON.parse(err), { error: { code: 'not_found', message: 'no project "sun"' } });
    assert.equal(status, 3);
  });

  test('a file that cannot be written is told by its path in one line, and leaves with 1', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'taken'), '');
    const { status, err } = await run(['init', 'taken/site'], { cwd });
    assert.deepEqual([status, err], [1, `heronry: ${join(cwd, 'taken', 'site')}: not a directory\n`]);
  });

  test('without a daemon it says how to start one and leaves with 69', async (t) => {
    const path = join(await temporaryDirectory(t), 'none.sock');
    const { err, status } = await run(['status', '--socket', path]);
    assert.equal(err, `heronry: no daemon listens on ${path}: start one with \`heronry start\`\n`);
    assert.equal(status, 69);
  });

  test('a socket path is taken before and after the command, from the environment, and relative to the folder', async (t) => {
    const { path } = await serve(t, { 'source.list': () => ({ sources: [] }) });
    const cwd = join(path, '..');
    assert.equal((await run(['--socket', path, 'sources'])).status, 0);
    assert.equal((await run(['sources', '--socket', path])).status, 0);
    assert.equal((await run(['sources', '--socket', 'control.sock'], { cwd })).status, 0);
    assert.equal((await run(['sources'], { env: { HERONRY_SOCKET: path } })).status, 0);
    assert.equal((await run(['sources'], { env: { HERONRY_DATA: cwd } })).status, 0);
  });
});
