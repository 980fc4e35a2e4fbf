import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { actOnTicket } from '../../src/store/act-on-ticket.ts';
import { commitStep } from '../../src/store/commit.ts';
import { reportTrouble, setCause } from '../../src/store/tickets.ts';
import { expirePack } from '../../src/vault/expire.ts';
import { packPath } from '../../src/vault/pack.ts';
import { begin, track } from '../store/fixture.ts';
import { keepNow, bytesKept, pageWith, temporaryVault, textOf } from './keeping.ts';

const dayMs = 86_400_000;
const limits = { keep: 30 * dayMs, maxBytes: 1024 ** 3 };

const log = { url: 'https://shop.test/lamp', at: 1, elapsedMs: 1, bytes: 1, absent: [], unparsed: [] };

test('pages go with their pack when its time is over, but for those that are evidence, with their pictures', async (t) => {
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
  const picture = pageWith('a picture of it', { target, url: bad.url, why: 'screenshot', of: bad.digest });
  for (const page of [passed, named, good, picture, bad, newest]) await keepNow(vault, page);
  assert.equal(await expirePack(store, vault, limits), false);
  clock.now += 31 * dayMs;
  assert.equal(await expirePack(store, vault, limits), true);
  assert.equal(existsSync(packPath(folder, 1)), false);
  const texts = [];
  for (const { digest } of [named, good, bad, picture, newest, passed]) texts.push(await textOf(vault, digest));
  assert.deepEqual(texts, [
    ...[named, good, bad, picture, newest].map(({ body }) => Buffer.from(body).toString()),
    'not_kept',
  ]);
  assert.deepEqual(store.vault.evidenceOf(target, good.url), { good: good.digest, bad: bad.digest });
  assert.equal(store.vault.evidenceOf(target, named.url)?.good, newest.digest);
  assert.equal(await expirePack(store, vault, limits), false);
});

test('the pages of a ticket stay as long as it is not resolved', async (t) => {
  const { vault, store, clock } = await temporaryVault(t);
  const [good, bad] = [pageWith('good'), pageWith('bad', { why: 'bad' })];
  for (const page of [good, bad, pageWith('newer'), pageWith('newest')]) await keepNow(vault, page);
  const symptoms = [{ kind: 'loop' as const, measure: 'loop', observed: 1 }];
  const { ticket } = await store.write((change) =>
    reportTrouble(store, change, { source: 'shop', member: 1 }, { at: change.at, symptoms, projects: [] }),
  );
  await setCause(store, ticket, { kind: 'challenge', says: [] }, { pages: { good: good.digest, bad: bad.digest } });
  const texts = async () => [await textOf(vault, good.digest), await textOf(vault, bad.digest)];
  clock.now += 31 * dayMs;
  assert.equal(await expirePack(store, vault, limits), true);
  assert.deepEqual(await texts(), ['good', 'bad']);
  await actOnTicket(store, ticket, { act: 'resolve' });
  clock.now += 31 * dayMs;
  assert.equal(await expirePack(store, vault, limits), true);
  assert.deepEqual(await texts(), ['not_kept', 'not_kept']);
});

test('a pack whose evidence the full disk has no room for stays, and goes when there is room', async (t) => {
  const { vault, store, clock, folder } = await temporaryVault(t);
  const page = pageWith('the last good one of its address');
  await keepNow(vault, page);
  clock.now += 31 * dayMs;
  symlinkSync('/dev/full', packPath(folder, 2));
  for (let time = 0; time < 3; time += 1)
    await assert.rejects(expirePack(store, vault, limits), { name: 'StoreFullError' });
  assert.deepEqual(vault.counts(), { waiting: 0, dropped: 0 });
  assert.equal(await textOf(vault, page.digest), 'the last good one of its address');
  rmSync(packPath(folder, 2));
  assert.equal(await expirePack(store, vault, limits), true);
  assert.equal(existsSync(packPath(folder, 1)), false);
  assert.equal(await textOf(vault, page.digest), 'the last good one of its address');
});

