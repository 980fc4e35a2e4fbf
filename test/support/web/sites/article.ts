import { amountOf, moneyText } from '../../../../src/demo/facts/money.ts';
import { productAt, type Product } from '../../../../src/demo/facts/product.ts';
import { html, type Markup } from '../../../../src/demo/html.ts';
import { jsonScript } from '../markup.ts';
import type { Answer, Visit } from '../site.ts';

const tints: Readonly<Record<string, string>> = { black: '#222', blue: '#248', green: '#264', red: '#a32' };

/** The page of one article, which describes itself to machines in ld+json and Open Graph as well. */
export function article({ world, at, origin }: Visit, sku: string): Answer | undefined {
  const found = productAt(world, sku, at);
  if (found === undefined) return undefined;
  return {
    kind: 'page',
    title: found.title,
    modifiedAt: found.modifiedAt,
    head: html`${openGraph(found, origin)} ${jsonScript('application/ld+json', linkedData(found))}`,
    main: html`<article class="item">
      <nav><a href="/shop/">Shop</a> › <a class="category" href="/shop/c/${found.category}">${found.category}</a></nav>
      <h1 class="name">${found.title}</h1>
      <a class="photo" href="/shop/img/${sku}.svg"><img src="/shop/img/${sku}.svg" alt="" /></a>
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
      <a class="buy" href="/shop/basket/add?sku=${sku}">Into the basket</a>
      <a class="share" href="https://share.example/?about=${sku}">Share</a>
    </article>`,
  };
}

/** The picture of an article, as an SVG. */
export function picture({ world, at }: Visit, name: string): Answer | undefined {
  const found = name.endsWith('.svg') ? productAt(world, name.slice(0, -4), at) : undefined;
  if (found === undefined) return undefined;
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="${tints[found.colour] ?? '#888'}"/></svg>`;
  return { kind: 'text', type: 'image/svg+xml', body, modifiedAt: world.openedAt };
}

function openGraph({ sku, title, category, colour, price }: Product, origin: string): Markup {
  const meta = (property: string, content: string) => html`<meta property="${property}" content="${content}" />`;
  return html`${meta('og:type', 'product')} ${meta('og:title', title)}
  ${meta('og:description', `${title}, ${colour}, one of our ${category}`)}
  ${meta('og:image', `${origin}/shop/img/${sku}.svg`)} ${meta('product:price:amount', amountOf(price))}
  ${meta('product:price:currency', price.currency)}`;
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
