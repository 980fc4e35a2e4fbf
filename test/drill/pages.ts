import type { Subject } from '../../src/drill/mutation.ts';

/** A list of products as shops have it, of which every rule is a selector. */
export function listSubject(count = 20): Subject {
  const items = Array.from(
    { length: count },
    (_, at) => `<li class="product" id="p-${at}" data-sku="S-${at}">
      <h2 class="name"><a href="/p/${at}">Kettle № ${at} for tea</a></h2>
      <p class="offer"><span class="price">€${(10 + at * 1.5).toFixed(2)}</span> <em class="stock">${at + 1} left</em></p>
    </li>`,
  );
  return {
    page: {
      url: 'https://shop.example/kettles/',
      status: 200,
      html: `<!doctype html><html><head><title>Kettles</title><meta name="description" content="All kettles"></head>
        <body><nav><a href="/">Home</a></nav><ul class="products">${items.join('\n')}</ul></body></html>`,
    },
    items: 'li.product',
    fields: [
      { record: 'product', field: 'sku', css: ':scope', attr: 'data-sku' },
      { record: 'product', field: 'title', css: 'h2.name > a' },
      { record: 'product', field: 'price', css: '.offer > .price' },
      { record: 'product', field: 'stock', css: 'em:nth-child(2)' },
    ],
    key: ['sku'],
  };
}

/** A page of one product. */
export function productSubject(): Subject {
  return {
    page: {
      url: 'https://shop.example/p/12',
      status: 200,
      html: `<!doctype html><html><head><title>Solar kettle – shop</title></head><body><main id="item" class="item">
        <h1 id="name" class="name">Solar kettle №12</h1><div class="offer"><b data-amount="12.50" class="price">€12.50</b></div>
        <p class="text">Boils a litre of water in the sun, and keeps it warm for hours.</p><span class="stock">7</span></main></body></html>`,
    },
    fields: [
      { record: 'product', field: 'title', css: '#name' },
      { record: 'product', field: 'amount', css: '[data-amount]', attr: 'data-amount' },
      { record: 'product', field: 'price', css: '.offer .price' },
      { record: 'product', field: 'text', css: '.item p.text' },
    ],
    key: ['text'],
  };
}

/** Rules that read `listSubject`. */
export const listRecords = {
  product: {
    each: 'li.product',
    key: 'sku',
    fields: {
      sku: { attr: 'data-sku' },
      title: 'h2.name > a',
      price: { css: '.offer > .price', type: 'money' },
      stock: { css: 'em:nth-child(2)', type: 'integer', filters: [{ regex: String.raw`\d+` }] },
    },
  },
};

/** Rules that read `productSubject`. */
export const productRecords = {
  product: {
    key: 'text',
    fields: {
      title: '#name',
      amount: { css: '[data-amount]', attr: 'data-amount', type: 'number' },
      price: { css: '.offer .price', type: 'money' },
      text: '.item p.text',
    },
  },
};