test('what a pack of many pages leaves in the index is removed a little at a time, between which other work has its turn', async (t) => {
  const { vault, store, clock } = await temporaryVault(t);
  await keepNow(vault, pageWith('one'));
  clock.now += 31 * dayMs;
  const others = 2_500;
  await store.write(() => {
    for (let number = 0; number < others; number += 1) {
      store.vault.pages.put(`gone ${number}`, [1, 0, 0]);
      store.vault.pages.put(`stays ${number}`, [99, 0, 0]);
    }
  });
  const { pages } = store.vault;
  const { entries, remove } = pages;
  let [isWriting, turns] = [false, 0];
  const removed: number[] = [];
  const other = (): void => {
    turns += 1;
    next = setImmediate(other);
  };
  let next = setImmediate(other);
  t.after(() => clearImmediate(next));
  const seen: number[] = [];
  const watched: typeof store = {
    ...store,
    write: (run, options) =>
      store.write((change) => {
        removed.push(0);
        isWriting = true;
        const result = run(change);
        isWriting = false;
        return result;
      }, options),
    vault: {
      ...store.vault,
      pages: {
        ...pages,
        *entries(range) {
          assert.equal(isWriting, false);
          seen.push(turns);
          yield* entries(range);
        },
        remove(digest) {
          removed.push((removed.pop() ?? 0) + 1);
          return remove(digest);
        },
      },
    },
  };
  assert.equal(await expirePack(watched, vault, limits), true);
  assert.equal(pages.count(), others + 1);
  assert.ok(Math.max(...removed) <= 1_000, `${removed.join()} removed at once`);
  assert.ok(new Set(seen).size > 2, `turns of other work: ${seen.join()}`);
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

test('where room is short, the copies fill half of the pack as it is stored, and named pages come first', async (t) => {
  const { vault, store } = await temporaryVault(t);
  const [target = 0] = await track(store, 'lamp');
  const lines = (seed: number) =>
    Array.from({ length: 300 }, (_, line) => `<p>line ${line} costs ${(line * seed * 7_919) % 10_007}</p>`).join('');
  const pages = Array.from({ length: 40 }, (_, number) =>
    pageWith(lines(number + 1), { target, url: `https://shop.test/${number}` }),
  );
  const large = pageWith(randomBytes(30_000).toString('base64'), { target, url: 'https://shop.test/large' });
  const passed = pageWith(lines(99), { target, url: 'https://shop.test/named' });
  const anew = pageWith('stands there now', { target, url: passed.url });
  const fence = await begin(store, target);
  const drafts = [{ type: 'product', key: 'lamp', fields: { price: 1 } }];
  const close = { status: 'complete', finished: false } as const;
  await commitStep(store, fence, { observedAt: 1_000, drafts, digest: passed.digest, log, close });
  await keepNow(vault, large, ...pages, passed);
  await keepNow(vault, anew);
  const [pack] = [...store.vault.packs.rows()];
  const before = bytesKept(store);
  assert.equal(await expirePack(store, vault, { keep: 400 * dayMs, maxBytes: before - 1 }), true);
  const copied = bytesKept(store) - (before - (pack?.bytes ?? 0));
  const share = copied / (pack?.bytes ?? 0);
  assert.ok(share <= 0.5 && share > 0.4, `the copies take ${share} of the pack`);
  assert.equal(await textOf(vault, passed.digest), lines(99));
});

test('a file that a record names is told where its bytes go for want of room', async (t) => {
  const { vault, store } = await temporaryVault(t);
  const [target = 0] = await track(store, 'lamp');
  const fence = await begin(store, target);
  const drafts = [{ type: 'product', key: 'lamp', fields: { price: 1 } }];
  const close = { status: 'complete', finished: false } as const;
  await commitStep(store, fence, { observedAt: 1_000, drafts, log, close });
  const record = store.records.get('shop', 'product', 'lamp')?.record ?? 0;
  const file = (text: string) => pageWith(text, { target, url: `https://shop.test/${text.length}.png`, why: 'file' });
  const [small, large] = [file('a small one'), file(randomBytes(3_000).toString('base64'))];
  await keepNow(vault, large, small);
  for (const { url, digest } of [small, large])
    await store.write(() => {
      store.files.link('shop', url, record);
      store.files.put({
        source: 'shop',
        url,
        maxBytes: 1e6,
        stored: { bytes: 5, mediaType: 'image/png', at: 1_000, digest },
      });
    });
  const before = store.events.last();
  assert.equal(await expirePack(store, vault, { keep: 400 * dayMs, maxBytes: 1 }), true);
  assert.deepEqual([await textOf(vault, small.digest), await textOf(vault, large.digest)], ['a small one', 'not_kept']);
  const told = [...store.events.rows({ after: before })].map(({ type, data }) => [type, data]);
  const data = { type: 'product', key: 'lamp', url: large.url, digest: large.digest };
  assert.deepEqual(told, [['file.expired', data]]);
});

test('a file stays as long as a record names it, and its bytes lie there once', async (t) => {
  const { vault, store, clock } = await temporaryVault(t);
  const file = (text: string) => pageWith(text, { url: `https://shop.test/${text}.png`, why: 'file' });
  const [named, left] = [file('named'), file('left')];
  await keepNow(vault, named, left);
  // What is kept as a page of an address says nothing of files, and the other way round.
  assert.equal(store.vault.evidenceOf(named.target, named.url), undefined);
  const stored = { bytes: 5, mediaType: 'image/png', at: 1_000 };
  for (const { url, digest } of [named, left])
    await store.write(() => {
      store.files.link('shop', url, 1);
      store.files.put({ source: 'shop', url, maxBytes: 1_000, stored: { ...stored, digest } });
    });
  await store.write(() => store.files.unlinkOthers('shop', 1, [named.url]));
  clock.now += 31 * dayMs;
  assert.equal(await expirePack(store, vault, limits), true);
  assert.deepEqual([await textOf(vault, named.digest), await textOf(vault, left.digest)], ['named', 'not_kept']);
});

test('a page in a pack that is about to go counts as kept no more, until it is kept anew', async (t) => {
  const { vault } = await temporaryVault(t);
  const page = pageWith('the same bytes', { why: 'file' });
  await keepNow(vault, page);
  assert.equal(vault.isKept(page.digest), true);
  await vault.seal(1);
  assert.equal(vault.isKept(page.digest), false);
  await keepNow(vault, page);
  assert.equal(vault.isKept(page.digest), true);
});
