import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Source } from '../../src/definition/source.ts';
import { drawPage } from '../../src/picker/draw-page.ts';
import { planOf } from '../../src/provider/plans.ts';
import type { DrawnPage } from '../../src/view/drawn-page.ts';
import { hostilePages } from './hostile.ts';

type Records = Parameters<typeof Source.parse>[0];

const offers: Records = {
  offer: { key: 'name', each: 'li', fields: { name: 'h2', price: { css: '.price', type: 'money' } } },
};
const single: Records = { page: { key: 'title', fields: { title: 'title' } } };

function draw(
  page: string,
  { records = single, provider = 'html', pick }: { records?: Records; provider?: string; pick?: number } = {},
) {
  const plan = planOf(Source.parse({ id: 'shop', provider, url: 'https://shop.example/', records }));
  const body = new Uint8Array(Buffer.from(page)).buffer;
  const contentType = { html: 'text/html; charset=utf-8', json: 'application/json', xml: 'application/xml' }[provider];
  return drawPage({ body, url: 'https://shop.example/', contentType: contentType ?? '', plan }, pick);
}

/** The number of the place of a text. */
function numberOf({ html }: DrawnPage, text: string): number {
  const [, number] = new RegExp(`<a href="#(\\d+)">${text}</a>`).exec(html) ?? [];
  return Number(number);
}

/** All that may stand in a drawing: elements of a list, each with attributes of ours alone. */
const tag =
  /<\/?(?:address|article|aside|b|bdi|blockquote|br|caption|cite|code|dd|del|dfn|div|dl|dt|em|figcaption|figure|footer|h[1-6]|header|hr|i|ins|kbd|li|main|nav|ol|p|pre|q|s|section|small|span|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|u|ul|var|wbr)(?: (?:colspan|rowspan)="\d+"| class="(?:read|picked|read picked)"| data-fields="[^"<>]*"| id="picked")*>|<a href="#\d+">|<\/a>/g;

