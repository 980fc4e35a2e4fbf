import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { commitStep } from '../../src/store/commit.ts';
import { expirePack } from '../../src/vault/expire.ts';
import { packPath } from '../../src/vault/pack.ts';
import { begin, track } from '../store/fixture.ts';
import { keepNow, bytesKept, pageWith, temporaryVault, textOf } from './keeping.ts';

const dayMs = 86_400_000;
const limits = { keep: 30 * dayMs, maxBytes: 1024 ** 3 };

const log = { url: 'https://shop.test/lamp', at: 1, elapsedMs: 1, bytes: 1, absent: [], unparsed: [] };

test('pages go with their pack when its time is over, but for those that are evidence', async (t) => {
  const { vault, store, clock, folder } = await temporaryVault(t);
  const [target = 0] = await track(store, 'lamp');
  const named = pageWith('the newest change of a record names it', { target });
  const passed = pageWith('an earlier change names it', { target });
  const good = pageWith('the last good one of another address', { target, url: 'https://shop.test/b' });
  const bad = pageWith('<wall>', { target, url: 'https://shop.test/b', why: 'bad' });
  const newest = pageWith('the last good one of its address', { target });
  for (const [index, { digest }] of [passed, named].entries()) {
    const fence = await begin(store, target);
    const drafts = [{ type: 'product', key: 'lamp', fields: { price: index } }];
    const close = { status: 'complete', finished: false } as const;
    await commitStep(store, fence, { observedAt: 1_000 + index, drafts, digest, log, close });
  }
  for (const page of [passed, named, good, bad, newest]) await keepNow(vault, page);
  assert.equal(await expirePack(store, vault, limits), false);
  clock.now += 31 * dayMs;
  assert.equal(await expirePack(store, vault, limits), true);
  assert.equal(existsSync(packPath(folder, 1)), false);
  const texts = [];
  for (const { digest } of [named, good, bad, newest, passed]) texts.push(await textOf(vault, digest));
  assert.deepEqual(texts, [...[named, good, bad, newest].map(({ body }) => Buffer.from(body).toString()), 'not_kept']);
  assert.deepEqual(store.vault.evidenceOf(target, good.url), { good: good.digest, bad: bad.digest });
  assert.equal(store.vault.evidenceOf(target, named.url)?.good, newest.digest);
  assert.equal(await expirePack(store, vault, limits), false);
});

test('beyond the size the oldest packs go, and evidence alone never holds more', async (t) => {
  const { vault, store, clock } = await temporaryVault(t, { packBytes: 10_000 });
  const most = { keep: 400 * dayMs, maxBytes: 40_000 };
  const pages = Array.from({ length: 40 }, (_, number) =>
    pageWith(randomBytes(1_500).toString('base64'), { url: `https://shop.test/${number}` }),
  );
  for (const page of pages) {
    clock.now += 1;
    await keepNow(vault, page);
  }
  assert.ok(bytesKept(store) > most.maxBytes);
  while (await expirePack(store, vault, most));
  assert.ok(bytesKept(store) <= most.maxBytes);
  assert.notEqual(await textOf(vault, pages.at(-1)?.digest ?? ''), 'not_kept');
});
