import type { TestContext } from 'node:test';
import { openSite, type Site } from '../../support/site.ts';

/** A definition of a shop that is crawled from the target's address. */
export function crawlSource(id = 'shop', more = '', politeness = ''): string {
  return `id: ${id}
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms, ${politeness} }
crawl: { detail: ['/p/\\d+$'], ${more} }
records:
  product:
    key: id
    fields: { id: { css: h1, required: true }, price: { css: b, type: number } }
`;
}

export function page(links: readonly string[], product?: string): string {
  const shown = product === undefined ? '' : `<h1>${product}</h1><b>${product.length}</b>`;
  return `<!doctype html><title>x</title>${shown}${links.map((link) => `<a href="${link}">to ${link}</a>`).join(' ')}`;
}

const lists = [0, 1, 2, 3].map((number) => `/c/${number}`);

/** A shop of 45 pages: a start, 4 lists that name each other and 40 products, with links back. */
export async function openShop(t: TestContext): Promise<Site> {
  const site = await openSite(t, { '/': page(lists) });
  for (const [number, path] of lists.entries()) {
    const products = Array.from({ length: 10 }, (_, index) => `/p/${number * 10 + index}`);
    site.answer(path, page([...lists, ...products]));
    for (const product of products) site.answer(product, page(['/', path], product.slice(3)));
  }
  return site;
}

export function pathsOf({ asked }: Site): string[] {
  return asked.map(({ path }) => path);
}
