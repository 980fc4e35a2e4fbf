import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askedAddress, sourcesOf, targetAddress } from '../../src/definition/target-address.ts';
import { Source } from '../../src/definition/source.ts';

const url = 'https://shop.example/p/red';
const shop = Source.parse({
  id: 'shop',
  url: 'https://shop.example/p/{sku}',
  records: { article: { key: 'sku', fields: { sku: '.sku' } } },
});

test('what stands behind # of an address makes no other place, as no site is sent it', () => {
  assert.deepEqual(targetAddress(shop, { url: `${url}#reviews` }), { ok: true, url });
  assert.deepEqual(sourcesOf([shop], `${url}#reviews`), [{ source: 'shop', params: { sku: 'red' }, url }]);
});

test('what stands behind # is kept for scripts in a browser, and for plug-ins', () => {
  const render = { in: 'browser' as const, do: [] };
  assert.equal(askedAddress({ render }, `${url}#/b`), `${url}#/b`);
  assert.equal(askedAddress({ render: 'http', plugin: 'own.ts' }, `${url}#/b`), `${url}#/b`);
});

test('what stands behind # is kept where the address of a source has parameters there, as with forms', () => {
  const search = Source.parse({
    id: 'search',
    url: 'https://shop.example/search#{query}',
    request: { form: { fields: { q: '{query}' } } },
    records: { article: { key: 'sku', fields: { sku: '.sku' } } },
  });
  const asked = 'https://shop.example/search#lamps';
  assert.deepEqual(sourcesOf([search], asked), [{ source: 'search', params: { query: 'lamps' }, url: asked }]);
  assert.deepEqual(targetAddress(search, { url: asked }), { ok: true, url: asked });
});

test('a target of a source whose address is fixed needs neither an address nor parameters, and others say what they lack', () => {
  const blog = Source.parse({ id: 'blog', url: 'https://blog.example/', records: shop.records });
  assert.deepEqual(targetAddress(blog, {}), { ok: true, url: 'https://blog.example/' });
  const message = 'expected a value for "sku": source "shop" has https://shop.example/p/{sku}';
  assert.deepEqual(targetAddress(shop, {}), { ok: false, path: ['params'], message });
});
