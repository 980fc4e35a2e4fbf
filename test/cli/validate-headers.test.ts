import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

/** Runs validate in a folder with one source, `shop`, that has more keys. */
async function validated(t: TestContext, more: string) {
  const cwd = await temporaryDirectory(t);
  await mkdir(join(cwd, 'sources'));
  await writeFile(join(cwd, 'sources/shop.yaml'), productSource('shop', `url: "https://shop.example/{slug}"\n${more}`));
  return run(['validate'], { cwd, env: { HERONRY_SECRET_SHOP_KEY: 'x' } });
}

describe('validate of the headers of a source', () => {
  test('warns of one that is called like a secret, and says how a secret is named', async (t) => {
    const { status, err } = await validated(t, 'request: { headers: { X-Api-Key: geheim, accept-language: en } }');
    assert.equal(status, 0);
    assert.equal(
      err,
      'warning: source shop: request.headers has "X-Api-Key" as plain text: `auth: { type: bearer, header: X-Api-Key, token: { secret: NAME } }` sends a secret that is only named\n',
    );
  });

  test('warns of no other header, nor of a secret that is named', async (t) => {
    const named = 'auth: { type: bearer, header: x-api-key, token: { secret: SHOP_KEY } }';
    for (const more of ['request: { headers: { accept-language: en } }', named])
      assert.equal((await validated(t, more)).err, '', more);
  });
});
