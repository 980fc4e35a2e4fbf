import type { PackRow } from '../../store/tables/vault.ts';
import type { Handlers } from '../methods.ts';
import { checkNames } from './find.ts';
import { keptPage } from './kept-page.ts';
import type { Ports } from './ports.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'vault'>;

/** Creates the handlers of kept pages. */
export function vaultHandlers({ store, catalogue, vault }: Deps): Pick<Handlers, 'vault.status' | 'page.get'> {
  return {
    'vault.status': async ({ source: only }) => {
      checkNames({ source: only }, { store, catalogue });
      await vault.open()?.resume();
      const packs = Array.from(store().vault.packs.entries(), ({ key: [source], row }) => ({ source, row }));
      const wanted = packs.filter(({ source }) => only === undefined || source === only);
      const bySource = Map.groupBy(wanted, ({ source }) => source);
      const { limits } = vault;
      return {
        ...(limits !== undefined && { limits: { keepMs: limits.keep, maxBytes: limits.maxBytes } }),
        ...sumOf(wanted.map(({ row }) => row)),
        ...(vault.open()?.counts() ?? { waiting: 0, dropped: 0 }),
        sources: Array.from(bySource, ([source, rows]) => ({ source, ...sumOf(rows.map(({ row }) => row)) })),
      };
    },
    'page.get': async ({ digest }) => {
      const { body, ...page } = await keptPage(vault.open(), digest);
      return { page, body: Buffer.from(body).toString('base64') };
    },
  };
}

function sumOf(packs: readonly PackRow[]): Record<'pages' | 'packs' | 'bytes', number> {
  const sum = { pages: 0, packs: packs.length, bytes: 0 };
  for (const { pages, bytes } of packs) {
    sum.pages += pages;
    sum.bytes += bytes;
  }
  return sum;
}
