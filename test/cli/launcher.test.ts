import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';

const launcher = join(import.meta.dirname, '..', '..', 'src', 'heronry.cjs');

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

  test('a bundled Node that a signal ended ends the launcher by the same', async (t) => {
    const { signal } = launch(await installed(t, 'kill -KILL $$'));
    assert.equal(signal, 'SIGKILL');
  });
});
