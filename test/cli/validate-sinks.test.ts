import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../control/daemon.ts';
import { productSource } from '../support/daemon.ts';
import { run } from './terminal.ts';

/** Runs validate in a folder with one source, `shop`, whose records have `sku` and `price`, and these sinks. */
async function validated(t: TestContext, sinks: Readonly<Record<string, string>>) {
  const cwd = await temporaryDirectory(t);
  const files = { 'sources/shop.yaml': productSource('shop', 'url: "https://shop.example/{slug}"') };
  const all = {
    ...files,
    ...Object.fromEntries(Object.entries(sinks).map(([id, text]) => [`sinks/${id}.yaml`, text])),
  };
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  return run(['validate'], { cwd });
}

describe('validate of sinks', () => {
  const webhook = (body: string, more = 'from: { sources: [shop] }') =>
    `id: team\nwebhook: { url: "https://chat.example/", body: ${JSON.stringify(body)} }\n${more}\n`;

  test('warns of a name in a template that no record has', async (t) => {
    const { status, err } = await validated(t, { team: webhook('{key} {prise.amount} {old.price} {artist}') });
    assert.equal(status, 0);
    assert.equal(
      err,
      'warning: sink team: no record that it may get has "prise", which a template names; did you mean "price"?\n' +
        'warning: sink team: no record that it may get has "artist", which a template names; what has no value gives nothing\n',
    );
  });

  test('warns of no name where other messages than those of single records come', async (t) => {
    for (const more of ['from: all\nevents: [scrape.failed]', 'from: all\ndigest: 1h', 'from: all\nper: scrape'])
      assert.equal((await validated(t, { team: webhook('{failure} {events}', more) })).err, '', more);
  });
});
