/** A product of a shop, and how its page shows it. */
interface Product {
  readonly sku: string;
  readonly title: string;
  readonly brand: string;
  readonly price: string;
  readonly stock: number;
}

const names = ['Aurora', 'Björn', 'Céline', 'Dörte', 'Élan', 'Falk', 'Grün', 'Höhe', 'Ida', 'Jörg'];

/** Products of one shop, each with values of its own. */
export function products(count: number): Product[] {
  return Array.from({ length: count }, (_, at) => ({
    sku: `K-${100 + at}`,
    title: `Kettle ${names[at % names.length]} ${100 + at * 7}`,
    brand: ['Nordwerk', 'Südhaus', 'Ostra'][at % 3] ?? '',
    price: (10 + at * 3.37).toFixed(2),
    stock: 41 + at,
  }));
}

const page = (title: string, main: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title></head><body class="site"><header class="top"><nav><a href="/home">Home</a> <a href="/about">About</a></nav></header>
  <main id="content">${main}</main><footer class="foot"><p>© 2026 Kettle Shop GmbH</p></footer></body></html>`;

/** The page of a product, of which a text repeats the title and the brand. */
export function productPage({ sku, title, brand, price, stock }: Product): string {
  return page(
    title,
    `<div class="detail"><div class="product" data-sku="${sku}"><a class="link" href="/p/${sku}"><h1 class="title">${title}</h1></a>
    <p class="brand">${brand}</p><span class="price">€ ${price}</span><span class="stock">${stock} in stock</span></div>
    <p class="desc">A fine ${title} by ${brand}, made to last.</p></div>`,
  );
}

/** The page of the same product after the shop was laid out anew, without that text. */
export function redesignedPage({ sku, title, brand, price, stock }: Product): string {
  return page(
    title,
    `<article><div class="n">${title}</div><dl><dt>Article</dt><dd>${sku}</dd><dt>Maker</dt><dd>${brand}</dd>
    <dt>Price</dt><dd>€ ${price}</dd><dt>Stock</dt><dd>${stock} in stock</dd></dl></article>`,
  );
}

/** Rules that read `productPage`. */
export const productPageRecords = {
  product: {
    key: 'sku',
    each: '.product',
    fields: {
      sku: '@data-sku',
      title: 'h1',
      brand: '.brand',
      price: { css: '.price', type: 'money' },
      stock: { css: '.stock', type: 'integer', filters: [{ regex: String.raw`(\d+)` }] },
    },
  },
};
