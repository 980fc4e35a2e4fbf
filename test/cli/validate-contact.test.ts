import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

const says =
  'warning: no `bot.contact` in heronry.yaml, an address by which sites can reach you: without it nothing but this machine is asked, so not shop\n';

describe('validate of a configuration without a contact', () => {
  for (const [what, url, config, err] of [
    ['warns of a source on the internet', 'https://shop.org/{slug}', 'data: data', says],
    ['is silent where there is a contact', 'https://shop.org/', 'bot: { contact: me@shop.org }', ''],
    ['is silent of a source on this machine', 'http://127.0.0.1:8080/{slug}', 'data: data', ''],
    ['is silent of an example', 'https://www.shop.example/', 'data: data', ''],
  ] as const)
    test(what, async (t) => {
      const cwd = await temporaryDirectory(t);
      await mkdir(join(cwd, 'sources'));
      await writeFile(join(cwd, 'sources', 'shop.yaml'), productSource('shop', `url: "${url}"`));
      await writeFile(join(cwd, 'heronry.yaml'), `${config}\n`);
      const found = await run(['validate'], { cwd });
      assert.equal(found.status, 0, found.err);
      assert.equal(found.err, err);
    });
});
