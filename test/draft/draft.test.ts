import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseSource } from '../../src/definition/load.ts';
import { definitionText } from '../../src/draft/definition.ts';
import { draftOf } from '../../src/draft/draft.ts';

const url = 'https://shop.example/p/solar';

function draft(text: string) {
  return draftOf({ body: new TextEncoder().encode(text), url });
}

const word = fc.oneof(
  fc.constantFrom('price', 'card', 'title', 'sku', '€1.50', '2026-01-02', 'a b', "it's", '"', '{x}', '#', ': '),
  fc.string(),
);
const attribute = fc.tuple(
  fc.constantFrom('class', 'id', 'href', 'itemprop', 'itemtype', 'property', 'content', 'data-id'),
  word,
);
const tag = fc.constantFrom('div', 'li', 'a', 'h2', 'tr', 'td', 'table', 'meta', 'img', 'time', 'b', 'title');

const markup = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    word,
    fc
      .tuple(
        tag,
        fc.array(attribute, { maxLength: 3 }),
        fc.array(tie('node'), { maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
      )
      .map(([name, attributes, inner, times]) => {
        const given = attributes.map(([key, value]) => ` ${key}="${value.replaceAll('"', '&quot;')}"`).join('');
        return `<${name}${given}>${inner.join('')}</${name}>`.repeat(times);
      }),
  ),
})).node;

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));

async function isValid(text: string): Promise<void> {
  const drafted = await draft(text);
  if (drafted.record === undefined && drafted.provider !== 'rss') return;
  const definition = definitionText(drafted, { id: 'shop', url });
  const loaded = parseSource(definition, 'shop.yaml');
  assert.ok(loaded.ok, `${definition}\n${JSON.stringify(loaded)}`);
}

describe('a draft', () => {
  test('is a valid definition, whatever the page holds', async () => {
    await fc.assert(fc.asyncProperty(markup, isValid), { numRuns: 300 });
  });

  test('is a valid definition, whatever an ld+json block, a JSON document or a table holds', async () => {
    const block = fc.jsonValue({ maxDepth: 3 }).map((value) => {
      const thing = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { name: value };
      return `<script type="application/ld+json">${JSON.stringify([{ '@type': 'Product', sku: 'x', ...thing }])}</script>`;
    });
    const objects = fc.array(fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }), { maxLength: 4 });
    const list = objects.map((items) => JSON.stringify({ items: items.map((item, id) => ({ id, ...item })) }));
    const csv = fc.array(
      fc.array(
        word.map((cell) => cell.replaceAll(/[";\r\n]/g, '')),
        { minLength: 2, maxLength: 4 },
      ),
      { minLength: 2 },
    );
    const table = csv.map((rows) => rows.map((row) => row.join(';')).join('\n'));
    await fc.assert(fc.asyncProperty(fc.oneof(block, json, list, table), isValid), { numRuns: 300 });
  });

  test('of a page that is nested very deep, or has very many alike, comes in time', async () => {
    const pages = [
      '<div class="x">'.repeat(20_000),
      '<tr><td>'.repeat(20_000),
      `<ul class="list">${'<li class="card"><a href="/a">name</a></li>'.repeat(50_000)}</ul>`,
      `<div class="card">${'<b class="x">'.repeat(20_000)}</div>`.repeat(3),
    ];
    for (const page of pages) {
      const startedAt = performance.now();
      await draft(`<h1>t</h1>${page}`);
      assert.ok(performance.now() - startedAt < 10_000);
    }
  });

  test('prefers things that are described to blocks, and tells what else is there', async () => {
    const cards = ['A', 'B', 'C']
      .map((name) => `<div class="card"><h3><a href="/${name}">${name} card</a></h3></div>`)
      .join('');
    const thing = '<script type="application/ld+json">{"@type":"Product","sku":"S","name":"Solar"}</script>';
    const { record, found } = await draft(`${thing}${cards}`);
    assert.equal(record?.type, 'product');
    assert.deepEqual(found, ['1 of product described as ld+json', '3 repeated blocks div.card']);
  });

  test('takes no shop, no list of crumbs and no menu for a record', async () => {
    const shop =
      '<script type="application/ld+json">[{"@type":"Organization","name":"x"},{"@type":"BreadcrumbList","name":"y"}]</script>';
    const menu = `<nav>${['a', 'b', 'c'].map((name) => `<a class="entry" href="/${name}">${name} entry</a>`).join('')}</nav>`;
    const { record } = await draft(`${shop}${menu}<h1>Solar</h1>`);
    assert.equal(record?.key, 'title');
  });
});
