import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, realpathSync } from 'node:fs';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { schemaKinds } from '../../src/definition/json-schema.ts';
import { ownVersion } from '../../src/own-package.ts';
import { nameOf, productionPackages } from './production.ts';
import { isProgram } from '../support/servers/own-server.ts';

const top = join(import.meta.dirname, '..', '..');

/** `PATH` without what stands beside packages: the programs of the system. */
const systemFolders = (process.env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));

/** A Node that the package is run on: its version, and the folder it stands in. */
interface Node {
  readonly version: string;
  readonly folder: string;
}

const own: Node = { version: process.versions.node, folder: dirname(realpathSync(process.execPath)) };

/** The system's own Node, where that is another one than runs this. */
function systemNode(): Node | undefined {
  const folder = systemFolders.find((each) => isProgram(join(each, 'node')));
  if (folder === undefined) return undefined;
  const version = spawnSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
  return version === own.version ? undefined : { version, folder };
}

/** Runs a program where this Node is the one that `node` names. */
function run(node: Node, cwd: string, program: string, ...words: string[]) {
  const { HERONRY_SOCKET: _, NODE_COMPILE_CACHE: __, ...inherited } = process.env;
  const names = Object.keys(inherited).filter((name) => !name.startsWith('npm_'));
  const env = {
    ...Object.fromEntries(names.map((name) => [name, inherited[name]])),
    PATH: [node.folder, ...systemFolders].join(delimiter),
  };
  return spawnSync(program, words, { cwd, env, encoding: 'utf8', timeout: 300_000 });
}

/** Words that run a program without any network but loopback; none where the system does not let this process do so. */
const unshared = [
  ['unshare', '-n'],
  ['unshare', '-rn'],
].find(([program = '', ...words]) => spawnSync(program, [...words, 'ip', 'link', 'set', 'lo', 'up']).status === 0);
const alone = unshared && [...unshared, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

describe('the package', () => {
  let folder = '';
  let tarball = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'heronry-package-'));
    const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: top,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    const [packed] = globSync('*.tgz', { cwd: folder });
    assert.ok(packed, stdout);
    tarball = join(folder, packed);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Installs the package in an empty folder; resolves with that, or with why it cannot be done here. */
  async function install(node: Node, ...words: string[]): Promise<{ readonly at: string; readonly missing?: string }> {
    const at = await mkdtemp(join(folder, 'installed-'));
    await writeFile(join(at, 'package.json'), '{ "private": true, "type": "module" }');
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', ...words];
    const { status, stderr } = run(node, at, 'npm', 'install', ...flags, tarball);
    const unreachable = /ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.exec(stderr)?.[0];
    if (unreachable !== undefined) return { at, missing: `npm cannot get the packages it needs: ${unreachable}` };
    assert.equal(status, 0, stderr);
    return { at };
  }

  test('holds what was built, its documents and its licence, and nothing of development', () => {
    const { stdout } = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' });
    const files = stdout.trim().split('\n').toSorted();
    const tops = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')));
    assert.deepEqual(
      [...tops].toSorted(),
      ['README.md', 'LICENSE', 'SECURITY.md', 'dist', 'docs', 'package.json', 'src']
        .map((name) => `package/${name}`)
        .toSorted(),
    );
    assert.deepEqual(
      files.filter((file) => file.startsWith('package/src/')),
      ['package/src/heronry.cjs'],
    );
    const schemas = schemaKinds.map((kind) => `package/dist/schema/${kind}.json`);
    assert.deepEqual(
      files.filter((file) => file.startsWith('package/dist/schema/')),
      schemas.toSorted(),
    );
    const odd = files.filter((file) => /(?<!\.d)\.ts$|tsconfig|\.tsbuildinfo$|\.test\./.test(file));
    assert.deepEqual(odd, []);
    const built = globSync('{src,supervisors,workers}/**/!(*.d).ts', { cwd: top }).map(
      (file) => `package/dist/${file.replace(/\.ts$/, '.js')}`,
    );
    assert.deepEqual(
      built.filter((file) => !files.includes(file)),
      [],
    );
  });

  test('holds every file that a module of it reads beside itself', () => {
    const { stdout } = spawnSync('git', ['ls-files', 'src', 'supervisors', 'workers'], { cwd: top, encoding: 'utf8' });
    const beside = stdout
      .trim()
      .split('\n')
      .filter((file) => !/\.ts$|tsconfig\.json$|\.cjs$/.test(file));
    assert.ok(beside.length > 10);
    const files = new Set(spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).stdout.split('\n'));
    assert.deepEqual(
      beside.filter((file) => !files.has(`package/dist/${file}`)),
      [],
    );
  });

  test('has the types of a plug-in, its functions when it is run, and the suite that tests it', async (t) => {
    const { at, missing } = await install(own);
    if (missing !== undefined) return t.skip(missing);
    await cp(join(top, 'test', 'fixtures', 'plugin-project'), at, { recursive: true });
    const packages = join(top, 'node_modules');
    const words = ['--types', 'node', '--typeRoots', join(packages, '@types')];
    const types = spawnSync(join(packages, '.bin', 'tsc'), words, { cwd: at, encoding: 'utf8' });
    assert.equal(types.stdout, '');
    const suite = run(own, at, 'node', '--test', 'test-register.ts');
    assert.equal(suite.status, 0, suite.stdout);
    const valid = run(own, at, 'npx', 'heronry', 'validate');
    assert.equal(valid.stdout, '1 source and 0 projects and 1 plug-in, no problems\n', valid.stderr);
  });

  test('installed without the Node that comes along, as docs/installing.md says, keeps its store', async (t) => {
    const store = productionPackages().find(({ name }) => name === `@lmdb/lmdb-${process.platform}-${process.arch}`);
    if (store === undefined) return t.skip('the store has no binary for this system');
    const documented = readFileSync(join(top, 'docs', 'installing.md'), 'utf8');
    assert.ok(
      documented.includes(`npm i --omit=optional ./heronry-${ownVersion()}.tgz @lmdb/lmdb-linux-x64@${store.version} `),
    );
    const { at, missing } = await install(own, '--omit=optional', nameOf(store));
    if (missing !== undefined) return t.skip(missing);
    assert.deepEqual(globSync('node_modules/node-{linux,win}-*', { cwd: at }), []);
    for (const words of [['init'], ['start', '--detach'], ['status'], ['stop']]) {
      const { status, stdout, stderr } = run(own, at, 'npx', 'heronry', ...words);
      assert.equal(status, 0, stdout + stderr);
    }
  });

  const system = systemNode();
  for (const [name, node] of [
    ['the Node that runs this', own],
    ['the Node of the system', system],
  ] as const) {
    const skip = node === undefined && 'the system has no other Node';
    test(`installed on ${name}, runs the demo and tracks a page without a network`, { skip }, async (t) => {
      assert.ok(node);
      const { at, missing } = await install(node);
      if (missing !== undefined) return t.skip(missing);
      if (alone === undefined) t.diagnostic('this process may not cut itself off from the network: it is run with it');
      const program = [process.execPath, join(import.meta.dirname, 'track.program.ts')];
      const [first = '', ...words] = [...(alone ?? []), ...program];
      const { status, stdout, stderr } = run(node, at, first, ...words);
      assert.equal(status, 0, stdout + stderr);
      t.diagnostic(`on Node ${node.version}`);
      for (const said of [/0 failures/, /no problems/, /the daemon listens at/, /K1\tchanged\t5\.00 EUR → 10\.00 EUR/])
        assert.match(stdout, said);
      assert.match(stdout, /stopped the daemon/);
    });
  }
});
