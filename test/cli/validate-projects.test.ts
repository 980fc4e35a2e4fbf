import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource, startDaemon } from '../support/daemon.ts';
import { run } from './terminal.ts';

/** A folder with a source `shop` and these projects. */
async function folderWith(t: TestContext, projects: string): Promise<string> {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop', 'url: "https://shop.example/{page}"'));
  await writeFile(join(cwd, 'projects.yaml'), projects);
  return cwd;
}

describe('validate finds what apply refuses of a project', () => {
  const cases: readonly [what: string, project: string, says: string][] = [
    [
      'a source that is not defined',
      '  targets:\n    - source: shpo\n      params: { page: 1 }\n',
      '3:15: [0].targets[0].source: no source "shpo" is defined; did you mean "shop"?',
    ],
    [
      'parameters that the address pattern lacks, and misses',
      '  targets:\n    - source: shop\n      params: { slug: z1 }\n',
      '4:15: [0].targets[0].params: expected a value for "page"; "slug" is not in the pattern: source "shop" has https://shop.example/{page}',
    ],
    [
      'a sink that is not defined',
      '  targets: [{ source: shop, params: { page: 1 }, sinks: [{ sink: tema, official: true }] }]\n',
      '2:58: [0].targets[0].sinks[0]: no sink "tema" is defined',
    ],
    [
      'a promised field that no source declares',
      '  objectives: { fields: { pirce: { errorAfter: 1d } } }\n  targets: [{ source: shop, params: { page: 1 } }]\n',
      '2:34: [0].objectives.fields.pirce: expected a declared field (sku, price, state), got "pirce"; did you mean "price"?',
    ],
    [
      'a field that a target promises and its source has not',
      '  targets:\n    - source: shop\n      params: { page: 1 }\n      objectives: { fields: { stat: { errorAfter: 1d } } }\n',
      '5:37: [0].targets[0].objectives.fields.stat: expected a declared field (sku, price, state), got "stat"; did you mean "state"?',
    ],
    [
      'one place twice',
      '  targets:\n    - { source: shop, params: { page: z1 }, every: 3m }\n    - { source: shop, url: "https://shop.example/z1", every: 2m }\n',
      '4:7: [0].targets[1]: expected each place once, got shop https://shop.example/z1 as in targets[0]',
    ],
  ];
  for (const [what, project, says] of cases)
    test(`${what}, with file and line`, async (t) => {
      const cwd = await folderWith(t, `- id: tents\n${project}`);
      assert.deepEqual(await run(['validate'], { cwd }), {
        status: 2,
        out: `projects.yaml:${says}\n`,
        err: 'heronry: 1 problem\n',
      });
    });

  test('all of it at once, in the order of the file', async (t) => {
    const cwd = await folderWith(
      t,
      '- id: tents\n  targets: [{ source: shop, params: {} }]\n- id: boats\n  targets: [{ source: nobody, params: {} }]\n',
    );
    const { problems } = JSON.parse((await run(['validate', '--json'], { cwd })).out);
    assert.deepEqual(
      problems.map(({ line, path }: { line: number; path: string }) => [line, path]),
      [
        [2, '[0].targets[0].params'],
        [4, '[1].targets[0].source'],
      ],
    );
  });

  test('and nothing of a source whose own file is told of', async (t) => {
    const cwd = await folderWith(t, '- id: tents\n  targets: [{ source: shop, params: { page: 1 } }]\n');
    await writeFile(join(cwd, 'sources', 'shop.yaml'), 'id: shop\nprovider: htlm\n');
    assert.doesNotMatch((await run(['validate'], { cwd })).out, /projects\.yaml/);
    await writeFile(join(cwd, 'heronry.yaml'), 'sources: elsewhere\n');
    assert.equal((await run(['validate'], { cwd })).out, 'elsewhere: there is no such file or folder\n');
  });

  test('and of a list alone what stands twice in it', async (t) => {
    const place = '{ source: shop, params: { page: z1, sort: up } }';
    const cwd = await folderWith(
      t,
      `- id: tents\n  targets:\n    - ${place}\n    - { source: shop, params: { sort: up, page: z1 } }\n`,
    );
    assert.equal(
      (await run(['validate', 'projects.yaml'], { cwd })).out,
      'projects.yaml:4:7: [0].targets[1]: expected each place once, got shop {"page":"z1","sort":"up"} as in targets[0]\n',
    );
  });
});

