import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { daemonPlace } from '../../src/cli/socket.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { paper, run } from './terminal.ts';

/** Where a command connects to in a folder whose heronry.yaml has this text. */
async function pathWith(t: TestContext, yaml: string): Promise<{ path: string; folder: string }> {
  const folder = await temporaryDirectory(t);
  await writeFile(join(folder, 'heronry.yaml'), yaml);
  return { path: (await daemonPlace(paper({ cwd: folder }).terminal, undefined)).socket, folder };
}

describe('the socket of a command', () => {
  const cases: readonly [what: string, yaml: string, expected: string][] = [
    ['a plain path', 'data: kept\nsocket: run/control.sock # here\n', 'run/control.sock'],
    [
      'the data folder where no socket is named',
      '# data: other\ndata: kept\n\nlog:\n  data: inner\n',
      'kept/control.sock',
    ],
    ['the usual data folder', 'bot:\n  contact: mailto:a@b.test\n', 'data/control.sock'],
    ['a quoted path', 'socket: "a b.sock"\n', 'a b.sock'],
    ['a path of several lines', 'socket:\n  below.sock\n', 'below.sock'],
    ['a flow mapping', '{ data: kept, socket: flow.sock }\n', 'flow.sock'],
    ['a quoted key', '"socket": named.sock\n', 'named.sock'],
    ['a value that is no text', 'socket: null\ndata: 17\n', 'data/control.sock'],
    ['a file whose keys are all indented', '  data: kept\n  socket: inner.sock\n', 'inner.sock'],
    ['a file with problems', 'socket: a.sock\nsocket: b.sock\n', 'data/control.sock'],
    ['an empty file', '', 'data/control.sock'],
  ];
  for (const [what, yaml, expected] of cases) {
    test(`is read from heronry.yaml: ${what}`, async (t) => {
      const { path, folder } = await pathWith(t, yaml);
      assert.equal(path, join(folder, expected));
    });
  }
});

describe('a command in a folder with a heronry.yaml', () => {
  /** A folder with a heronry.yaml, and a daemon that keeps `data` and lists no sources. */
  async function folderBeside(
    t: TestContext,
    yaml: string,
    place: (folder: string) => { data: string; config?: string },
  ) {
    const folder = await temporaryDirectory(t);
    let asked = 0;
    const { path } = await serve(t, {
      'daemon.place': () => ({ pid: 7, ...place(folder) }),
      'source.list'() {
        asked += 1;
        return { sources: [] };
      },
    });
    await writeFile(join(folder, 'heronry.yaml'), yaml.replace('SOCKET', path));
    return { folder, path, asked: () => asked };
  }
  const elsewhere = (): { data: string } => ({ data: '/srv/other/data' });

  const ways: readonly (readonly [
    string,
    string,
    (path: string) => { words?: string[]; env?: Record<string, string> },
  ])[] = [
    ['by --socket', '', (path) => ({ words: ['--socket', path] })],
    ['by HERONRY_SOCKET', '', (path) => ({ env: { HERONRY_SOCKET: path } })],
    ['by a heronry.yaml that was copied', 'socket: SOCKET\n', () => ({})],
  ];
  for (const [way, yaml, how] of ways) {
    test(`refuses the daemon of another folder, named ${way}, and says which is which`, async (t) => {
      const { folder, path, asked } = await folderBeside(t, yaml, elsewhere);
      const { words = [], env = {} } = how(path);
      const { status, err } = await run([...words, 'sources'], { cwd: folder, env });
      assert.equal(status, 4);
      assert.ok(err.includes(`the daemon on ${path} (pid 7) keeps /srv/other/data, but`), err);
      assert.ok(err.includes(`${join(folder, 'heronry.yaml')} keeps ${join(folder, 'data')}: `), err);
      assert.match(err, /--any-daemon/);
      assert.equal(asked(), 0);
      assert.equal((await run([...words, 'sources', '--any-daemon'], { cwd: folder, env })).status, 0);
    });
  }

  const own: readonly (readonly [string, (folder: string) => { data: string; config?: string }])[] = [
    ['its data, whatever links lead there', (folder) => ({ data: join(folder, 'link', 'data') })],
    ['its heronry.yaml, with other data', (folder) => ({ data: '/srv/d', config: join(folder, 'heronry.yaml') })],
  ];
  for (const [what, place] of own) {
    test(`asks a daemon that has ${what}`, async (t) => {
      const { folder, path } = await folderBeside(t, '', place);
      await symlink(folder, join(folder, 'link'));
      assert.equal((await run(['sources', '--socket', path], { cwd: folder })).status, 0);
    });
  }
});

/** Packages that no command of a client needs: each takes longer to load than the command to answer. */
const heavy = ['zod', 'yaml', 'cheerio', 'undici', 'lmdb', 'croner', 'pino', 'piscina', 'luxon'];

test('a command that only asks the daemon loads nothing that it does not need', async (t) => {
  const folder = await temporaryDirectory(t);
  const { path } = await serve(t, {
    'project.list': () => ({ projects: [] }),
    'daemon.place': () => ({ pid: 7, data: join(folder, 'run', 'kept') }),
  });
  const hook = join(folder, 'hook.mjs');
  await mkdir(join(folder, 'run'));
  await writeFile(join(folder, 'run', 'heronry.yaml'), `data: kept\nsocket: ${path}\n`);
  await writeFile(
    hook,
    `import { registerHooks } from 'node:module';
     registerHooks({ load(url, context, next) { process.stderr.write('loaded ' + url + '\\n'); return next(url, context); } });`,
  );
  const main = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', hook, main, 'list'], {
    cwd: join(folder, 'run'),
  });
  const loaded = Array.from(stderr.matchAll(/^loaded (.*)$/gm), ([, url = '']) => url);
  assert.ok(loaded.length < 45, `${loaded.length} modules`);
  for (const name of heavy)
    assert.deepEqual(
      loaded.filter((url) => url.includes(`/node_modules/${name}/`)),
      [],
    );
  assert.deepEqual(
    loaded.filter((url) => url.includes('/commands/')).map((url) => basename(url)),
    ['list.ts'],
  );
  assert.match(stderr, /no projects/);
});
