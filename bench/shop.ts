/**
 * The shops that crawls are measured on, of product pages of 5, 50 and 400 kB: those that a generator beside the project makes,
 * where `BENCH_PAGES` names its module, else our own.
 *
 * Such a module exports `SETS` (`s5`, `s50` and `s400`, each with `block`, the products that one list leads to, and `perList`),
 * `productPage(set, id)` (`html` and `fields`), `listPage(set, block, index)`, `productPath(set, id)` and `listPath(set, block, index)`.
 */
import { resolve } from 'node:path';
import { listPage, type PageSize, type ProductPage, productPage } from './pages.ts';

export interface Shop {
  /** Whose pages they are. */
  readonly of: 'own' | 'given';
  /** The lists at which a crawl begins; they lead to all products. */
  readonly starts: readonly string[];
  /** Products by the path of their page. */
  readonly products: ReadonlyMap<string, ProductPage>;
  /** Lists by their path. */
  readonly lists: ReadonlyMap<string, string>;
}

interface Generator {
  readonly SETS: Readonly<Record<string, { readonly block: number; readonly perList: number }>>;
  productPage(set: string, id: number): ProductPage;
  listPage(set: string, block: number, index: number): string;
  productPath(set: string, id: number): string;
  listPath(set: string, block: number, index: number): string;
}

const givenBlocks = 2;
/** Products of each size, and of a list. */
const ownProducts: Readonly<Record<PageSize, number>> = { 5: 2_000, 50: 1_000, 400: 200 };
const ownPerList = 50;

/** The shop of a size, of a fraction of its pages if `share` is below 1. */
export async function openShop(size: PageSize, share = 1): Promise<Shop> {
  const path = process.env['BENCH_PAGES'];
  if (path === undefined) return ownShop(size, Math.ceil(ownProducts[size] * share));
  return givenShop(
    (await import(resolve(path))) as Generator,
    `s${size}`,
    Math.max(1, Math.round(givenBlocks * share)),
  );
}

function givenShop(generator: Generator, set: string, blocks: number): Shop {
  const { block = 0, perList = 1 } = generator.SETS[set] ?? {};
  const products = new Map<string, ProductPage>();
  const lists = new Map<string, string>();
  for (let id = 0; id < blocks * block; id += 1)
    products.set(generator.productPath(set, id), generator.productPage(set, id));
  for (let index = 0; index < (blocks * block) / perList; index += 1) {
    const place = [Math.floor(index / (block / perList)), index % (block / perList)] as const;
    lists.set(generator.listPath(set, ...place), generator.listPage(set, ...place));
  }
  const starts = Array.from({ length: blocks }, (_, index) => generator.listPath(set, index, 0));
  return { of: 'given', starts, products, lists };
}

/** Lists that lead to products and to the next list, products that lead to six others. */
function ownShop(size: PageSize, count: number): Shop {
  const productPath = (id: number): string => `/${size}/p/${id}.html`;
  const listPath = (list: number): string => `/${size}/list/${list}.html`;
  const products = new Map<string, ProductPage>();
  for (let id = 0; id < count; id += 1) {
    const links = [1, 2, 7, 31, 97, 211].map((step) => productPath((id * 3 + step) % count));
    products.set(productPath(id), productPage(id, size, links));
  }
  const lists = new Map<string, string>();
  for (let list = 0; list * ownPerList < count; list += 1) {
    const first = list * ownPerList;
    const links = Array.from({ length: Math.min(ownPerList, count - first) }, (_, at) => productPath(first + at));
    lists.set(listPath(list), listPage(links, first + ownPerList < count ? listPath(list + 1) : undefined));
  }
  return { of: 'own', starts: [listPath(0)], products, lists };
}
