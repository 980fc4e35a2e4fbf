import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { packPath, type ScannedPage } from '../../src/vault/pack.ts';
import type { PageToKeep } from '../../src/vault/write.ts';
import { keepNow, bytesKept, pageWith, temporaryVault, textOf } from './keeping.ts';

const long = Array.from({ length: 400 }, (_, row) => `<li>article ${row * 7919} at ${row * 31} €</li>`).join('\n');

test('every page that was kept is read back to the byte, whatever came before it at its address', async (t) => {
  const page = fc.record({
    source: fc.constantFrom('shop', 'board'),
    target: fc.integer({ min: 1, max: 2 }),
    url: fc.constantFrom('https://a.test/', 'https://b.test/'),
    body: fc.oneof(
      fc.integer({ min: 0, max: 30 }).map((number) => Buffer.from(long.replace('article 7919', `article ${number}`))),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    ),
    why: fc.constantFrom('changed' as const, 'bad' as const),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 30 }), async (drawn) => {
      const { vault, reopen } = await temporaryVault(t, { packBytes: 4_000 });
      const pages = drawn.map(({ body, ...given }) => ({
        ...pageWith(''),
        ...pageWith(body.toString('latin1')),
        ...given,
      }));
      await keepNow(vault, ...pages);
      const again = await reopen();
      for (const each of pages)
        assert.equal(await textOf(again, each.digest), Buffer.from(each.body).toString(), each.digest);
    }),
    { numRuns: 15 },
  );
});

test('a page that differs little from the one before takes a fraction of it, and one in nine stands alone', async (t) => {
  const { vault, store } = await temporaryVault(t);
  const sizes: number[] = [];
  for (let turn = 0; turn < 19; turn += 1) {
    const before = bytesKept(store);
    await keepNow(vault, pageWith(long.replace('article 7919', `article ${turn}`)));
    sizes.push(bytesKept(store) - before);
  }
  assert.deepEqual(
    sizes.flatMap((size, turn) => (size > 300 ? [turn] : [])),
    [0, 9, 18],
  );
});

test('pages that come together are compressed as one, and a scan goes on from any of them', async (t) => {
  const { vault, store } = await temporaryVault(t);
  const pages = [1, 2].flatMap((round) =>
    Array.from({ length: 12 }, (_, number) =>
      pageWith(`${long} ${number} ${round}`, { url: `https://shop.test/${number}` }),
    ),
  );
  await keepNow(vault, ...pages);
  const [row] = store.vault.packs.rows();
  assert.ok(row && row.bytes < pages.length * 400, `${row?.bytes} bytes`);
  const whole: ScannedPage[] = [];
  for await (const each of vault.entries(row)) whole.push(each);
  const digests = new Set(whole.map(({ page }) => page !== 'damaged' && page.digest));
  assert.deepEqual(digests, new Set(pages.map(({ digest }) => digest)));
  for (const [index, { next }] of whole.entries()) {
    const rest: ScannedPage[] = [];
    for await (const each of vault.entries(row, next)) rest.push(each);
    assert.deepEqual(rest, whole.slice(index + 1));
  }
});

test('a page that its source shows again takes no second body', async (t) => {
  const { vault, store } = await temporaryVault(t);
  const page = pageWith(randomBytes(20_000).toString('base64'));
  await keepNow(vault, page);
  const before = bytesKept(store);
  await keepNow(vault, { ...page, url: 'https://shop.test/same', observedAt: 2_000 });
  assert.ok(bytesKept(store) - before < 500);
  const [row] = store.vault.packs.rows();
  assert.ok(row);
  const found: unknown[] = [];
  for await (const { page: each } of vault.entries(row)) found.push(each !== 'damaged' && [each.url, each.observedAt]);
  assert.deepEqual(found, [
    ['https://shop.test/lamp', 1_000],
    ['https://shop.test/same', 2_000],
  ]);
});

test('what a kill left behind the last page that counts is cut at the next start, and packs that nothing names go', async (t) => {
  const { vault, folder, store, reopen } = await temporaryVault(t);
  const [one, two] = [pageWith('one'), pageWith('two')];
  await keepNow(vault, one);
  const [row] = store.vault.packs.rows();
  const path = packPath(folder, row?.pack ?? 0);
  appendFileSync(path, randomBytes(50));
  writeFileSync(packPath(folder, 77), 'a pack whose commit never came');
  const again = await reopen();
  assert.equal(statSync(path).size, row?.bytes);
  assert.throws(() => statSync(packPath(folder, 77)));
  await keepNow(again, two);
  assert.deepEqual([await textOf(again, one.digest), await textOf(again, two.digest)], ['one', 'two']);
});

