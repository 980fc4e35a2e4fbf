import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

const engine = (key: string) => `engine: { bullmq: { url: "redis://127.0.0.1:6379", key: ${key} } }`;

describe('validate of places', () => {
  const cases: readonly (readonly [what: string, config: string, says: RegExp | undefined])[] = [
    [
      'refuses a backup within the data',
      'backup: { to: data/x }',
      /:1:\d+: backup\.to: .*data\/x lies in the data folder/,
    ],
    [
      'refuses a backup that is the data',
      'data: kept\nbackup: { to: kept }',
      /:2:\d+: backup\.to: .*kept lies in the data/,
    ],
    ['takes a backup beside the data', 'backup: { to: data-copy }', undefined],
    ['takes a backup whose name begins with two dots beside the data', 'data: kept\nbackup: { to: ..copy }', undefined],
    [
      'refuses a file that is no key',
      engine('short.key'),
      /bullmq\.key: .*short\.key: expected 32 bytes, got 5; remove it/,
    ],
    ['refuses a key that others can read', engine('open.key'), /bullmq\.key: .*open\.key: .*0644/],
    ['refuses a folder as a key', engine('sources'), /bullmq\.key: .*sources/],
    ['takes a key that is still to be made', engine('new.key'), undefined],
    ['takes a key', engine('whole.key'), undefined],
  ];
  for (const [what, config, says] of cases)
    test(what, async (t) => {
      const cwd = await temporaryDirectory(t);
      await mkdir(join(cwd, 'sources'));
      await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop'));
      await writeFile(join(cwd, 'heronry.yaml'), `${config}\n`);
      await writeFile(join(cwd, 'short.key'), 'short', { mode: 0o600 });
      await writeFile(join(cwd, 'open.key'), Buffer.alloc(32), { mode: 0o644 });
      await writeFile(join(cwd, 'whole.key'), Buffer.alloc(32), { mode: 0o600 });
      for (const path of ['.', 'heronry.yaml']) {
        const { status, out, err } = await run(['validate', path], { cwd });
        assert.equal(status, says === undefined ? 0 : 2, out + err);
        if (says !== undefined) assert.match(out, says);
      }
    });
});
