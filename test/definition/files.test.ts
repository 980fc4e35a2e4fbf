import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { loadSource, loadSources } from '../../src/definition/load.ts';

const page = 'records: { page: { key: title, fields: { title: { css: h1 } } } }';
const good = (id: string): string => `id: ${id}\n${page}\n`;

/** A folder with one good definition, which goes when the test ends. */
async function folderWithGood(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'good.yaml'), good('good'));
  return folder;
}

/** Ways to stand in a folder of definitions that are no regular file. */
const strangers: Readonly<Record<string, (path: string, t: TestContext) => unknown>> = {
  'a fifo': (path) => execFileSync('bash', ['-c', 'mkfifo "$0"', path]),
  'a directory': (path) => mkdir(path),
  'a socket': async (path, t) => {
    const server = createServer();
    t.after(() => server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
  },
  'a link to an endless device': (path) => symlink('/dev/zero', path),
  'a link to a terminal': (path) => symlink('/dev/ptmx', path),
  'a link to a directory': (path) => symlink(tmpdir(), path),
  'a link to nothing': (path) => symlink('/nowhere/at/all', path),
  'a link to itself': (path) => symlink(path, path),
};

describe('a folder of definitions', () => {
  for (const [what, make] of Object.entries(strangers)) {
    test(`with ${what} in it has one problem more and hides no other`, { timeout: 10_000 }, async (t) => {
      const folder = await folderWithGood(t);
      const path = join(folder, 'odd.yaml');
      await make(path, t);
      const { sources, problems } = await loadSources(folder);
      assert.deepEqual(
        sources.map(({ id }) => id),
        ['good'],
      );
      assert.deepEqual(
        problems.map(({ file, line, column }) => ({ file, line, column })),
        [{ file: path, line: 1, column: 1 }],
      );
      assert.match(
        problems[0]?.message ?? '',
        /^(?:expected a regular file, got |could not be read: |there is no such file)/,
      );
    });
  }

  test('may hold a link to a regular file elsewhere', async (t) => {
    const [folder, other] = [await folderWithGood(t), await folderWithGood(t)];
    await writeFile(join(other, 'far.txt'), good('far'));
    await symlink(join(other, 'far.txt'), join(folder, 'far.yaml'));
    const { sources, problems } = await loadSources(folder);
    assert.deepEqual(
      sources.map(({ id }) => id),
      ['far', 'good'],
    );
    assert.deepEqual(problems, []);
  });

  test('may hold a file that says it is empty and is not', async (t) => {
    const folder = await folderWithGood(t);
    await symlink('/proc/self/status', join(folder, 'status.yaml'));
    const { problems } = await loadSources(folder);
    assert.ok(problems.length > 0);
  });
});

/** Texts that a parser may choke on, and what is said of them. */
const hostile: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  'lists in lists without end': ['['.repeat(1_000_000), /^1:65 nested too deep, expected at most 64 levels$/],
  'lists in lists that all end': [`${'['.repeat(3_000)}${']'.repeat(3_000)}`, /^1:65 nested too deep/],
  'items in items': ['- '.repeat(500_000), /^1:\d+ nested too deep/],
  'a list within itself': ['id: &a [*a, *a]', /nested too deep/],
  'more ends than beginnings': ['}'.repeat(1_000_000), /^1:1 unexpected "}"$/],
  'more keys than anyone writes': [
    Array.from({ length: 50_000 }, (_, index) => `k${index}:`).join('\n'),
    /^1001:1 expected at most 1000 keys in one mapping, got 50000$/,
  ],
  'brackets within texts': [`id: "${'['.repeat(100)}"\n${page}`, /expected at most 64 characters/],
};

describe('a hostile definition', () => {
  for (const [what, [text, says]] of Object.entries(hostile)) {
    test(`of ${what} is a problem, soon`, { timeout: 20_000 }, async (t) => {
      const path = join(await folderWithGood(t), 'odd.yaml');
      await writeFile(path, text);
      const loaded = await loadSource(path);
      assert.ok(!loaded.ok);
      const [first] = loaded.problems;
      assert.match(`${first?.line}:${first?.column} ${first?.message}`, says);
    });
  }

  const reserved: readonly [string, string][] = [
    ['a field', `id: odd\nrecords: { page: { key: a, fields: { a: { css: b }, __proto__: { css: c } } } }`],
    [
      'a record',
      `id: odd\nrecords: { page: { key: a, fields: { a: { css: b } } }, "__proto__": { key: a, fields: {} } }`,
    ],
    ['a key of the file', `id: odd\n__proto__: { every: 1h }\n${page}`],
  ];
  for (const [what, text] of reserved) {
    test(`that calls ${what} __proto__ is refused by that name`, async (t) => {
      const path = join(await folderWithGood(t), 'odd.yaml');
      await writeFile(path, text);
      const loaded = await loadSource(path);
      assert.ok(!loaded.ok);
      assert.match(loaded.problems[0]?.message ?? '', /^expected a name that is not reserved, got "__proto__"$/);
    });
  }
});
