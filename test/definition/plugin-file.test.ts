import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSelfContained } from '../../src/definition/plugin-file.ts';

describe('a plug-in needs no further file', () => {
  for (const source of [
    "import { defineProvider, z } from 'heronry/provider';\nexport default defineProvider({});",
    'import { createHash } from \'node:crypto\';\nimport zlib from "zlib";',
    'const parts = Array.from(links); const other = Array.from (links);',
    "const { inflateSync } = await import('node:zlib');",
    'important("./x"); const imported = 1;',
  ])
    test(`where it is ${JSON.stringify(source)}`, () => assert.equal(judged(source), true));

  for (const source of [
    "import { rows } from './rows.ts';",
    "import './side-effect.js';",
    "export * from '../shared.ts';",
    "import $ from 'cheerio';",
    "const more = await import('./more.ts');",
    'const more = await import(name);',
    'const more = await import(`./${name}.ts`);',
    "const more = require('./more.cjs');",
    'const more = require(name);',
    "readFileSync(new URL('words.txt', import.meta.url));",
    "import { createRequire } from 'node:module';",
  ])
    test(`unless it is ${JSON.stringify(source)}`, () => assert.equal(judged(source), false));
});

function judged(source: string): boolean {
  return isSelfContained({ file: '/plugins/a.ts', version: '1', source });
}
