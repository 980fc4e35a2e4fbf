import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { schemaKinds } from '../../src/definition/json-schema.ts';
import { ownVersion } from '../../src/own-package.ts';
import { temporaryDirectory } from '../control/daemon.ts';
import { run } from './terminal.ts';

describe('commands without a daemon', () => {
  test('init writes files in which validate finds no problem', async (t) => {
    const cwd = await temporaryDirectory(t);
    const written = await run(['init', 'watch'], { cwd });
    assert.equal(written.status, 0);
    assert.match(
      written.out,
      /wrote watch\/heronry\.yaml\nwrote watch\/sources\/example\.yaml\nwrote watch\/projects\.yaml\n/,
    );
    const { status, out } = await run(['validate', 'watch'], { cwd });
    assert.deepEqual({ status, out }, { status: 0, out: '1 source and 1 project, no problems\n' });
  });

  test('what init writes is a project that a service of continuous integration can check', async (t) => {
    const cwd = await temporaryDirectory(t);
    const { out } = await run(['init', '--json'], { cwd });
    assert.deepEqual(JSON.parse(out).kept, []);
    assert.match((await run(['test'], { cwd })).out, /^1 saved page, none differs$/m);
    const read = (name: string) => readFile(join(cwd, name), 'utf8');
    const { scripts, dependencies, private: isPrivate } = JSON.parse(await read('package.json'));
    assert.deepEqual(
      { scripts, dependencies, isPrivate },
      {
        scripts: { start: 'heronry start', test: 'heronry test', validate: 'heronry validate' },
        dependencies: { heronry: ownVersion() },
        isPrivate: true,
      },
    );
    const ignored = (await read('.gitignore')).split('\n');
    for (const name of ['data/', 'secrets.yaml', 'node_modules/']) assert.ok(ignored.includes(name), name);
    const { jobs } = parse(await read('.github/workflows/heronry.yaml'));
    const steps: readonly { readonly run?: string }[] = jobs.check.steps;
    assert.deepEqual(
      steps.flatMap(({ run: command }) => command ?? []),
      ['npm ci', 'npx heronry validate', 'npx heronry test'],
    );
  });

  test('init says how a package.json that npm has made gets the scripts', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'package.json'), '{ "scripts": { "test": "node --test" } }');
    const { out } = await run(['init'], { cwd });
    assert.match(out, /: npm pkg set scripts\.start="heronry start" scripts\.validate="heronry validate"$/m);
    const scripts = { start: 'x', test: 'x', validate: 'x' };
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ scripts }));
    assert.doesNotMatch((await run(['init', '--force'], { cwd })).out, /npm pkg/);
  });

  test('init says what to run next, and where, by the name that it was called by', async (t) => {
    const cwd = await temporaryDirectory(t);
    const next = async (...words: readonly string[]) =>
      (await run(['init', ...words], { cwd, env: words[0] === 'b' ? { npm_command: 'exec' } : {} })).out
        .trimEnd()
        .split('\n')
        .at(-1);
    assert.equal(await next('a c'), "next: `cd 'a c'`, `heronry validate`, then `heronry start --detach`");
    assert.equal(await next('b'), 'next: `cd b`, `npx heronry validate`, then `npx heronry start --detach`');
    assert.equal(await next(), 'next: `heronry validate`, then `heronry start --detach`');
  });

  test('init begins no project within another one, unless told to', async (t) => {
    const top = await temporaryDirectory(t);
    await run(['init'], { cwd: top });
    const cwd = join(top, 'sources');
    const { status, err } = await run(['init', 'inner'], { cwd });
    assert.equal(status, 4);
    assert.match(
      err,
      /init: .*\/sources\/inner is within the project of .*\/heronry\.yaml: --force begins another one there/,
    );
    assert.ok(!existsSync(join(cwd, 'inner')));
    assert.equal((await run(['init', 'inner', '--force'], { cwd })).status, 0);
    assert.equal((await run(['validate', 'inner'], { cwd })).status, 0);
  });

  test('each file of init names the schema that is installed with Heronry, for editors', async (t) => {
    const cwd = await temporaryDirectory(t);
    await run(['init'], { cwd });
    for (const [name, kind] of [
      ['heronry.yaml', 'daemon'],
      ['sources/example.yaml', 'source'],
      ['projects.yaml', 'projects'],
    ] as const) {
      const [line = ''] = (await readFile(join(cwd, name), 'utf8')).split('\n');
      const path = /^# yaml-language-server: \$schema=(.*)$/.exec(line)?.[1] ?? '';
      const file = join(cwd, 'node_modules', 'heronry', 'dist', 'schema', `${kind}.json`);
      assert.equal(join(cwd, name, '..', path), file);
      assert.ok(schemaKinds.includes(kind));
    }
  });

  test('init source names it too, where Heronry is installed in the folder', async (t) => {
    const cwd = await temporaryDirectory(t);
    await run(['init'], { cwd });
    await writeFile(join(cwd, 'kettle.html'), '<title>Kettle</title><p>Boils.</p>');
    const draft = async (id: string) => {
      const words = ['init', 'source', 'http://127.0.0.1:8080/kettle', '--text', '--file', 'kettle.html', '--id', id];
      assert.equal((await run(words, { cwd })).status, 0);
      return readFile(join(cwd, 'sources', `${id}.yaml`), 'utf8');
    };
    assert.doesNotMatch(await draft('before'), /\$schema/);
    const schema = join(cwd, 'node_modules', 'heronry', 'dist', 'schema');
    await mkdir(schema, { recursive: true });
    await writeFile(join(schema, 'source.json'), '{}');
    const line = '# yaml-language-server: $schema=../node_modules/heronry/dist/schema/source.json\n';
    assert.ok((await draft('after')).startsWith(line));
    assert.equal((await run(['validate'], { cwd })).status, 0);
  });

  test('what init left commented out is valid too', async (t) => {
    const cwd = await temporaryDirectory(t);
    await run(['init'], { cwd });
    for (const name of ['heronry.yaml', 'sources/example.yaml']) {
      const text = await readFile(join(cwd, name), 'utf8');
      // A commented-out setting begins at the left with "# name:" or is indented below one.
      await writeFile(join(cwd, name), text.replaceAll(/^# (?=\w+:|  )/gm, ''));
    }
    const { status, out } = await run(['validate'], { cwd });
    assert.equal(status, 0, out);
  });

  test('init overwrites nothing unless forced', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'projects.yaml'), 'precious');
    const refused = await run(['init'], { cwd });
    assert.equal(refused.status, 4);
    assert.match(refused.err, /projects\.yaml stand there already/);
    assert.equal(await readFile(join(cwd, 'projects.yaml'), 'utf8'), 'precious');
    assert.equal((await run(['init', '--force'], { cwd })).status, 0);
  });

  test('init leaves package.json, .gitignore and the workflow as they are, even when forced', async (t) => {
    const cwd = await temporaryDirectory(t);
    const names = ['package.json', '.gitignore', '.github/workflows/heronry.yaml'];
    await mkdir(join(cwd, '.github', 'workflows'), { recursive: true });
    for (const name of names) await writeFile(join(cwd, name), 'precious');
    const { status, out } = await run(['init'], { cwd });
    assert.equal(status, 0);
    assert.match(out, /^left package\.json as it is$/m);
    const forced = await run(['init', '--force', '--json'], { cwd });
    assert.deepEqual(JSON.parse(forced.out).kept, names);
    for (const name of names) assert.equal(await readFile(join(cwd, name), 'utf8'), 'precious');
  });

  test('validate lists every problem with its file and line, and leaves with 2', async (t) => {
    const cwd = await temporaryDirectory(t);
    await mkdir(join(cwd, 'sources'));
    await writeFile(join(cwd, 'sources', 'shop.yaml'), 'id: shop\nprovider: html\nevry: 4h\nrecords: {}\n');
    await writeFile(join(cwd, 'projects.yaml'), '- id: solar\n');
    const people = await run(['validate'], { cwd });
    assert.equal(people.status, 2);
    assert.match(people.out, /^sources\/shop\.yaml:3:1: .*did you mean "every"\?$/m);
    assert.match(people.out, /^sources\/shop\.yaml:4:/m);
    assert.match(people.out, /^projects\.yaml:1:.*targets/m);
    const machines = JSON.parse((await run(['validate', '--json'], { cwd })).out);
    assert.equal(machines.problems.length, people.out.trim().split('\n').length);
  });

  const secretFiles: readonly (readonly [what: string, text: string, mode: number, says: RegExp])[] = [
    ['is no YAML', 'A: "x\n', 0o600, /^secrets\.yaml:1:1: cannot be read as YAML at line \d$/m],
    ['is no mapping', '- hunter2\n', 0o600, /^secrets\.yaml:1:1: expected a mapping of names to texts$/m],
    ['has what is no text', 'A: hunter2\nB: 17\n', 0o600, /^secrets\.yaml:1:1: B is no text, .*in quotes$/m],
    [
      'has a name in small letters',
      'team_hook: hunter2\n',
      0o600,
      /^secrets\.yaml:1:1: team_hook names no secret: .* as in "TEAM_HOOK"$/m,
    ],
    ['others may read', 'A: hunter2\n', 0o644, /^secrets\.yaml:1:1: expected mode 0600, .*got 0644$/m],
  ];
  for (const [what, text, mode, says] of secretFiles) {
    test(`validate finds a file of secrets that ${what}, and shows none`, async (t) => {
      const cwd = await temporaryDirectory(t);
      await mkdir(join(cwd, 'sources'));
      await writeFile(join(cwd, 'heronry.yaml'), 'secrets: secrets.yaml\n');
      assert.equal((await run(['validate'], { cwd })).status, 0);
      await writeFile(join(cwd, 'secrets.yaml'), text, { mode });
      const { status, out } = await run(['validate'], { cwd });
      assert.equal(status, 2);
      assert.match(out, says);
      assert.doesNotMatch(out, /hunter2|17/);
    });
  }

  const places: readonly [string, string, string][] = [
    ['a folder with sources in it', '.', '1 source and 1 project'],
    ['a folder of definitions', 'sources', '1 source and 0 projects'],
    ['one definition', 'sources/example.yaml', '1 source and 0 projects'],
    ['a list of projects', 'projects.yaml', '0 sources and 1 project'],
    ['the configuration', 'heronry.yaml', '0 sources and 0 projects'],
  ];
  for (const [what, path, says] of places) {
    test(`validate takes ${what}`, async (t) => {
      const cwd = await temporaryDirectory(t);
      await run(['init'], { cwd });
      assert.deepEqual(await run(['validate', path], { cwd }), { status: 0, out: `${says}, no problems\n`, err: '' });
    });
  }

  test('validate takes a list for projects, however its file is called', async (t) => {
    const cwd = await temporaryDirectory(t);
    const file = join(cwd, 'q.yaml');
    await writeFile(file, '- id: solar\n  targets: [{ source: shop, url: "https://shop.example/1" }]\n');
    assert.equal((await run(['validate', 'q.yaml'], { cwd })).out, '0 sources and 1 project, no problems\n');
    await writeFile(file, '- id: solar\n  multiplier: .inf\n');
    assert.equal(
      (await run(['validate', 'q.yaml'], { cwd })).out,
      'q.yaml:1:3: [0].targets: missing, expected a list or a mapping\nq.yaml:2:15: [0].multiplier: expected a number, got .inf\n',
    );
    await writeFile(file, 'id: q\n');
    assert.match((await run(['validate', 'q.yaml'], { cwd })).out, /^q\.yaml:1:1: records: missing/);
  });

  test('validate of what is not there names it and no line of it', async (t) => {
    const cwd = await temporaryDirectory(t);
    const { status, err } = await run(['validate', 'nowhere'], { cwd });
    assert.deepEqual({ status, err }, { status: 3, err: `heronry: ${join(cwd, 'nowhere')}: no such file or folder\n` });
    assert.match((await run(['validate'], { cwd })).err, /: nothing to validate: expected heronry\.yaml, /);
    await writeFile(join(cwd, 'heronry.yaml'), 'sources: elsewhere\n');
    assert.equal((await run(['validate'], { cwd })).out, 'elsewhere: there is no such file or folder\n');
    const applied = await run(['apply', '-f', 'none.yaml', '--socket', 'none'], { cwd });
    assert.equal(applied.err, 'heronry: none.yaml: there is no such file or folder\n');
  });

  test('a link that leads nowhere is refused, not passed over', async (t) => {
    const cwd = await temporaryDirectory(t);
    await symlink('loop.yaml', join(cwd, 'loop.yaml'));
    const { status, err } = await run(['validate', 'loop.yaml'], { cwd });
    const says = 'could not be read: too many symbolic links encountered';
    assert.deepEqual({ status, err }, { status: 1, err: `heronry: ${join(cwd, 'loop.yaml')}: ${says}\n` });
    await symlink('gone.yaml', join(cwd, 'heronry.yaml'));
    await symlink('gone.yaml', join(cwd, 'projects.yaml'));
    assert.equal(
      (await run(['validate'], { cwd })).out,
      'heronry.yaml:1:1: there is no such file or folder\nprojects.yaml:1:1: there is no such file or folder\n',
    );
  });

  test('try says of a page that is neither an address nor a file that it is none', async (t) => {
    const cwd = await temporaryDirectory(t);
    await symlink('loop.html', join(cwd, 'loop.html'));
    for (const page of ['none.html', 'loop.html']) {
      const { status, err } = await run(['try', 'example', page, '--socket', 'none'], { cwd });
      assert.equal(status, 2);
      assert.equal(err, `heronry: try: expected a URL or a saved page, got ${page}, which is no file\n`);
    }
  });

  test('try --file reads a saved page by its definition', async (t) => {
    const cwd = await temporaryDirectory(t);
    await run(['init'], { cwd });
    await writeFile(join(cwd, 'page.html'), '<body data-sku="S1"><h1>Solar</h1><p class="price">EUR 12.50</p></body>');
    const { status, out } = await run(['try', 'example', '-p', 'page=solar', '--file', 'page.html'], { cwd });
    assert.equal(status, 0);
    assert.match(out, /^http:\/\/127\.0\.0\.1:8080\/solar {2}71 B$/m);
    assert.match(out, /^product {2}S1$/m);
    assert.match(out, /^ {2}price {2}12\.50 EUR {2}css \.price$/m);
    assert.match(out, /^product\.stock: no place matched$/m);
  });

  const refusals: readonly [string, string[], number, RegExp][] = [
    ['a page without a record', ['example', 'http://127.0.0.1/', '--file', 'bare.html'], 1, /no_record/],
    ['a page that is not there', ['example', 'http://127.0.0.1/', '--file', 'none.html'], 1, /no such file/],
    ['an unknown source', ['exmple', 'http://127.0.0.1/', '--file', 'bare.html'], 3, /no valid source "exmple"/],
    [
      'a parameter too few',
      ['example', '-p', 'slug=x', '--file', 'bare.html'],
      2,
      /missing parameter "page", unknown parameter "slug"/,
    ],
  ];
  for (const [what, words, status, says] of refusals) {
    test(`try --file refuses ${what} with ${status}`, async (t) => {
      const cwd = await temporaryDirectory(t);
      await run(['init'], { cwd });
      await writeFile(join(cwd, 'bare.html'), '<p>nothing here');
      const result = await run(['try', ...words], { cwd });
      assert.equal(result.status, status);
      assert.match(result.err, says);
    });
  }
});

describe('schema', () => {
  test('prints a JSON Schema that names what a source may say', async (t) => {
    const { status, out } = await run(['schema', 'source'], { cwd: await temporaryDirectory(t) });
    assert.equal(status, 0);
    const schema = JSON.parse(out);
    assert.ok('records' in schema.properties);
    assert.equal(schema.additionalProperties, false);
  });
});