describe('a page that is drawn', () => {
  for (const [name, page] of Object.entries(hostilePages)) {
    test(`has nothing that runs or loads: ${name}`, async () => {
      const { html } = await draw(page.replaceAll('LOAD', 'https://evil.example/x'));
      assert.doesNotMatch(html.replaceAll(tag, ''), /[<>"]/);
    });
  }

  test('has the texts of the page in their order, with links to what they stand in', async () => {
    const { html, isCut } = await draw('<title>Shop</title><h1>A &amp; B</h1><p>one <b>two</b></p>');
    const texts = Array.from(html.matchAll(/<a href="#\d+">([^<]*)<\/a>/g), ([, text]) => text);
    assert.deepEqual(texts, ['Shop', 'A &amp; B', 'one ', 'two']);
    assert.equal(isCut, false);
  });

  for (const [provider, page] of [
    ['html', `<title>${'A'.repeat(1_000_000)}</title>`],
    ['json', JSON.stringify({ title: 'A'.repeat(1_000_000) })],
    ['xml', `<title>${'A'.repeat(1_000_000)}</title>`],
  ] as const)
    test(`shows the start of a long text, with places where a browser may break it: ${provider}`, async () => {
      const { html } = await draw(page, { provider, records: { page: { key: 'title', fields: { title: 'title' } } } });
      const [, text = ''] = /<a href="#\d+">(.*?)<\/a>/.exec(html) ?? [];
      assert.equal(text.replaceAll('<wbr>', ''), `${'A'.repeat(2_000)}…`);
      assert.ok(Math.max(...text.split('<wbr>').map(({ length }) => length)) <= 101);
    });

  test('breaks no character and no reference in two', async () => {
    const { html } = await draw(`<p>${'&amp;\u{1F426}'.repeat(100)}</p>`);
    const [, text = ''] = /<a href="#\d+">(.*?)<\/a>/.exec(html) ?? [];
    assert.equal(text.replaceAll('<wbr>', ''), '&amp;\u{1F426}'.repeat(100));
    assert.ok(text.includes('<wbr>&amp;'));
  });

  test('marks what its fields are read from', async () => {
    const { html } = await draw('<ul><li><h2>Lamp</h2><b class=price>12 EUR</b></li><li><h2>Desk</h2></li></ul>', {
      records: offers,
    });
    assert.equal(html.match(/data-fields="offer"/g)?.length, 2);
    assert.equal(html.match(/<h2 class="read" data-fields="offer\.name">/g)?.length, 2);
    assert.equal(html.match(/data-fields="offer\.price"/g)?.length, 1);
  });

  test('is cut where it has more than is drawn, and each element is closed', async () => {
    const { html, isCut } = await draw(`<div>${'<p>some words of it</p>'.repeat(100_000)}</div>`);
    assert.equal(isCut, true);
    assert.ok(html.length < 4_000_000);
    assert.equal(html.match(/<p>/g)?.length, html.match(/<\/p>/g)?.length);
  });

  test('is drawn however deep its elements stand within each other', async () => {
    const { html } = await draw(`${'<div>'.repeat(100_000)}deep`);
    assert.ok((html.match(/<div>/g)?.length ?? 0) <= 200);
    assert.equal(html.match(/<div>/g)?.length, html.match(/<\/div>/g)?.length);
  });

  test('shows the values of JSON with their paths', async () => {
    const { html } = await draw('{"items":[{"name":"<b>Lamp</b>"}]}', {
      provider: 'json',
      records: { item: { key: 'name', each: '$.items[*]', fields: { name: '$.name' } } },
    });
    assert.match(html, /<small>\$\.items\[0\]\.name<\/small> <a href="#\d+">&lt;b&gt;Lamp&lt;\/b&gt;<\/a>/);
  });

  test('of XML names its elements', async () => {
    const { html } = await draw('<rss><script>alert(1)</script><item a="1"/></rss>', {
      provider: 'xml',
      records: { item: { key: 'name', each: 'item', fields: { name: '@a' } } },
    });
    assert.match(html, /<small>script<\/small> <a href="#\d+">alert\(1\)<\/a>/);
    assert.doesNotMatch(html.replaceAll(tag, ''), /[<>"]/);
  });
});

describe('a place that is chosen', () => {
  const page =
    '<ul><li class=offer><h2>Lamp</h2><b class="cost">12 EUR</b></li><li class=offer><h2>Desk</h2><b class="cost">99 EUR</b></li></ul><footer>Imprint</footer>';

  test('has rules that lead to it within its record, with what they give in all records', async () => {
    const first = await draw(page, { records: offers });
    const { picked } = await draw(page, { records: offers, pick: numberOf(first, '99 EUR') });
    assert.equal(picked?.name, 'b.cost');
    assert.equal(picked.text, '99 EUR');
    const [best] = picked.rules;
    assert.deepEqual(best, { record: 'offer', to: { css: '.cost' }, value: '99 EUR', matches: 1, found: 2, of: 2 });
  });

  test('is marked on the page', async () => {
    const first = await draw(page, { records: offers });
    const { html } = await draw(page, { records: offers, pick: numberOf(first, 'Desk') });
    assert.equal(html.match(/id="picked"/g)?.length, 1);
    assert.match(html, /<h2 class="read picked" data-fields="offer.name" id="picked"><a href="#\d+">Desk/);
  });

  test('outside all records has no rule', async () => {
    const first = await draw(page, { records: offers });
    const { picked } = await draw(page, { records: offers, pick: numberOf(first, 'Imprint') });
    assert.deepEqual([picked?.rules, picked?.isOutside], [[], true]);
  });

  test('has rules for its attributes as well', async () => {
    const linked = '<li><h2>Lamp</h2><a class=more href="/lamp" onclick="x()">More</a></li>';
    const first = await draw(linked, { records: offers });
    const { picked } = await draw(linked, { records: offers, pick: numberOf(first, 'More') });
    const attributes = picked?.rules.flatMap(({ to: { attr } }) => attr ?? []);
    assert.ok(attributes?.includes('href'));
    assert.ok(!attributes?.includes('onclick'));
  });

  test('of JSON has the path within its record', async () => {
    const json = '{"items":[{"name":"Lamp","price":12},{"name":"Desk","price":99}]}';
    const records = { item: { key: 'name', each: '$.items[*]', fields: { name: '$.name' } } };
    const first = await draw(json, { provider: 'json', records });
    const { picked } = await draw(json, { provider: 'json', records, pick: numberOf(first, '99') });
    assert.deepEqual(
      picked?.rules.map(({ to, found, of }) => [to.json, found, of]),
      [['$.price', 2, 2]],
    );
  });
});
