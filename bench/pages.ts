import type { Rule } from '../src/definition/rule.ts';

/** Sizes of pages that are measured, in kB. */
export const pageSizes = [5, 50, 400] as const;
export type PageSize = (typeof pageSizes)[number];

/** The fields of a product page, and where they stand. */
export const productFields = {
  title: { css: 'h1.product-title' },
  price: { css: '.price-box .price' },
  sku: { css: 'div.product', attr: 'data-sku' },
  brand: { css: '.product a.brand' },
  rating: { css: 'meta[itemprop="ratingValue"]', attr: 'content' },
  stock: { css: '.availability .stock' },
  image: { css: '.gallery img.main', attr: 'src' },
  weight: { css: 'table.specs tr.spec-weight > td' },
} as const satisfies Record<string, Partial<Rule>>;

export type ProductField = keyof typeof productFields;

/** A page, and what stands in its fields. */
export interface ProductPage {
  readonly html: string;
  readonly fields: Readonly<Record<ProductField, string>>;
}

/** Numbers from 0 to below `below`, the same for a seed at every run. */
type Draw = (below: number) => number;

function drawFrom(seed: number): Draw {
  let state = (seed + 1) * 0x9e3779b1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const words =
  'amber basin cedar dune ember fjord grove harbour inlet jetty kelp lagoon marsh nettle osier pebble quay reed shoal tern umbel vale wharf yarrow caf\u00e9 \u017elut\u00fd A&amp;B &#8212;'.split(
    ' ',
  );
const brands = ['Ardea', 'Egretta', 'Bittern', 'Ixobrychus', 'Nycticorax'];

function phrase(draw: Draw, length: number): string {
  return Array.from({ length }, () => words[draw(words.length)] ?? '').join(' ');
}

/** What fills a large page, each the way real shops write it: end tags that HTML lets out are left out here and there. */
const fillers: readonly ((draw: Draw, id: number, index: number) => string)[] = [
  (draw, id, index) =>
    `<li class="review r${index % 5}" id="review-${index}"><h4>${phrase(draw, 3)}</h4><p>${phrase(draw, 40)}<br>${phrase(draw, 18)}` +
    `<p class="by">${phrase(draw, 2)}, <time datetime="2026-03-${10 + (index % 18)}">${index % 18} days ago</time><a rel="nofollow" href="/flag?review=${index}&amp;of=${id}">flag</a>`,
  (draw, id, index) =>
    `<li class="picture"><figure><img loading="lazy" src="/media/${id}/${index}.jpg" srcset="/media/${id}/${index}.jpg 1x, /media/${id}/${index}-2.jpg 2x" alt="${phrase(draw, 3)}"><figcaption>${phrase(draw, 6)}</figcaption></figure></li>`,
  (draw) =>
    `<li><table class="sizes"><tr><th>${phrase(draw, 1)}<td>${draw(90)}<td>${draw(90)} cm<tr><th>${phrase(draw, 2)}<td>${draw(900)}<td>n/a</table>`,
  (draw) =>
    `<li class="question"><dl><dt>${phrase(draw, 8)}?<dd>${phrase(draw, 20)} <b>${phrase(draw, 2)}</b></dl></li>`,
];

/** A product page of about the given size with links to others; a quarter of a large one is the state of its scripts. */
export function productPage(id: number, kilobytes: number, links: readonly string[] = []): ProductPage {
  const draw = drawFrom(id * 31 + kilobytes);
  const brand = brands[draw(brands.length)] ?? '';
  const fields = {
    title: `${brand} ${phrase(draw, 1).replace(/&.*/, 'reed')} no. ${id}`,
    price: `\u20ac ${draw(900) + 1}.${String(draw(100)).padStart(2, '0')}`,
    sku: `K${kilobytes}-${id}`,
    brand,
    rating: `${1 + draw(4)}.${draw(10)}`,
    stock: draw(4) === 0 ? `Ready in ${2 + draw(8)} days` : 'In stock',
    image: `/media/${kilobytes}/${id}/front.jpg`,
    weight: `${draw(20)}.${draw(10)} kg`,
  };
  const top = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${fields.title}</title>
<meta name="description" content="${phrase(draw, 14)}"><link rel="stylesheet" href="/main.css?v=7"><style>.price{color:#222}.menu li{display:inline}</style>
<script>window.shop=window.shop||[];if(1<2&&3>2){shop.push("<p>"+${id}+"</p>")}</script></head><body class="product-page">
<ul class="menu"><li><a href="/">Home</a><li><a href="/tools">Tools</a><ul><li><a href="/tools/hand">Hand</a><li><a href="/tools/garden">Garden</a></ul><li><a href="/sale">Sale</a></ul>
<div class="product" data-sku="${fields.sku}"><h1 class="product-title">${fields.title}</h1><p>by <a class="brand" href="/brand/${brand.toLowerCase()}">${brand}</a>
<div class="price-box"><s class="old">&euro; 999</s> <span class="price">${fields.price}</span></div>
<div class="rating"><meta itemprop="ratingValue" content="${fields.rating}"><i>*****</i></div><div class="availability"><i></i><span class="stock">${fields.stock}</span></div>
<div class="gallery"><img class="main" src="${fields.image}" alt="${phrase(draw, 3)}"><img class="small" src="/media/${kilobytes}/${id}/side.jpg" alt=""></div>
<table class="specs"><tr class="spec-colour"><th>Colour<td>${phrase(draw, 1)}<tr class="spec-weight"><th>Weight<td>${fields.weight}</td></tr></table>
<div class="text"><p>${phrase(draw, 40)}<p>${phrase(draw, 30)}</div></div>\n`;
  const related = links.map(
    (link) => `<li class="related"><a class="product-link" href="${link}">${phrase(draw, 2)}</a>\n`,
  );
  const bottom = `<ul class="seen">${related.join('')}</ul><footer><p>&copy; Shop<form action="/find"><input name="q"><button>Find</button></form></footer></body></html>\n`;
  const parts = [top];
  let room = kilobytes * 1_000 - Buffer.byteLength(top) - Buffer.byteLength(bottom);
  const add = (part: string): void => {
    parts.push(part);
    room -= Buffer.byteLength(part);
  };
  if (kilobytes > 20) {
    const goods = Array.from({ length: kilobytes * 3 }, (_, index) => ({
      id: index,
      name: `${brand} ${draw(10_000)}`,
      tags: ['a', 'b'],
      price: draw(900),
    }));
    add(`<script type="application/json" id="state">${JSON.stringify({ goods })}</script>\n<ul class="all">\n`);
  }
  for (let index = 0; room > 300; index += 1) {
    const filler = kilobytes > 20 ? fillers[index % fillers.length] : undefined;
    add(filler === undefined ? `<p class="note">${phrase(draw, 20)}\n` : `${filler(draw, id, index)}\n`);
  }
  return { html: parts.join('') + bottom, fields };
}

/** A page of links to products, and to the list's next page. */
export function listPage(links: readonly string[], next: string | undefined): string {
  const cards = links.map(
    (link, index) =>
      `<li class="card"><a class="product-link" href="${link}"><img src="/thumb/${index}.jpg" alt=""><b>no. ${index}</b></a>\n`,
  );
  const more = next === undefined ? '' : `<p class="pager"><a class="next-page" rel="next" href="${next}">More</a>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>All</title></head><body><ul class="cards">\n${cards.join('')}</ul>${more}</body></html>\n`;
}

/** The bytes of a page, in a buffer of their own. */
export function bodyOf(html: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(html)).buffer;
}
