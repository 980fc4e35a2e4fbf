import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { socketPath } from '../../src/cli/socket.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { paper } from './terminal.ts';

/** Where a command connects to in a folder whose heronry.yaml has this text. */
async function pathWith(t: TestContext, yaml: string): Promise<{ path: string; folder: string }> {
  const folder = await temporaryDirectory(t);
  await writeFile(join(folder, 'heronry.yaml'), yaml);
  return { path: await socketPath(paper({ cwd: folder }).terminal, undefined), folder };
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

/** Packages that no command of a client needs: each takes longer to load than the command to answer. */
const heavy = ['zod', 'yaml', 'cheerio', 'undici', 'lmdb', 'croner', 'pino', 'piscina', 'luxon'];

test('a command that only asks the daemon loads nothing that it does not need', async (t) => {
  const { path } = await serve(t, { 'project.list': () => ({ projects: [] }) });
  const folder = await temporaryDirectory(t);
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