test('a byte that has changed in a pack makes its page damaged, and those that stand on it, and no other', async (t) => {
  const { vault, folder, store } = await temporaryVault(t);
  const other = pageWith(`${long} other`, { url: 'https://shop.test/other' });
  const first = pageWith(long);
  const second = pageWith(`${long} second`);
  for (const page of [other, first, second]) await keepNow(vault, page);
  const path = packPath(folder, 1);
  const whole = readFileSync(path);
  const [from = 0, to = 0] = [first, second].map(({ digest }) => store.vault.pages.get(digest)?.[1]);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: to - from - 1 }), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const bytes = Buffer.from(whole);
      bytes[from + at] = (bytes[from + at] ?? 0) ^ mask;
      writeFileSync(path, bytes);
      assert.equal(await textOf(vault, first.digest), 'damaged');
      assert.equal(await textOf(vault, second.digest), 'damaged');
      assert.equal(await textOf(vault, other.digest), Buffer.from(other.body).toString());
    }),
    { numRuns: 60 },
  );
});

test('a pack that lost its end, and one that is gone, are told; the pages before stay readable', async (t) => {
  const { vault, folder, store, told, reopen } = await temporaryVault(t);
  const [one, two] = [pageWith('one'), pageWith('two', { url: 'https://shop.test/two' })];
  await keepNow(vault, one);
  const { bytes } = [...store.vault.packs.rows()][0] ?? { bytes: 0 };
  await keepNow(vault, two);
  truncateSync(packPath(folder, 1), bytes + 3);
  const cut = await reopen();
  assert.match(told[0] ?? '', /000001\.pack: \d+ bytes are missing at its end: pages there are lost/);
  assert.deepEqual([await textOf(cut, one.digest), await textOf(cut, two.digest)], ['one', 'damaged']);
  rmSync(packPath(folder, 1));
  assert.equal(await textOf(cut, one.digest), 'missing');
  assert.equal(await textOf(cut, 'nothing-of-that-digest'), 'not_kept');
});

test('pages go to another pack where the newest one lost its end or is gone', async (t) => {
  const { vault, folder, store, reopen } = await temporaryVault(t);
  const [one, two, three] = ['one', 'two', 'three'].map((text) => pageWith(text));
  assert.ok(one && two && three);
  await keepNow(vault, one);
  truncateSync(packPath(folder, 1), 20);
  const cut = await reopen();
  assert.equal(cut.isKept(one.digest), false);
  await keepNow(cut, two);
  assert.deepEqual([store.vault.pages.get(two.digest)?.[0], await textOf(cut, two.digest)], [2, 'two']);
  rmSync(packPath(folder, 2));
  const gone = await reopen();
  await keepNow(gone, three, one);
  assert.deepEqual([await textOf(gone, three.digest), await textOf(gone, one.digest)], ['three', 'one']);
});

test('a page for which the disk has no room waits, and is kept when there is room again', async (t) => {
  const { vault, folder, store, told } = await temporaryVault(t);
  const page = pageWith('kept later');
  symlinkSync('/dev/full', packPath(folder, 1));
  await keepNow(vault, page);
  assert.deepEqual(told, ['disk_full']);
  assert.equal(vault.counts().waiting, 1);
  assert.equal(store.vault.pages.count(), 0);
  rmSync(packPath(folder, 1));
  await vault.resume();
  assert.deepEqual([await textOf(vault, page.digest), vault.counts().waiting], ['kept later', 0]);
});

test('the first page from which nothing could be read stays beside the last good one, until a good one comes', async (t) => {
  const { vault, store } = await temporaryVault(t);
  const pages: PageToKeep[] = [pageWith('good'), pageWith('<wall>', { why: 'bad' }), pageWith('good again')];
  const evidence = [];
  for (const page of pages) {
    await keepNow(vault, page);
    evidence.push(store.vault.evidenceOf(1, page.url));
  }
  const [good, bad, again] = pages.map(({ digest }) => digest);
  assert.deepEqual(evidence, [{ good }, { good, bad }, { good: again, before: good }]);
});

test('the last good page stays evidence beside one that gives less, though that one has changed something', async (t) => {
  const { vault, store } = await temporaryVault(t);
  const [good, poorer, poorest] = [
    pageWith('good'),
    pageWith('poor', { isPoorer: true }),
    pageWith('poorest', { isPoorer: true }),
  ];
  for (const page of [good, poorer, poorest]) await keepNow(vault, page);
  assert.deepEqual(store.vault.evidenceOf(1, good.url), { good: good.digest, bad: poorer.digest });
  const { url, observedAt: at } = poorer;
  assert.deepEqual(await vault.badOf(1, 10), [{ url, at }]);
  await keepNow(vault, pageWith('good again'));
  assert.deepEqual(await vault.badOf(1, 10), []);
});
