import { escape } from '../../../src/demo/html.ts';
import type { Article } from './catalogue.ts';
import type { Random } from '../random.ts';

/** How a site lays out its pages, and the rules that read them. */
export interface Template {
  readonly name: string;
  /** The HTML of all articles of a list, or of the page of one. */
  render(articles: readonly Article[], day: number): string;
  /** The record types of a definition. */
  readonly records: {
    readonly article: {
      readonly each?: string;
      readonly key: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };
  };
}

/** Names of classes that differ from site to site. */
export function classNames(random: Random) {
  const prefix = ['', 'x-', 'shop__', 'c-', 'Pg_'][Math.floor(random.next() * 5)] ?? '';
  const suffix = random.chance(0.3) ? `-${Math.floor(random.next() * 900 + 100)}` : '';
  return (name: string): string => `${prefix}${name}${suffix}`;
}

const moneys = [
  (cents: number) => `€${(cents / 100).toFixed(2)}`,
  (cents: number) => `USD ${(cents / 100).toFixed(2)}`,
  (cents: number) => `${(cents / 100).toFixed(2)} GBP`,
  (cents: number) => `CHF ${(cents / 100).toFixed(2)}`,
];

export function frame(title: string, body: string, day: number): string {
  const news = Array.from({ length: 3 }, (_, at) => `<li>News ${day * 3 + at}</li>`).join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><script src="/app.js"></script></head>
<body><header><a href="/">Start</a><a href="/help">Help</a></header>${body}<footer><ul>${news}</ul><p>Page of day ${day}</p></footer></body></html>`;
}

/** A list of cards; one that counts visitors differs in each article from day to day. */
export function cards(random: Random, countsVisitors = false): Template {
  const c = classNames(random);
  const money = moneys[Math.floor(random.next() * moneys.length)] ?? moneys[0]!;
  const visitors = (sku: string, day: number): string =>
    countsVisitors ? `<i class="${c('seen')}">${(Number(sku.slice(2)) % 97) + day * 3}</i>` : '';
  const item = (
    { sku, name, brand, price, stock }: Article,
    day: number,
  ) => `<li class="${c('item')}" data-sku="${sku}">
  <h3 class="${c('name')}"><a href="/p/${sku}">${escape(name)}</a></h3><p class="${c('brand')}">${brand}</p>
  <div class="${c('offer')}"><span class="${c('price')}">${money(price)}</span>${stock === undefined ? '' : `<em class="${c('stock')}">${stock} left</em>`}</div>${visitors(sku, day)}</li>`;
  return {
    name: 'cards',
    render: (articles, day) =>
      frame('Articles', `<ul class="${c('list')}">${articles.map((each) => item(each, day)).join('\n')}</ul>`, day),
    records: {
      article: {
        each: `li.${c('item')}`,
        key: 'sku',
        fields: {
          sku: { attr: 'data-sku' },
          name: `.${c('name')} > a`,
          brand: `.${c('brand')}`,
          price: { css: `.${c('offer')} > .${c('price')}`, type: 'money' },
          stock: { css: `.${c('stock')}`, type: 'integer', filters: [{ regex: String.raw`\d+` }] },
          ...(countsVisitors && { seen: { css: `.${c('seen')}`, type: 'integer' } }),
        },
      },
    },
  };
}

/** A table whose columns are counted. */
export function table(random: Random): Template {
  const id = `t${Math.floor(random.next() * 100)}`;
  const money = moneys[Math.floor(random.next() * moneys.length)] ?? moneys[0]!;
  const row = ({ sku, name, brand, price, rating }: Article) =>
    `<tr class="row"><td>${sku}</td><td><b>${escape(name)}</b></td><td>${brand}</td><td class="num">${money(price)}</td><td>${rating.toFixed(1)}</td></tr>`;
  return {
    name: 'table',
    render: (articles, day) =>
      frame('Prices', `<table id="${id}"><tbody>${articles.map(row).join('\n')}</tbody></table>`, day),
    records: {
      article: {
        each: `#${id} tr.row`,
        key: 'sku',
        fields: {
          sku: 'td:nth-child(1)',
          name: 'td:nth-child(2) > b',
          brand: 'td:nth-child(3)',
          price: { css: 'td.num', type: 'money' },
          rating: { css: 'td:nth-child(5)', type: 'number' },
        },
      },
    },
  };
}

/** The page of one article, with ids and attributes of data. */
export function product(random: Random): Template {
  const c = classNames(random);
  const money = moneys[Math.floor(random.next() * moneys.length)] ?? moneys[0]!;
  const render = ({ sku, name, brand, text, price, rating }: Article, day: number): string =>
    frame(
      escape(name),
      `<main class="${c('product')}"><h1 id="name">${escape(name)}</h1><p class="${c('sku')}">${sku}</p>
  <div class="${c('offer')}"><b class="${c('price')}">${money(price)}</b></div><p class="${c('brand')}">${brand}</p>
  <p class="${c('text')}">${escape(text)}</p><span class="${c('stars')}" data-rating="${rating}">rated</span></main>`,
      day,
    );
  return {
    name: 'product',
    render: ([article], day) => (article === undefined ? '' : render(article, day)),
    records: {
      article: {
        key: 'sku',
        fields: {
          sku: `.${c('sku')}`,
          name: '#name',
          brand: `.${c('product')} > .${c('brand')}`,
          price: { css: `.${c('offer')} > .${c('price')}`, type: 'money' },
          text: `.${c('text')}`,
          rating: { css: '[data-rating]', attr: 'data-rating', type: 'number' },
        },
      },
    },
  };
}
