import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readPlugin } from '../../src/definition/plugin-file.ts';
import { failureOf, openPool, type Pool, valueOf, written } from './support.ts';

const collector = 'export function* collect() {}';

async function describeFailure(pool: Pool, source: string, name?: string): Promise<string> {
  return failureOf(await pool.call(written(source, name), 'describe', {}));
}

/** A folder of plug-ins with these files. */
async function folderOf(context: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  context.after(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function describeIn(pool: Pool, folder: string, name: string) {
  const read = await readPlugin(folder, name);
  assert.ok(read.ok);
  return pool.call(read.plugin, 'describe', {});
}

describe('what a plug-in imports', () => {
  test('is refused when it reaches the network, a process or a thread, by its name', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const refused =
      'child_process cluster dgram dns dns/promises http http2 https inspector net tls worker_threads _http_client _tls_wrap'.split(
        ' ',
      );
    for (const name of refused) {
      for (const prefix of name.startsWith('_') ? [''] : ['', 'node:']) {
        assert.match(
          await describeFailure(pool, `import '${prefix}${name}'; ${collector}`),
          new RegExp(
            `^plugin_bad_module: written\\.ts: cannot be loaded: Error: import of "${prefix}${name}" by .*written\\.ts is refused: .*context\\.fetch`,
          ),
        );
      }
    }
    assert.ok((await pool.call(written(`import 'node:fs'; import 'node:zlib'; ${collector}`), 'describe', {})).ok);
    assert.equal((await pool.status()).started, 1);
  });

  test('is refused however it is asked for', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    for (const how of [
      "await import('node:net')",
      "process.getBuiltinModule('node:net')",
      "createRequire(import.meta.url)('net')",
    ]) {
      const source = `import { createRequire } from 'node:module'; ${how}; ${collector}`;
      assert.match(await describeFailure(pool, source), /import of "(?:node:)?net".* is refused/);
    }
  });

  test('is refused in what it imports, too, which is named', async (context) => {
    const folder = await folderOf(context, {
      'a.ts': `import { ask } from './b.ts'; export const collect = ask;`,
      'b.ts': `import { get } from 'node:https'; export const ask = get;`,
      'c.mjs': `import { ask } from 'asker'; export const collect = ask;`,
      'node_modules/asker/package.json': '{ "name": "asker", "main": "main.js" }',
      'node_modules/asker/main.js': "exports.ask = require('http').get;",
      'd.mjs': `import { two } from 'counter'; export function* collect() { yield { type: 'n', key: String(two), fields: {} }; }`,
      'node_modules/counter/package.json': '{ "name": "counter", "main": "main.js" }',
      'node_modules/counter/main.js': 'exports.two = 2;',
    });
    const pool = await openPool(context, { threads: 1 });
    assert.match(failureOf(await describeIn(pool, folder, 'a.ts')), /import of "node:https" by .*b\.ts is refused/);
    assert.match(failureOf(await describeIn(pool, folder, 'c.mjs')), /import of "http" by .*main\.js is refused/);
    assert.deepEqual(valueOf(await describeIn(pool, folder, 'd.mjs')).functions, ['collect']);
  });

  test('by the name of the contract is ours, also outside of our folder', async (context) => {
    const folder = await folderOf(context, {
      'p.js': `import { defineProvider, z } from 'heronry/provider';
        export default defineProvider({ options: z.strictObject({}), request: () => ({ url: 'https://a.test/' }), read: () => ({ drafts: [] }) });`,
    });
    const pool = await openPool(context);
    assert.deepEqual(valueOf(await describeIn(pool, folder, 'p.js')).functions, ['request', 'read']);
  });

  test('that there is not is named, with what asked for it', async (context) => {
    const pool = await openPool(context);
    assert.match(
      await describeFailure(pool, `import 'no-such-package'; ${collector}`),
      /Cannot find package 'no-such-package'/,
    );
    assert.match(
      await describeFailure(pool, `import './none.ts'; ${collector}`, 'other.ts'),
      /Cannot find module .*none\.ts/,
    );
  });
});

describe('a module that is no provider', () => {
  const cases: readonly (readonly [what: string, source: string, message: RegExp])[] = [
    ['has no exports', '1;', /is no provider: expected `export default defineProvider/],
    ['has a number', 'export default 5;', /is no provider: expected a mapping, got 5/],
    [
      'has half a contract',
      'export default { read() {} };',
      /expected `request` and `read`, or `collect` in their place/,
    ],
    ['has both shapes', 'export default { read() {}, request() {}, collect() {} };', /or `collect` in their place/],
    ['has an unknown part', 'export default { collect() {}, colour: 1 };', /unknown key "colour"/],
    ['has a part of another kind', 'export default { collect: 5 };', /collect: expected a function, got number/],
    [
      'has options that are no schema',
      'export default { collect() {}, options: {} };',
      /options: expected a zod schema/,
    ],
    ['has no pages', 'export default { collect() {}, maxPages: 0 };', /maxPages: expected at least 1, got 0/],
    ['cannot be parsed', 'export default {\n\n];', /cannot be loaded: SyntaxError: /],
    ['throws', '\nthrow new RangeError("at once");', /cannot be loaded: RangeError: at once \(line 2\)/],
    ['needs more than its types taken away', 'export enum A { B }', /cannot be loaded: .*enum/],
  ];
  for (const [what, source, message] of cases) {
    test(`since it ${what} is refused, and its failure says so`, async (context) => {
      const pool = await openPool(context);
      const failure = await describeFailure(pool, source);
      assert.match(failure, /^plugin_bad_module: written\.ts: /);
      assert.match(failure, message);
    });
  }

  test('since it never ends being loaded is given up', async (context) => {
    const pool = await openPool(context, { limits: { loadMs: 2_000 } });
    assert.match(
      await describeFailure(pool, `await new Promise(() => {}); ${collector}`),
      /^plugin_timeout: written\.ts: took more than 2000 ms to be loaded/,
    );
  });

  test('since it hoards while it is loaded is ended', async (context) => {
    const pool = await openPool(context, { limits: { memoryMib: 64 } });
    const source = `for (const hoard = []; ;) hoard.push(Math.random()); ${collector}`;
    assert.match(await describeFailure(pool, source), /^plugin_memory: written\.ts: held more than 64 MiB$/);
  });
});
