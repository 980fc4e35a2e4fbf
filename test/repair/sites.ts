import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Source } from '../../src/definition/source.ts';
import { contentAt } from '../../src/demo/sites.ts';
import type { DrillPage } from '../../src/drill/mutation.ts';

/** A site that changes: its pages by the numbers of a world, and the definition that reads them. */
export interface RepairSite {
  readonly name: string;
  readonly source: Source;
  /** The pages of the site; with `moved`, some values have changed since, as they do on a healthy day. */
  pages(random: () => number, moved: boolean): readonly DrillPage[];
}

const words =
  'amber birch cedar delta ember fjord grove heath inlet jetty knoll larch maple north oasis plain quill ridge slope thorn'.split(
    ' ',
  );

/** One thing that a site sells. */
interface Thing {
  readonly sku: string;
  readonly title: string;
  readonly price: string;
  readonly old: string;
  readonly stock: number;
  readonly maker: string;
}

/** Things of a shop; some prices and stocks are others on a later day. */
function things(count: number, random: () => number, moved: boolean): Thing[] {
  const offset = Math.floor(random() * 900);
  return Array.from({ length: count }, (_, at) => {
    const number = offset + at * 7;
    const word = (step: number): string => words[(number * step + at) % words.length] ?? 'amber';
    const price = 10 + ((number * 37) % 900) / 10 + (moved && at % 6 === 2 ? 3.25 : 0);
    return {
      sku: `K-${1000 + number}`,
      title: `${word(1)[0]?.toUpperCase()}${word(1).slice(1)} ${word(3)} lamp ${number}`,
      price: price.toFixed(2),
      old: (price * (at % 3 === 0 ? 1.25 : 1)).toFixed(2),
      stock: ((number * 13) % 40) + 1 + (moved && at % 5 === 1 ? 1 : 0),
      maker: `${word(5)} works`,
    };
  });
}

const shell = (title: string, body: string, head = ''): string =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body><header class="top"><nav><a href="/">Home</a> <a href="/sale">Sale</a></nav></header>${body}<footer class="foot"><p>Free delivery from €50.00</p></footer></body></html>`;

function htmlSite(
  name: string,
  records: unknown,
  render: (things: readonly Thing[]) => readonly string[],
  { count, provider = 'html' }: { readonly count: number; readonly provider?: string },
): RepairSite {
  const source = Source.parse({ id: name.replaceAll(/\W+/g, '-'), provider, url: 'https://site.example/', records });
  return {
    name,
    source,
    pages: (random, moved) =>
      render(things(count, random, moved)).map((html, at) => ({
        url: `https://site.example/${name.replaceAll(/\W+/g, '-')}/${at}`,
        status: 200,
        html,
      })),
  };
}

const table = htmlSite(
  'table',
  {
    lamp: {
      each: '#stock tbody tr',
      key: 'sku',
      fields: {
        sku: 'td:nth-child(1)',
        title: { css: 'td.title a' },
        link: { css: 'td.title a', attr: 'href', type: 'url' },
        price: { css: 'td.price', type: 'money' },
        stock: { css: 'td:nth-child(5)', type: 'integer' },
      },
    },
  },
  (all) => [
    shell(
      'Stock list',
      `<table id="stock" class="stock"><thead><tr><th>Number</th><th>Lamp</th><th>List price</th><th>Price</th><th>Left</th></tr></thead><tbody>
      ${all.map(({ sku, title, price, old, stock }) => `<tr class="row"><td class="sku">${sku}</td><td class="title"><a href="/l/${sku}">${title}</a></td><td class="list">€${old}</td><td class="price">€${price}</td><td class="left">${stock}</td></tr>`).join('\n')}
      </tbody></table><table class="totals"><tr><th>All</th><td>${all.length}</td></tr></table>`,
    ),
  ],
  { count: 18 },
);

const cards = htmlSite(
  'cards',
  {
    lamp: {
      each: '.grid > .card',
      key: 'title',
      fields: {
        title: '.card-title > a',
        price: { css: '.offer .price', type: 'money' },
        stock: { css: '.offer [data-left]', attr: 'data-left', type: 'integer' },
        maker: '.card p.maker',
        image: { css: 'img', attr: 'src', type: 'url' },
      },
    },
  },
  (all) => [
    shell(
      'Lamps',
      `<section class="grid">${all
        .map(
          ({ title, price, old, stock, maker, sku }) => `<div class="card"><img src="/i/${sku}.jpg" alt="${title}">
        <h3 class="card-title"><a href="/l/${sku}">${title}</a></h3><p class="maker">${maker}</p>
        <div class="offer"><s class="old-price">€${old}</s> <span class="price">€${price}</span> <em data-left="${stock}" class="left">${stock} left</em></div></div>`,
        )
        .join('\n')}</section><aside class="seen"><h4>Seen last</h4><ul>${all
        .slice(0, 4)
        .map(({ title, price }) => `<li>${title} €${price}</li>`)
        .join('')}</ul></aside>`,
    ),
  ],
  { count: 20 },
);

