import { moneyText } from '../../../../src/demo/facts/money.ts';
import { categories, colours, productAt, skusOf, type Product } from '../../../../src/demo/facts/product.ts';
import { whole, type World } from '../../../../src/demo/facts/world.ts';
import { html, type Markup } from '../../../../src/demo/html.ts';
import { pageNumber, sliceOf, type Answer, type Site, type Visit } from '../site.ts';
import { article, picture } from './article.ts';
import { calendar } from './calendar.ts';

const pageSize = 12;

/**
 * A shop: `/shop/` names the categories, `/shop/c/<category>?page=2&colour=red` lists articles, `/shop/p/<sku>` shows one,
 * `/shop/calendar/<month>` tells the opening hours. With `endless=yes` categories and calendar link to ever more pages; whoever
 * comes in by `/shop/?endless=yes` meets them. As on real sites, some pages are linked to in several spellings, and some links
 * lead to files, to other domains, or to a basket that robots are asked to leave alone.
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
        return article(visit, name);
      case 'img':
        return picture(visit, name);
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

function home({ world, query }: Visit): Answer {
  const month = new Date(world.openedAt).toISOString().slice(0, 7);
  const search = query.get('endless') === 'yes' ? '?endless=yes' : '';
  return {
    kind: 'page',
    title: 'The Heron Shop',
    modifiedAt: world.openedAt,
    main: html`<h1>The Heron Shop</h1>
      <ul class="categories">
        ${Object.keys(categories).map((name) => html`<li><a href="/shop/c/${name}${search}">${name}</a></li>`)}
      </ul>
      <a href="/shop/calendar/${month}${search}">Opening hours</a> <a href="/shop/catalogue.pdf">Our catalogue</a>
      <a href="https://blog.shop.example/">Our blog</a>`,
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
      ${slice.next === undefined ? undefined : html`<a class="next" rel="next" href="${link({ page: String(slice.next) })}">More</a>`}
      ${slice.next === undefined ? undefined : html`<a href="${respelt(link({ page: String(slice.next) }))}">Next page</a>`}`,
  };
}

/** Another way to write the same address: its query the other way round, a campaign's mark and a fragment. */
function respelt(path: string): string {
  const [before = '', search = ''] = path.split('?');
  return `${before}?${search.split('&').reverse().join('&')}&utm_source=pager#products`;
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
