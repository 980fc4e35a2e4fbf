import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { daemonPlace } from '../../src/cli/socket.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { program } from '../daemon/process.ts';
import { paper, run } from './terminal.ts';

/** A project as `init` makes it, and a folder within it. */
async function projectWith(t: TestContext, yaml?: string): Promise<{ readonly top: string; readonly below: string }> {
  const top = await temporaryDirectory(t);
  await run(['init'], { cwd: top });
  if (yaml !== undefined) await writeFile(join(top, 'heronry.yaml'), yaml);
  const below = join(top, 'notes', 'of-today');
  await mkdir(below, { recursive: true });
  return { top, below };
}

async function socketIn(cwd: string): Promise<string> {
  return (await daemonPlace(paper({ cwd }).terminal, undefined)).socket;
}

describe('a command in a folder below a heronry.yaml', () => {
  test('finds the daemon where that file says, with paths that start beside it', async (t) => {
    const { top, below } = await projectWith(t, 'socket: run/control.sock\n');
    assert.equal(await socketIn(below), join(top, 'run', 'control.sock'));
    await writeFile(join(top, 'heronry.yaml'), 'data: kept\n');
    assert.equal(await socketIn(below), join(top, 'kept', 'control.sock'));
  });

  test('takes the nearest one', async (t) => {
    const { top, below } = await projectWith(t);
    await writeFile(join(below, '..', 'heronry.yaml'), '{}');
    assert.equal(await socketIn(below), join(top, 'notes', 'data', 'control.sock'));
  });

  test('refuses the daemon of another folder as it does beside that file', async (t) => {
    const { top, below } = await projectWith(t);
    const { path } = await serve(t, { 'daemon.place': () => ({ pid: 7, data: '/srv/other/data' }) });
    const { status, err } = await run(['sources', '--socket', path], { cwd: below });
    assert.equal(status, 4);
    assert.ok(err.includes(`but ${join(top, 'heronry.yaml')} keeps ${join(top, 'data')}`), err);
  });

  test('takes the files that it is given from the present folder', async (t) => {
    const { below } = await projectWith(t);
    await writeFile(join(below, 'shop.yaml'), 'id: shop\n');
    assert.match((await run(['validate', 'shop.yaml'], { cwd: below })).out, /^shop\.yaml:/);
  });

  test('validates the whole project, and names its files from the present folder', async (t) => {
    const { top, below } = await projectWith(t);
    const whole = await run(['validate'], { cwd: join(top, 'sources') });
    assert.equal(whole.out, '1 source and 1 project, no problems\n');
    await writeFile(join(top, 'projects.yaml'), '- id: solar\n');
    const { status, out } = await run(['validate', '--json'], { cwd: below });
    assert.equal(status, 2);
    assert.equal(JSON.parse(out).problems[0].file, join(top, 'projects.yaml'));
    assert.match((await run(['validate'], { cwd: below })).out, /^\.\.\/\.\.\/projects\.yaml:1:/);
  });

  test('keeps and reads saved pages beside that file, and definitions where it says', async (t) => {
    const { top, below } = await projectWith(t);
    const page = '<p data-sku="K1">K1</p><h1>Kettle</h1><p class="price">5.00 EUR</p><p class="stock">3</p>';
    await writeFile(join(below, 'kettle.html'), page);
    const words = ['fixture', 'add', 'example', 'http://127.0.0.1:8080/kettle', '--file', 'kettle.html'];
    const added = await run(words, { cwd: below });
    assert.equal(added.status, 0, added.err);
    assert.match(added.out, /^wrote \.\.\/\.\.\/fixtures\/example\/kettle\.html$/m);
    for (const cwd of [top, below]) assert.match((await run(['test'], { cwd })).out, /2 saved pages, none differs/);
    const drafted = await run(
      ['init', 'source', 'http://127.0.0.1:8080/kettle', '--id', 'kettle', '--text', '--file', 'kettle.html'],
      { cwd: below },
    );
    assert.match(drafted.out, /wrote \.\.\/\.\.\/sources\/kettle\.yaml/, drafted.err);
  });

  test('starts the daemon of that file, which commands of all its folders find', async (t) => {
    const { top, below } = await projectWith(t);
    const heronry = (cwd: string, ...words: string[]) =>
      spawnSync(process.execPath, [program, '--json', ...words], { cwd, encoding: 'utf8', timeout: 60_000 });
    const started = heronry(below, 'start', '--detach');
    t.after(() => heronry(top, 'stop'));
    assert.equal(JSON.parse(started.stdout).data, join(top, 'data'), started.stderr);
    const listed = heronry(join(top, 'sources'), 'sources');
    assert.match(listed.stdout, /"id":"example"/, listed.stderr);
    assert.equal(heronry(below, 'stop').status, 0);
  });
});

describe('a command in a folder that no heronry.yaml stands in or above', () => {
  test('says so where no daemon listens at the usual place', async (t) => {
    const cwd = await temporaryDirectory(t);
    const env = { HERONRY_DATA: join(cwd, 'data') };
    const told = `no daemon listens on ${join(cwd, 'data', 'control.sock')}: start one with \`heronry start\`; there is no heronry.yaml in ${cwd} or above it`;
    const { status, err } = await run(['list'], { cwd, env });
    assert.deepEqual({ status, err }, { status: 69, err: `heronry: ${told}\n` });
    const machines = await run(['list', '--json'], { cwd, env });
    assert.deepEqual(JSON.parse(machines.err), { error: { code: 'no_daemon', message: told } });
  });

  test('says what validate expected, and where', async (t) => {
    const cwd = await temporaryDirectory(t);
    const { status, err } = await run(['validate', '--json'], { cwd });
    assert.equal(status, 3);
    assert.deepEqual(JSON.parse(err), {
      error: {
        code: 'not_found',
        message: `${cwd}: nothing to validate: expected heronry.yaml, projects.yaml, a folder "sources" or definitions there, or heronry.yaml in a folder above it`,
      },
    });
  });

  const skip = process.getuid?.() === 0 ? false : 'only root can give a file to another user';
  test('does not take one above it that belongs to another user', { skip }, async (t) => {
    const { top, below } = await projectWith(t);
    await chown(join(top, 'heronry.yaml'), 65_534, 65_534);
    const place = await daemonPlace(paper({ cwd: below, env: { HERONRY_DATA: '/none' } }).terminal, undefined);
    assert.deepEqual(place, { socket: '/none/control.sock', isUsual: true });
    assert.equal(await socketIn(top), join(top, 'data', 'control.sock'));
  });
});
