import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';

const launcher = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

/** A module that prints the last flag of its process. */
const printFlags = `data:text/javascript,console.log('last flag: ' + process.execArgv.at(-1))`;

/** A folder with the launcher, and perhaps a "bundled Node" that is a shell script. */
async function installed(t: TestContext, bundled?: string): Promise<string> {
  const top = await temporaryDirectory(t);
  await copyFile(launcher, join(top, 'heronry.cjs'));
  // Says that the Node which runs it is too old, before the launcher looks.
  await writeFile(join(top, 'old.cjs'), "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
  if (bundled === undefined) return top;
  const home = join(top, 'node_modules', `node-${process.platform}-${process.arch}`);
  await mkdir(join(home, 'bin'), { recursive: true });
  await writeFile(join(home, 'package.json'), '{}');
  await writeFile(join(home, 'bin', 'node'), `#!/bin/sh\n${bundled}\n`);
  await chmod(join(home, 'bin', 'node'), 0o755);
  return top;
}

function launch(top: string, ...words: string[]) {
  const command = ['--require', join(top, 'old.cjs'), join(top, 'heronry.cjs'), ...words];
  return spawnSync(process.execPath, command, { encoding: 'utf8' });
}

describe('launcher', () => {
  test('on a new enough Node it runs the program', () => {
    const { stdout, status } = spawnSync(process.execPath, [launcher, '--version'], { encoding: 'utf8' });
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    assert.equal(status, 0);
  });

  test("the program's exit status is its own", () => {
    assert.equal(spawnSync(process.execPath, [launcher, 'lsit']).status, 2);
  });

  test('a reader that goes away is no failure', () => {
    const shell = `set -o pipefail; '${process.execPath}' '${launcher}' completion bash | true`;
    assert.equal(spawnSync('bash', ['-c', shell]).status, 0);
  });

  test('an error stream that nobody reads any more changes neither the work of a command nor its status', () => {
    const words = `'${process.execPath}' '${launcher}' validate nope.yaml`;
    const shell = `exec 3>&1; { (sleep 0.2; ${words}; echo "status $?" >&3) 2>&1 1>/dev/null; } | true`;
    assert.equal(spawnSync('bash', ['-c', shell], { encoding: 'utf8', timeout: 30_000 }).stdout, 'status 3\n');
  });

  const fullDevice = existsSync('/dev/full') ? false : 'there is no device that is always full';
  test('a result that cannot be written is a sentence and a failure', { skip: fullDevice }, () => {
    const shell = `'${process.execPath}' '${launcher}' schema > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
    assert.match(stderr, /^heronry: cannot write the result: .*no space left on device.*\n$/);
    assert.equal(status, 1);
  });

  test('a daemon begins with less room for what it soon drops, unless a person has said how much', () => {
    const flagsOf = (env: Readonly<Record<string, string>>, ...words: string[]) =>
      spawnSync(process.execPath, ['--import', printFlags, launcher, ...words], {
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: '', ...env },
      }).stdout;
    const own = { NODE_OPTIONS: '--max_semi_space_size=8' };
    assert.match(flagsOf({}, 'start', '--help'), /^last flag: --max-semi-space-size=16$/m);
    assert.match(flagsOf({}, 'export', '--help'), /^last flag: --max-semi-space-size=2$/m);
    assert.doesNotMatch(flagsOf(own, 'start', '--help'), /semi/);
    assert.doesNotMatch(flagsOf({}, 'list', '--help'), /semi/);
  });

  test('on an old Node it runs the bundled one, with the words and the exit status passed on', async (t) => {
    const top = await installed(t, 'shift; echo "ran with $*"; exit 7');
    const { stdout, status } = launch(top, 'list', 'two words');
    assert.equal(stdout, 'ran with list two words\n');
    assert.equal(status, 7);
  });

  test('on an old Node without a bundled one it says what is missing and leaves with 69', async (t) => {
    const { stderr, status } = launch(await installed(t));
    assert.match(
      stderr,
      /^heronry: needs Node 24\.11 or newer, this is 20\.20\.2, and none was installed with it: .*\n$/,
    );
    assert.equal(status, 69);
  });

  test('signals are forwarded to the bundled Node', async (t) => {
    const program = `process.on('SIGTERM', () => { console.log('ended'); process.exit(5); });
      setInterval(() => {}, 60_000); console.log('ready');`;
    const top = await installed(t, `exec '${process.execPath}' -e "${program}"`);
    const child = spawn(process.execPath, ['--require', join(top, 'old.cjs'), join(top, 'heronry.cjs')]);
    t.after(() => child.kill('SIGKILL'));
    const printed: string[] = [];
    child.stdout.on('data', (bytes: Buffer) => printed.push(bytes.toString()));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [status] = await once(child, 'close');
    assert.equal(printed.join(''), 'ready\nended\n');
    assert.equal(status, 5);
  });

  test('a demo on the bundled Node ends with the process that started the launcher', async (t) => {
    const top = await installed(
      t,
      `exec '${process.execPath}' -e "console.log('ready'); setInterval(() => {}, 60_000)"`,
    );
    const words = ['--require', join(top, 'old.cjs'), join(top, 'heronry.cjs'), 'demo'];
    // The shell starts the launcher, then becomes a program that waits for no child.
    const shell = spawn('sh', ['-c', '"$0" "$@" & exec sleep 60', process.execPath, ...words]);
    t.after(() => shell.kill('SIGKILL'));
    await once(shell.stdout, 'data');
    const closed = once(shell.stdout, 'close');
    shell.kill('SIGKILL');
    await closed;
  });

  test('a bundled Node that a signal ended ends the launcher by the same', async (t) => {
    const { signal } = launch(await installed(t, 'kill -KILL $$'));
    assert.equal(signal, 'SIGKILL');
  });
});

describe('the compile cache', () => {
  /** Runs a short command that keeps its cache below `caches`; its error output is the folder that threads and children get. */
  async function versionWith(top: string, caches: string) {
    const tell = join(top, 'tell.cjs');
    await writeFile(tell, "process.on('exit', () => process.stderr.write(process.env.NODE_COMPILE_CACHE || 'none'));");
    const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
    const env = { ...inherited, XDG_CACHE_HOME: caches };
    const words = ['--require', tell, launcher, '--version'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', env, timeout: 30_000 });
    assert.deepEqual([status, /^\d+\.\d+\.\d+\n$/.test(stdout)], [0, true]);
    return stderr;
  }

  test("is in a folder of the user's own, which threads and children use too", async (t) => {
    const top = await temporaryDirectory(t);
    const folder = join(top, 'caches', 'heronry');
    assert.equal(await versionWith(top, join(top, 'caches')), folder);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.notDeepEqual(await readdir(folder), []);
    assert.equal(await versionWith(top, join(top, 'caches')), folder);
  });

  const unfit: readonly (readonly [string, (folder: string) => Promise<unknown>])[] = [
    ['is a file', (folder) => writeFile(folder, '')],
    ['others may write to', (folder) => mkdir(folder).then(() => chmod(folder, 0o777))],
    ['leads elsewhere', (folder) => mkdir(`${folder}-elsewhere`).then(() => symlink(`${folder}-elsewhere`, folder))],
  ];
  for (const [what, make] of unfit) {
    test(`is not in a folder that ${what}, and the command runs without`, async (t) => {
      const top = await temporaryDirectory(t);
      await make(join(top, 'heronry'));
      assert.equal(await versionWith(top, top), 'none');
      for (const entry of await readdir(top, { recursive: true })) assert.doesNotMatch(entry, /heronry.*\//);
    });
  }

  test('is left out where there is no place for it, and the command runs without', async (t) => {
    const top = await temporaryDirectory(t);
    await writeFile(join(top, 'file'), '');
    assert.equal(await versionWith(top, join(top, 'file', 'caches')), 'none');
  });

  test(
    'is left out below a folder that can hold none, without waiting for ever',
    { skip: process.platform !== 'linux' && 'only Linux has /proc' },
    async (t) => {
      assert.equal(await versionWith(await temporaryDirectory(t), '/proc/nope'), 'none');
    },
  );

  test('is not made in the present folder for a home that is no whole path', async (t) => {
    const top = await temporaryDirectory(t);
    const { NODE_COMPILE_CACHE: _, XDG_CACHE_HOME: __, ...inherited } = process.env;
    const env = { ...inherited, HOME: 'home' };
    const { status } = spawnSync(process.execPath, [launcher, '--version'], { cwd: top, env, timeout: 30_000 });
    assert.equal(status, 0);
    assert.deepEqual(await readdir(top), []);
  });
});
