import { amountOf, moneyText } from '../facts/money.ts';
import { categories, colours, productAt, skusOf, type Product } from '../facts/product.ts';
import { whole, type World } from '../facts/world.ts';
import { html, jsonScript, type Markup } from '../html.ts';
import { pageNumber, sliceOf, type Answer, type Site, type Visit } from '../site.ts';
import { calendar } from './calendar.ts';

const pageSize = 12;

/**
 * A shop: `/shop/` names the categories, `/shop/c/<category>?page=2&colour=red` lists articles, `/shop/p/<sku>` shows one,
 * `/shop/calendar/<month>` tells the opening hours. With `endless=yes` categories and calendar link to ever more pages.
 */
export const shop: Site = {
  prefix: 'shop',
  disallow: ['basket/'],
  answer(visit) {
    const [area = '', name, ...rest] = visit.path;
    if (rest.length > 0) return undefined;
    if (area === '' && name === undefined) return home(visit);
    if (name === undefined) return undefined;
    switch (area) {
      case 'c':
        return category(visit, name);
      case 'p':
        return product(visit, name);
      case 'calendar':
        return calendar(visit, name);
      default:
        return undefined;
    }
  },
  *paths() {
    yield '';
    for (const name of Object.keys(categories)) {
      yield `c/${name}`;
      for (const sku of skusOf(name)) yield `p/${sku}`;
    }
  },
};

function home({ world }: Visit): Answer {
  const month = new Date(world.openedAt).toISOString().slice(0, 7);
  return {
    kind: 'page',
    title: 'The Heron Shop',
    modifiedAt: world.openedAt,
    main: html`<h1>The Heron Shop</h1>
      <ul class="categories">
        ${Object.keys(categories).map((name) => html`<li><a href="/shop/c/${name}">${name}</a></li>`)}
      </ul>
      <a href="/shop/calendar/${month}">Opening hours</a>`,
  };
}

function category({ world, at, query }: Visit, name: string): Answer | undefined {
  const colour = query.get('colour');
  const skus = skusOf(name);
  const wanted = skus.filter((sku) => colour === null || productAt(world, sku, at)?.colour === colour);
  const slice = sliceOf(wanted, pageNumber(query), pageSize);
  if (skus.length === 0 || slice === undefined) return undefined;
  const products = slice.items.map((sku) => productAt(world, sku, at)).filter((found) => found !== undefined);
  const link = (changes: Readonly<Record<string, string>>) => {
    const kept = Object.fromEntries([...query].filter(([key]) => ['colour', 'endless'].includes(key)));
    const search = new URLSearchParams({ ...kept, ...changes }).toString();
    return `/shop/c/${name}${search === '' ? '' : `?${search}`}`;
  };
  return {
    kind: 'page',
    title: `Our ${name}`,
    modifiedAt: Math.max(world.openedAt, ...products.map(({ modifiedAt }) => modifiedAt)),
    main: html`<h1>Our ${name}</h1>
      <nav class="facets">
        ${colours.map((each) => html`<a class="facet" href="${link({ colour: each })}">${each}</a> `)}
        ${query.get('endless') === 'yes' ? endlessFacets(world, query, link) : undefined}
      </nav>
      <ul class="products">
        ${products.map(card)}
      </ul>
      ${slice.next === undefined ? undefined : html`<a class="next" rel="next" href="${link({ page: String(slice.next) })}">More</a>`}`,
  };
}

/** Facets that can be combined without end: every page links to three that are one deeper, so that no path comes back. */
function endlessFacets(
  world: World,
  query: URLSearchParams,
  link: (changes: Readonly<Record<string, string>>) => string,
): Markup[] {
  const chosen = query.get('facets') ?? '0';
  const depth = Number.parseInt(chosen, 10) || 0;
  return ['cut', 'lining', 'season'].map((facet) => {
    const facets = `${depth + 1}-${whole(world, 0, 2 ** 32, chosen, facet).toString(36)}`;
    return html`<a class="facet" href="${link({ facets })}">${facet}</a> `;
  });
}

function card({ sku, title, price, oldPrice, stock }: Product): Markup {
  return html`<li class="item">
    <a class="name" href="/shop/p/${sku}">${title}</a> <small class="sku">${sku}</small>
    <span class="price">${moneyText(price)}</span>
    ${oldPrice === undefined ? undefined : html`<s class="old-price">${moneyText(oldPrice)}</s>`}
    <span class="stock">${stock}</span>
  </li>`;
}

function product({ world, at }: Visit, sku: string): Answer | undefined {
  const found = productAt(world, sku, at);
  if (found === undefined) return undefined;
  return {
    kind: 'page',
    title: found.title,
    modifiedAt: found.modifiedAt,
    head: jsonScript('application/ld+json', linkedData(found)),
    main: html`<article class="item">
      <nav><a href="/shop/">Shop</a> › <a class="category" href="/shop/c/${found.category}">${found.category}</a></nav>
      <h1 class="name">${found.title}</h1>
      <p>
        <span class="price">${moneyText(found.price)}</span>
        ${found.oldPrice === undefined ? undefined : html`<s class="old-price">${moneyText(found.oldPrice)}</s>`}
      </p>
      <p>
        No. <span class="sku">${sku}</span>, brand <span class="brand">${found.brand}</span>, colour
        <span class="colour">${found.colour}</span>
      </p>
      <ul class="sizes">
        ${found.sizes.map((size) => html`<li class="size">${size}</li>`)}
      </ul>
      <p>
        ${found.stock > 0 ? html`In stock: <span class="stock">${found.stock}</span>` : html`<span class="sold-out">Sold out</span>`}
      </p>
    </article>`,
  };
}

function linkedData({ sku, title, brand, colour, price, stock }: Product): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    sku,
    name: title,
    color: colour,
    brand: { '@type': 'Brand', name: brand },
    offers: {
      '@type': 'Offer',
      price: amountOf(price),
      priceCurrency: price.currency,
      availability: `https://schema.org/${stock > 0 ? 'InStock' : 'OutOfStock'}`,
    },
  };
}
