/**
 * Question: what does a kept page take, and what does keeping it cost? Product pages of 5 and 50 kB, each of which changes its price,
 * its stock and its number of visitors from one time to the next: as the vault keeps them, by the pages before; new pages together,
 * as a crawl brings them; and each by itself.
 * `indexBytes` is what the store takes for each beside its pack. What keeping costs a crawl, `crawl.bench.ts` tells.
 *
 * Goal: a page that resembles the one before takes at most a quarter of what it takes alone.
 *
 * Run with `node bench/vault.bench.ts [--json] [--quick]`.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/store/store.ts';
import { pageDigest } from '../src/vault/entry.ts';
import { Vault, vaultFolder } from '../src/vault/vault.ts';
import type { PageToKeep } from '../src/vault/write.ts';
import { productPage } from './pages.ts';
import { isQuick, show } from './show.ts';
import { rounded } from './statistics.ts';

const addresses = isQuick ? 20 : 100;
const versions = 27;

/** A page as it stands at one time. */
function pageAt(address: number, version: number, kilobytes: number): string {
  const { html, fields } = productPage(address, kilobytes);
  return html
    .replaceAll(fields.price, `€ ${100 + ((address * 7 + version * 13) % 900)}.${10 + version}`)
    .replaceAll(fields.stock, `${(version * 17) % 40} in stock`)
    .replace('</body>', `<p class="visitors">${(version * 7919) % 1_000} people look at this</p></body>`);
}

/** Keeps all pages; new ones each at an address of its own, so that none stands on another, and alone, each in a write of its own. */
async function keep(kilobytes: number, { isNew = false, isAlone = false }) {
  const path = mkdtempSync(join(tmpdir(), 'heronry-bench-'));
  const store = await openStore({
    path,
    now: Date.now,
    scheduling: {} as Parameters<typeof openStore>[0]['scheduling'],
  });
  const unexpected = (what: unknown): never => {
    throw new Error(String(what));
  };
  const vault = await Vault.open({ folder: vaultFolder(path), store, full: unexpected, warn: unexpected });
  const emptyBytes = statSync(join(path, 'data.mdb')).size;
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  for (let version = 0; version < versions; version += 1) {
    const pages = Array.from({ length: addresses }, (_, address): PageToKeep => {
      const body = Buffer.from(pageAt(address, version, kilobytes));
      const url = `https://shop.test/products/${address}${isNew ? `/${version}` : ''}`;
      const of = { source: 'shop', target: 1, scrape: version + 1, version: 'nV3bQ1x9Zr0aK7mE', url, status: 200 };
      const came = { contentType: 'text/html; charset=utf-8', observedAt: 1_780_000_000_000 + version * 3_600_000 };
      return { ...of, ...came, why: 'changed', body, digest: pageDigest(body) };
    });
    for (const page of pages) {
      await vault.keep(page);
      if (isAlone) await vault.resume();
    }
    await vault.resume();
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const ms = performance.now() - startedAt;
  const count = addresses * versions;
  const packs = [...store.vault.packs.rows()].reduce((sum, { bytes }) => sum + bytes, 0);
  const indexBytes = statSync(join(path, 'data.mdb')).size - emptyBytes;
  await vault.close();
  await store.close();
  rmSync(path, { recursive: true });
  return {
    bytesEach: Math.round(packs / count),
    indexBytes: Math.round(indexBytes / count),
    msEach: rounded(ms / count, 3),
    cpuMsEach: rounded((user + system) / 1_000 / count, 3),
  };
}

const rows: Record<string, string | number>[] = [];
for (const kilobytes of [5, 50]) {
  const alone = await keep(kilobytes, { isNew: true, isAlone: true });
  const together = await keep(kilobytes, { isNew: true });
  const delta = await keep(kilobytes, {});
  const page = `${kilobytes} kB`;
  rows.push({ page, kept: 'alone', ...alone, ratio: '', goal: '' });
  rows.push({ page, kept: 'together', ...together, ratio: rounded(together.bytesEach / alone.bytesEach), goal: '' });
  const ratio = rounded(delta.bytesEach / alone.bytesEach);
  rows.push({ page, kept: 'by the pages before', ...delta, ratio, goal: 0.25 });
}
show('vault', rows);
