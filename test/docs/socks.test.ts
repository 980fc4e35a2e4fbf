import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { type Answer, openSite, type Site } from '../support/site.ts';
import { exampleAt, track, valuesOf } from './example.ts';

interface Sock {
  readonly heading?: string;
  readonly content: string;
}

/** A shop of socks, whose pages know their own address. */
async function openShop(t: TestContext, socks: Readonly<Record<string, Sock>>): Promise<Site> {
  const site = await openSite(t);
  const links = Object.keys(socks).map((path) => `<a href="${path}">socks</a>`);
  site.answer('/us/', page(`<div id="content"><h1>Socks, socks, socks</h1></div>${links.join('')}`));
  for (const [path, { heading = 'Stripes', content }] of Object.entries(socks))
    site.answer(path, sockPage(site, path, heading, content));
  return site;
}

function sockPage(site: Site, path: string, heading: string, content: string): Answer {
  const head = `<link rel="canonical" href="${path}"><meta property="og:title" content="Stripes &amp; Dots">
    <meta property="og:description" content="Warm">`;
  const body = `<div id="content"><h1> ${heading} </h1></div>
    <div class="product_container"><img src="/a.jpg"><img src="b.jpg"><img alt="none"></div>
    <div id="product_properties"><h2>$ 12.00</h2></div>${content}<a href="${site.url('/us/')}">all</a>`;
  return page(body, head);
}

function page(body: string, head = ''): string {
  return `<!doctype html><html><head>${head}</head><body>${body}</body></html>`;
}

const single = '<div class="size"><span class="single">One</span></div>';
const select = '<select id="form_size"><option>S</option><option>M</option></select>';

describe('a definition of start, detail pages and rules', () => {
  test('reads the pages whose address matches, and looks through others for links only (P2, P3)', async (t) => {
    const site = await openShop(t, { '/us/products/1': { content: single }, '/us/about': { content: single } });
    const daemon = await track(t, 'socks', site.origin);
    const products = await daemon.records('product');
    assert.deepEqual([...products.keys()], [site.url('/us/products/1')]);
    assert.deepEqual(
      site.asked
        .map(({ path }) => path)
        .filter((path) => path !== '/robots.txt')
        .sort(),
      ['/us/', '/us/about', '/us/products/1'],
    );
    assert.deepEqual(valuesOf([...products.values()][0]), {
      url: site.url('/us/products/1'),
      title: 'Stripes',
      description: 'Warm',
      imgurl: [site.url('/a.jpg'), site.url('/us/products/b.jpg')],
      price: { amount: '12.00', currency: 'USD' },
      sizes: ['One'],
      inStock: true,
    });
  });

  test('takes the sizes of the select where there are both kinds, and of the span where there is no select (P7)', async (t) => {
    const site = await openShop(t, {
      '/us/products/both': { content: single + select },
      '/us/products/one': { content: single },
      '/us/products/none': { content: '' },
    });
    const products = await (await track(t, 'socks', site.origin)).records('product');
    const sizes = (path: string) => valuesOf(products.get(site.url(path)))['sizes'];
    assert.deepEqual(sizes('/us/products/both'), ['S', 'M']);
    assert.deepEqual(sizes('/us/products/one'), ['One']);
    assert.deepEqual(sizes('/us/products/none'), []);
  });

  test('says that something is sold out by a mark that is there, and not where it is not (P42)', async (t) => {
    const site = await openShop(t, {
      '/us/products/gone': { content: '<span class="sold_out_big">Sold out</span>' },
      '/us/products/here': { content: '' },
    });
    const products = await (await track(t, 'socks', site.origin)).records('product');
    const inStock = (path: string) => valuesOf(products.get(site.url(path)))['inStock'];
    assert.equal(inStock('/us/products/gone'), false);
    assert.equal(inStock('/us/products/here'), true);
  });

  test('takes title and description from Open Graph where its rule gives nothing (P43)', async (t) => {
    const site = await openShop(t, { '/us/products/plain': { heading: '', content: '' } });
    const [product] = (await (await track(t, 'socks', site.origin)).records('product')).values();
    const { title, description } = valuesOf(product);
    assert.deepEqual([title, description], ['Stripes & Dots', 'Warm']);
  });

  test('is refused with a wrong pattern or selector, and told where it stands (P1)', async () => {
    const { parseSource } = await import('../../src/definition/load.ts');
    const text = await exampleAt('socks', 'http://127.0.0.1:8080');
    assert.ok(parseSource(text, 'socks.yaml').ok);
    for (const [right, wrong] of [
      ['/products/', '/products/('],
      ['span.sold_out_big', 'span[sold_out_big'],
    ] as const) {
      const parsed = parseSource(text.replace(right, wrong), 'socks.yaml');
      assert.ok(!parsed.ok);
      const [problem, ...more] = parsed.problems;
      assert.deepEqual(more, []);
      const line = 1 + text.split('\n').findIndex((each) => each.includes(right));
      assert.equal(problem?.line, line);
      assert.ok(problem?.message.includes(wrong), problem?.message);
    }
  });
});
