import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { serve, temporaryDirectory } from '../control/daemon.ts';
import { startTimed } from '../daemon/passing.ts';
import { openSite } from '../support/site.ts';
import { run } from './terminal.ts';

const product = {
  '@context': 'https://schema.org',
  '@type': 'Product',
  sku: 'S1',
  name: 'Solar',
  image: ['http://shop.example/1.jpg', 'http://shop.example/2.jpg'],
  offers: { '@type': 'Offer', price: 12.5, priceCurrency: 'EUR' },
};

const card = (sku: string, name: string, price: string): string =>
  `<div class="card" data-sku="${sku}"><h3><a href="/p/${sku}">${name}</a></h3><span class="price">${price}</span><p class="note">${name} note</p></div>`;

const quoteOf = (text: string, author: string, tag: string): string =>
  `<div class="quote"><span class="text">${text}</span> by <small class="author">${author}</small> <a href="/author/${author}">(about)</a><div class="tags"><a class="tag" href="/tag/${tag}/${text}">${tag}</a></div></div>`;

const menu = ['a', 'b', 'c', 'd', 'e']
  .map((name) => `<li class="entry"><a href="/${name}">${name} of the menu</a></li>`)
  .join('');

/** A page, what is read there, and what the definition says. */
const pages: readonly {
  readonly what: string;
  readonly file: string;
  readonly text: string;
  readonly records: readonly (readonly [type: string, key: string])[];
  readonly says: readonly RegExp[];
}[] = [
  {
    what: 'a product that is described as ld+json',
    file: 'page.html',
    text: `<title>Solar</title><script type="application/ld+json">${JSON.stringify(product)}</script><h1>Solar</h1>`,
    records: [['product', 'S1']],
    says: [
      /url: https:\/\/shop\.example\/p\/\{page\}$/m,
      /price: \{ json: \$\.offers, type: money \}/,
      /image: \{ json: \$\.image, type: array, of: \{ type: url \} \}/,
    ],
  },
  {
    what: 'things that are described as microdata',
    file: 'page.html',
    text: ['A', 'B']
      .map(
        (name) =>
          `<div itemscope itemtype="https://schema.org/Event"><b itemprop="name">${name}</b><time itemprop="startDate" datetime="2026-01-0${name === 'A' ? 1 : 2}">soon</time></div>`,
      )
      .join(''),
    records: [
      ['event', 'A'],
      ['event', 'B'],
    ],
    says: [/in: microdata/, /start_date: \{ json: "\$\.props\.startDate\[0\]", type: date \}/],
  },
  {
    what: 'repeated blocks, and not the menu',
    file: 'page.html',
    text: `<title>Shop</title><nav><ul>${menu}</ul></nav>${card('A', 'Sun', '€1.50')}${card('B', 'Moon', '€2.50')}${card('C', 'Star', '€3.50')}`,
    records: [
      ['card', 'A'],
      ['card', 'B'],
      ['card', 'C'],
    ],
    says: [
      /each: "div\.card"/,
      /sku: \{ attr: data-sku \}/,
      /price: \{ css: \.price, type: money \}/,
      /link: \{ css: "a\[href\]", attr: href, type: url \}/,
      /note: \{ css: \.note \}/,
      /url: https:\/\/shop\.example\/p\/solar$/m,
    ],
  },
  {
    what: 'blocks of which no field alone tells one from another, by two of them',
    file: 'page.html',
    text: [
      ['A', 'Bonn'],
      ['A', 'Rome'],
      ['B', 'Rome'],
    ]
      .map(
        ([name, city], at) =>
          `<div class="card"><h3>${name}</h3><b class="city">${city}</b><i class="price">€${at}.00</i></div>`,
      )
      .join(''),
    records: [
      ['card', '["A","Bonn"]'],
      ['card', '["A","Rome"]'],
      ['card', '["B","Rome"]'],
    ],
    says: [/key: \[ title, city \] # tell the 3 on the page apart/],
  },
  {
    what: 'quotes of a site to learn on, with a link to the next page',
    file: 'page.html',
    text: `${quoteOf('One', 'Ada', 'life')}${quoteOf('Two', 'Ada', 'love')}${quoteOf('Three', 'Bea', 'life')}<ul class="pager"><li class="next"><a href="/page/2/">Next <b>→</b></a></li></ul>`,
    records: [
      ['quote', 'One'],
      ['quote', 'Two'],
      ['quote', 'Three'],
    ],
    says: [
      /key: text # tells the 3 on the page apart/,
      /feed: \{ by: link, next: li\.next > a @href \}/,
      /author: \{ css: \.author \}/,
      /`feed\.revisit` reads on/,
    ],
  },
  {
    what: 'books of a site to learn on, in blocks within blocks',
    file: 'page.html',
    text: `<ol class="row">${['A', 'B', 'C'].map((name, at) => `<li class="col-xs-6"><article class="product_pod"><h3><a href="${name}/index.html">${name} …</a></h3><p class="price_color">£${at}.50</p></article></li>`).join('')}</ol><a class="next" href="page-2.html">›</a>`,
    records: ['A', 'B', 'C'].map((name) => ['product_pod', `https://shop.example/p/${name}/index.html`] as const),
    says: [/key: link #/, /each: "article\.product_pod"/, /next: a\.next @href/],
  },
  {
    what: 'an ItemList in ld+json, with pages by number',
    file: 'page.html',
    text: `<script type="application/ld+json">${JSON.stringify({
      '@type': 'ItemList',
      itemListElement: ['S1', 'S2'].map((sku) => ({ '@type': 'ListItem', item: { ...product, sku } })),
    })}</script>${[1, 2, 3].map((page) => `<a href="?seite=${page}">${page}</a>`).join('')}`,
    records: [
      ['product', 'S1'],
      ['product', 'S2'],
    ],
    says: [/itemListElement\[\*\]\.item"/, /feed: \{ by: page, param: seite \}/],
  },
  {
    what: 'the rows of a table by their headings',
    file: 'page.html',
    text: `<table id="trials"><tr><th>Trial ID</th><th>Start</th></tr>${['T1', 'T2', 'T3'].map((id) => `<tr><td><a href="/${id}">${id}</a></td><td>2026-01-02</td></tr>`).join('')}</table>`,
    records: [
      ['item', 'T1'],
      ['item', 'T2'],
      ['item', 'T3'],
    ],
    says: [/each: "table#trials tr:has\(td\)"/, /start: \{ from: \{ column: Start \}, type: date \}/],
  },
  {
    what: 'the rows of a table whose head is a row like all others',
    file: 'page.html',
    text: `<table id="fees"><tr><td>Visa type</td><td>Fee</td></tr>${['A1', 'B1', 'C1', 'D1'].map((id, at) => `<tr><td>${id}</td><td>${at + 4}.50 EUR</td></tr>`).join('')}</table>`,
    records: ['A1', 'B1', 'C1', 'D1'].map((id) => ['item', id]),
    says: [
      /each: "table#fees tr \+ tr:has\(td\)"/,
      /visa_type: \{ from: \{ column: Visa type \} \}/,
      /fee: .*type: money/,
    ],
  },
  {
    what: 'elements without classes that are built alike',
    file: 'page.html',
    text: `<body><h1>Lamps</h1><div>${['Ada', 'Bea', 'Cleo'].map((id, at) => `<section><p>${id}</p><p>glass</p><span>${at + 4}.50 EUR</span></section>`).join('')}</div>`,
    records: ['Ada', 'Bea', 'Cleo'].map((id) => ['item', id]),
    says: [/each: "body > div > section"/, /part_a: \{ css: p:nth-of-type\(1\) \}/, /part_c: .*type: money/],
  },
  {
    what: 'a list of nothing but texts',
    file: 'page.html',
    text: '<h1>Names</h1><ul id="names"><li>Ada<li>Bea<li>Cleo</ul>',
    records: ['Ada', 'Bea', 'Cleo'].map((id) => ['item', id]),
    says: [/each: "ul#names > li"/, /text: \{ take: text \}/],
  },
  {
    what: 'an article with a few points, by its heading',
    file: 'page.html',
    text: `<h1>On lamps</h1><p>${'Light is a good thing. '.repeat(9)}</p><ul><li>Ada<li>Bea<li>Cleo</ul>`,
    records: [['page', 'https://shop.example/p/solar']],
    says: [/title: \{ css: h1 \}/],
  },
  {
    what: 'what a page says of itself in Open Graph',
    file: 'page.html',
    text: '<meta property="og:title" content="Solar"><meta property="og:url" content="https://shop.example/p/solar"><meta property="og:type" content="article">',
    records: [['article', 'https://shop.example/p/solar']],
    says: [/title: \{ meta: og:title \}/],
  },
  {
    what: 'a heading where there is nothing else, by the address of the page',
    file: 'page.html',
    text: '<h1>Solar</h1><p>text',
    records: [['page', 'https://shop.example/p/solar']],
    says: [
      /key: url$/m,
      /url: \{ page: url \}/,
      /title: \{ css: h1 \}/,
      /^# It notices a change of the heading alone/m,
    ],
  },
  {
    what: 'a heading and the one price in the text',
    file: 'page.html',
    text: '<h1>Solar</h1><p>Price: 129,00 €</p>',
    records: [['page', 'https://shop.example/p/solar']],
    says: [/^# It reads: a heading, and the one price in the text/m, /price: \{ xpath: .*, type: money \}/],
  },
  {
    what: 'a thing in ld+json that has nothing but a name, by the address of the page',
    file: 'page.html',
    text: `<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', name: 'Solar', image: { url: 'https://shop.example/1.jpg' } })}</script>`,
    records: [['product', 'https://shop.example/p/solar']],
    says: [/key: page_url$/m, /name: \{ json: \$\.name \}/],
  },
  {
    what: 'one object in JSON that has no identity of its own, by its address',
    file: 'one.json',
    text: JSON.stringify({ status: 'in stock', price: 12.5 }),
    records: [['item', 'https://shop.example/p/solar']],
    says: [/url: \{ page: url \}/, /status: \{ json: \$\.status \}/],
  },
  {
    what: 'a feed',
    file: 'feed.xml',
    text: '<?xml version="1.0"?><rss><channel><item><guid>1</guid><title>One</title></item></channel></rss>',
    records: [['item', '1']],
    says: [/provider: rss/],
  },
  {
    what: 'elements of XML',
    file: 'list.xml',
    text: '<?xml version="1.0"?><list><trial><id>T1</id><phase>2</phase></trial><trial><id>T2</id><phase>3</phase></trial></list>',
    records: [
      ['trial', 'T1'],
      ['trial', 'T2'],
    ],
    says: [/provider: xml/, /phase: \{ xpath/],
  },
  {
    what: 'a list of objects in JSON',
    file: 'list.json',
    text: JSON.stringify({
      next: '/list?page=2',
      data: { items: [1, 2].map((id) => ({ id, name: `n${id}`, at: '2026-01-02T03:04:05Z' })) },
    }),
    records: ['1', '2'].map((id) => ['item', id]),
    says: [
      /feed: \{ by: link, next: \$\.next \}/,
      /each: "\$\.data\.items\[\*\]"/,
      /at: \{ json: \$\.at, type: datetime \}/,
    ],
  },
  {
    what: 'JSON whose prices have their own currency beside them',
    file: 'list.json',
    text: JSON.stringify([
      { id: 'a', price: 1.5, currency: 'EUR' },
      { id: 'b', price: '2.50', currency: 'EUR' },
    ]),
    records: [
      ['item', 'a'],
      ['item', 'b'],
    ],
    says: [/price: \{ json: \$, type: money \}/],
  },
  {
    what: 'the rows of a table in CSV',
    file: 'list.csv',
    text: 'Trial ID;Started on;Site\nT1;2026-01-02;x\nT2;2026-01-03;x\n',
    records: [
      ['row', 'T1'],
      ['row', 'T2'],
    ],
    says: [/provider: csv/, /started_on: \{ json: "\$\['Started on'\]", type: date \}/],
  },
];

describe('init source', () => {
  for (const { what, file, text, records, says } of pages) {
    test(`drafts a valid definition of ${what}, which gives records on that very page`, async (t) => {
      const cwd = await temporaryDirectory(t);
      await writeFile(join(cwd, file), text);
      const words = ['init', 'source', 'https://shop.example/p/solar', '--file', file];
      const { status, out, err } = await run(words, { cwd });
      assert.equal(status, 0, err);
      assert.match(out, /^reads {2}/);
      assert.match(out, /^wrote sources\/shop\.yaml, which is valid/m);
      const definition = await readFile(join(cwd, 'sources', 'shop.yaml'), 'utf8');
      for (const each of says) assert.match(definition, each);
      assert.equal((await run(['validate'], { cwd })).status, 0);
      const tried = JSON.parse((await run(['try', 'shop', words[2] ?? '', '--file', file, '--json'], { cwd })).out);
      const read = tried.drafts.map(({ type, key }: { type: string; key: string }) => [type, key]);
      assert.deepEqual(read, records);
      assert.deepEqual(tried.unparsed, []);
    });
  }

  test('says what a draft without a price notices, and what not', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'plain.html'), '<title>Shop</title><h1>Kettle</h1><p>It costs 129,00 €</p>');
    await writeFile(
      join(cwd, 'graph.html'),
      '<meta property="og:title" content="Kettle"><meta property="og:description" content="129 €"><h1>Kettle</h1>',
    );
    const drafted = (name: string) =>
      run(['init', 'source', 'https://shop.example/p/kettle', '--id', name, '--file', `${name}.html`], { cwd });
    assert.match(
      (await drafted('plain')).out,
      /^this draft notices a change of the heading alone, and of no other text or price there: `--text` watches all of the text, docs\/guide\/definitions-tutorial\.md shows how to read a price$/m,
    );
    assert.match((await drafted('graph')).out, /^this draft notices a change of title and description alone/m);
    await writeFile(join(cwd, 'sold.html'), pages[0]?.text ?? '');
    assert.doesNotMatch((await drafted('sold')).out, /notices/);
  });

  test('drafts the text of a whole page where that is wanted, and says how to leave out what always changes', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(
      join(cwd, 'page.html'),
      '<title>Terms</title><nav>menu</nav><main><h1>Terms</h1><p>No <b>ads</b>.</main>',
    );
    const words = ['init', 'source', 'https://shop.example/terms', '--text', '--file', 'page.html'];
    const { status, err } = await run(words, { cwd });
    assert.equal(status, 0, err);
    const definition = await readFile(join(cwd, 'sources', 'shop.yaml'), 'utf8');
    assert.match(definition, /^# What changes all the time: `ignore: \[/m);
    const tried = JSON.parse((await run(['try', 'shop', 'page.html', '--json'], { cwd })).out);
    const url = 'https://shop.example/terms';
    assert.deepEqual(tried.drafts[0].fields, { url, title: 'Terms', text: '# Terms\nNo **ads**.' });
  });

  test('lists each option once', async () => {
    const { out } = await run(['init', 'source', '--help']);
    assert.equal(out.match(/--force/g)?.length, 1, out);
  });

  test('asks for the page by the daemon, though no source has it yet', async (t) => {
    const site = await openSite(t, {
      '/p/solar': `<title>Solar</title>${card('A', 'Sun', '€1')}${card('B', 'Moon', '€2')}${card('C', 'Star', '€3')}`,
    });
    const { socket, folder, client, during } = await startTimed(t, { sources: {} });
    const words = ['init', 'source', site.url('/p/solar'), '--id', 'local', '--socket', socket];
    const { status, out, err } = await during(run(words, { cwd: folder }));
    assert.equal(status, 0, err);
    assert.ok(out.endsWith(`then \`heronry add ID --source local --url ${site.url('/p/solar')}\`\n`), out);
    assert.deepEqual((await client.call('source.reload', {})).changed, ['local']);
    const found = await during(client.call('source.try', { id: 'local', url: site.url('/p/solar') }));
    assert.equal(found.drafts.length, 3);
  });

  test('fails, and is no conflict, where the site has no such page', async (t) => {
    const cwd = await temporaryDirectory(t);
    const { path } = await serve(t, {
      'source.peek': () => {
        throw new ControlError('conflict', 'no page came: answered with status 404');
      },
    });
    const failed = await run(['init', 'source', 'http://127.0.0.1/p', '--id', 'local', '--socket', path], { cwd });
    assert.equal(failed.status, 1, failed.err);
    assert.match(failed.err, /no page came: .*404/);
  });

  test('quotes the address of the next step for a shell', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'page.html'), pages[0]?.text ?? '');
    const url = 'https://shop.example/p?id=1&x=2';
    const { out, status, err } = await run(['init', 'source', url, '--file', 'page.html'], { cwd });
    assert.equal(status, 0, err);
    assert.ok(out.includes(`--url '${url}'`), out);
  });

  test('says in one line where the definition cannot be written, and how it is written elsewhere', async (t) => {
    const cwd = await temporaryDirectory(t);
    await writeFile(join(cwd, 'sources'), '');
    await writeFile(join(cwd, 'page.html'), pages[0]?.text ?? '');
    const words = ['init', 'source', 'https://shop.example/', '--file', 'page.html'];
    const { status, err } = await run(words, { cwd });
    assert.equal(status, 1);
    assert.match(
      err,
      /^heronry: init source: sources\/shop\.yaml cannot be written: .*; --sources FOLDER writes it elsewhere\n$/,
    );
    assert.equal((await run([...words, '--sources', 'others'], { cwd })).status, 0);
  });

  test('overwrites no definition unless it is forced', async (t) => {
    const cwd = await temporaryDirectory(t);
    await mkdir(join(cwd, 'sources'));
    await writeFile(join(cwd, 'sources', 'shop.yaml'), 'precious');
    await writeFile(join(cwd, 'page.html'), '<h1>Solar</h1>');
    const words = ['init', 'source', 'https://shop.example/', '--file', 'page.html'];
    const refused = await run(words, { cwd });
    assert.equal(refused.status, 4);
    assert.match(refused.err, /sources\/shop\.yaml stands there already/);
    assert.equal(await readFile(join(cwd, 'sources', 'shop.yaml'), 'utf8'), 'precious');
    assert.equal((await run([...words, '--force'], { cwd })).status, 0);
  });

  const refusals: readonly [string, string[], number, RegExp][] = [
    ['what is no address', ['ftp://shop.example/'], 2, /expected an http or https URL/],
    ['an id that is none', ['https://shop.example/', '--id', '../x'], 2, /expected an id/],
    ['a page with nothing on it', ['https://shop.example/'], 1, /nothing to read there/],
  ];
  for (const [what, words, status, says] of refusals) {
    test(`refuses ${what}, and writes nothing`, async (t) => {
      const cwd = await temporaryDirectory(t);
      await writeFile(join(cwd, 'page.html'), '<p>');
      const refused = await run(['init', 'source', ...words, '--file', 'page.html'], { cwd });
      assert.equal(refused.status, status, refused.err);
      assert.match(refused.err, says);
      await assert.rejects(readFile(join(cwd, 'sources', 'shop.yaml')), /ENOENT/);
    });
  }
});