const descriptions = htmlSite(
  'descriptions',
  {
    lamp: {
      each: { css: 'section.entry' },
      key: 'number',
      fields: {
        number: 'dd.number',
        title: 'h2.name',
        price: { css: 'dl.facts > dd.price', type: 'money' },
        maker: 'dd.maker',
        stock: { css: 'dd:nth-of-type(4)', type: 'integer' },
      },
    },
  },
  (all) => [
    shell(
      'All lamps',
      `<main class="list">${all
        .map(
          ({
            sku,
            title,
            price,
            maker,
            stock,
          }) => `<section class="entry"><h2 class="name">${title}</h2><dl class="facts">
        <dt>Number</dt><dd class="number">${sku}</dd><dt>Price</dt><dd class="price">€${price}</dd><dt>Maker</dt><dd class="maker">${maker}</dd><dt>Left</dt><dd class="stock">${stock}</dd></dl></section>`,
        )
        .join('\n')}</main>`,
    ),
  ],
  { count: 12 },
);

/** A page for each lamp; what it says is also in `head`. */
function productPages(head: (thing: Thing) => string) {
  return (all: readonly Thing[]): readonly string[] =>
    all.map((thing) => {
      const { sku, title, price, old, stock, maker } = thing;
      const others = all.filter((one) => one !== thing).slice(0, 3);
      return shell(
        `${title} – lamps`,
        `<main id="item" class="item"><h1 id="name" class="name">${title}</h1><p class="by">by <span class="maker">${maker}</span></p>
      <div class="offer" data-sku="${sku}"><s class="before">€${old}</s><b class="price">€${price}</b><small>Delivery <span class="ship">€4.90</span></small></div>
      <ul class="facts"><li>Number: <i class="number">${sku}</i></li><li>In stock: <i class="stock">${stock}</i></li></ul></main>
      <aside class="more"><h4>Others</h4>${others.map((one) => `<div class="other"><a href="/l/${one.sku}">${one.title}</a> <b>€${one.price}</b></div>`).join('')}</aside>`,
        head(thing),
      );
    });
}

const productFields = {
  sku: '.offer @data-sku',
  title: 'h1#name',
  price: { css: '.offer > .price', type: 'money' },
  maker: '.by .maker',
  stock: { css: 'i.stock', type: 'integer' },
};

const products = htmlSite(
  'product',
  { lamp: { key: 'sku', fields: productFields } },
  productPages(() => ''),
  { count: 6 },
);

const linked = htmlSite(
  'linked data',
  { lamp: { key: 'sku', fields: productFields } },
  productPages(
    ({ sku, title, price, maker }) =>
      `<meta property="og:title" content="${title}"><script type="application/ld+json">${JSON.stringify([
        { '@type': 'Organization', name: 'Lamps' },
        {
          '@type': 'Product',
          sku,
          name: title,
          brand: { name: maker },
          offers: { '@type': 'Offer', price, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
        },
      ])}</script>`,
  ),
  { count: 6 },
);

const feed = htmlSite(
  'feed',
  {
    lamp: {
      each: 'catalogue > entry',
      key: 'number',
      fields: {
        number: 'number',
        title: 'entry > title',
        price: { css: 'offer > price', type: 'number' },
        stock: { css: 'offer > left', type: 'integer' },
      },
    },
  },
  (all) => [
    `<?xml version="1.0" encoding="utf-8"?><catalogue>${all
      .map(
        ({ sku, title, price, old, stock }) =>
          `<entry><number>${sku}</number><title>${title}</title><offer><list>${old}</list><price>${price}</price><left>${stock}</left></offer></entry>`,
      )
      .join('\n')}</catalogue>`,
  ],
  { count: 15, provider: 'xml' },
);

/** A site of the demo's web, by its own definition. */
function demoSite(id: string, paths: readonly string[]): RepairSite {
  const text = readFileSync(join(import.meta.dirname, '../../src/demo/sources', `${id}.yaml`), 'utf8');
  const source = Source.parse(parse(text));
  return {
    name: `demo ${id}`,
    source,
    pages(random, moved) {
      const openedAt = Date.parse('2026-05-01T00:00:00Z');
      const world = { seed: 1 + Math.floor(random() * 1_000), openedAt };
      const at = openedAt + 86_400_000 + (moved ? 2_000 : 0);
      return paths.flatMap((path) => {
        const url = new URL(path, 'http://127.0.0.1:8080');
        const content = contentAt(world, url, at);
        return content === undefined ? [] : [{ url: url.href, status: 200, html: content.body }];
      });
    },
  };
}

/** Sites that differ in how they say what they say. */
export const repairSites: readonly RepairSite[] = [
  table,
  cards,
  descriptions,
  products,
  linked,
  feed,
  demoSite(
    'crowd',
    'solar-backpack folding-kayak pocket-kiln paper-radio moss-lamp quiet-drum'
      .split(' ')
      .map((slug) => `/crowd/${slug}`),
  ),
  demoSite(
    'shop',
    Array.from({ length: 6 }, (_, at) => `/shop/p/lamps-${1_003 + at * 5}`),
  ),
];
