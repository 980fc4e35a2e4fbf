/** Keeps pages in the vault of a folder until it is killed; prints the digest of each when it is kept. */
import { openStore } from '../../src/store/store.ts';
import { Vault, vaultFolder } from '../../src/vault/vault.ts';
import { hourly } from '../store/fixture.ts';
import { pageWith } from './keeping.ts';

const path = process.argv[2] ?? '';
const store = await openStore({ path, now: () => Date.now(), scheduling: hourly });
const unexpected = (what: unknown): never => {
  throw new Error(String(what));
};
const vault = await Vault.open({ folder: vaultFolder(path), store, full: unexpected, warn: unexpected });
process.stdout.write('ready\n');
const filler = 'a page of some length, '.repeat(400);
for (let turn = 0; ; turn += 1) {
  const pages = Array.from({ length: 1 + (turn % 5) }, (_, number) =>
    pageWith(`${process.pid} ${turn} ${filler} ${number}`, { url: `https://shop.test/${number}` }),
  );
  await Promise.all(pages.map((page) => vault.keep(page)));
  if (turn % 3 > 0) await vault.resume();
  if (turn % 3 > 0) for (const { digest } of pages) process.stdout.write(`${digest}\n`);
}