test('validate says which page of the built-in source a source knows', async (t) => {
  const cwd = await folderWith(
    t,
    '- id: tents\n  targets:\n    - { source: page, url: "https://shop.example/z1" }\n    - { source: page, url: "https://other.example/" }\n',
  );
  const { status, err } = await run(['validate'], { cwd });
  assert.equal(status, 0);
  assert.equal(err, 'warning: source shop knows https://shop.example/z1, which tents tracks as a page of no source\n');
  const both = '- id: boats\n  targets: [{ source: shop, params: { page: z1 } }]\n';
  await writeFile(join(cwd, 'projects.yaml'), `${await readFile(join(cwd, 'projects.yaml'), 'utf8')}${both}`);
  assert.doesNotMatch((await run(['validate'], { cwd })).err, /knows/);

  test('in a table of targets beside it, which apply reads as well', async (t) => {
    const cwd = await folderWith(t, '- id: tents\n  targets: { from: lists/tents.csv, source: shop }\n');
    await mkdir(join(cwd, 'lists'));
    await writeFile(join(cwd, 'lists', 'tents.csv'), 'page\nz1\n\nz2\n');
    const { socket } = await startDaemon(t, {
      sources: { shop: productSource('shop', 'url: "https://shop.example/{page}"') },
    });
    const applied = await run(['apply', '-f', 'projects.yaml', '--socket', socket], { cwd });
    assert.match(applied.out, /shop\.example\/z1[^]*shop\.example\/z2/);
    await writeFile(join(cwd, 'lists', 'tents.csv'), 'slug\nz1\n\nz2\n');
    const { status, out } = await run(['validate'], { cwd });
    assert.equal(status, 2);
    assert.match(out, /^lists\/tents\.csv:4:1: params: expected a value for "page"; "slug" is not in the pattern/m);
  });
});

test('validate warns of secrets that a definition names and nobody has set, not of those that are', async (t) => {
  const cwd = await folderWith(t, '[]');
  await writeFile(join(cwd, 'heronry.yaml'), 'secrets: secrets.yaml\n');
  const file = join(cwd, 'secrets.yaml');
  await writeFile(file, 'PASSWORD: opensesame\n', { mode: 0o600 });
  const shop = `auth: { type: basic, user: { secret: USER }, password: { secret: PASSWORD } }
proxy: { url: "http://proxy.example:8080", user: { secret: PROXY_USER } }\n`;
  await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop', `url: "https://shop.example/"\n${shop}`));
  const keyed = `id: keyed\nurl: "https://keyed.example/"\nsecrets: [KEY, PIN]\ncollect: { command: [keys.sh] }
records: { item: { key: id, fields: { id: {} } } }\n`;
  await writeFile(join(cwd, 'sources', 'keyed.yaml'), keyed);
  await mkdir(join(cwd, 'plugins'));
  await writeFile(join(cwd, 'plugins', 'keys.sh'), '');
  const { out, err } = await run(['validate'], { cwd, env: { HERONRY_SECRET_USER: 'ann' } });
  assert.equal(
    err,
    [
      `warning: source keyed: missing the secrets KEY, PIN: expected the environment variable HERONRY_SECRET_KEY, or a line "KEY: …" in ${file}\n`,
      `warning: source shop: missing the secret PROXY_USER: expected the environment variable HERONRY_SECRET_PROXY_USER, or a line "PROXY_USER: …" in ${file}\n`,
    ].join(''),
    out,
  );
  assert.match(out, /no problems/);
});

test('validate warns of secrets of the queues that nobody has set', async (t) => {
  const cwd = await folderWith(t, '[]');
  const warned = async (engine: string): Promise<string> => {
    await writeFile(join(cwd, 'heronry.yaml'), `engine: { bullmq: { ${engine} } }\n`);
    return (await run(['validate'], { cwd, env: { HERONRY_SECRET_THERE: 'x' } })).err;
  };
  assert.match(
    await warned('url: "redis://127.0.0.1:6379", password: QUEUES'),
    /^warning: the queues: missing the secret QUEUES: expected the environment variable HERONRY_SECRET_QUEUES/,
  );
  assert.match(await warned('url: { secret: ADDRESS }'), /^warning: the queues: missing the secret ADDRESS/);
  assert.equal(await warned('url: { secret: THERE }, password: THERE'), '');
});
