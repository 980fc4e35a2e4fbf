import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { planOf } from '../../src/provider/plans.ts';
import { extracted } from './plan.ts';

const page =
  '<ul><li class="ad">Buy</li><li>One <b class="count">17</b>pc</li><li>Two<input type="hidden" name="csrf" value="x1"></li></ul>';

const whole =
  '{ page: { key: url, fields: { url: { page: url }, text: { css: ul, take: markdown }, html: { css: ul, take: html } } } }';

async function fieldsBy(definition: string, html = page): Promise<unknown> {
  const parsed = parseSource(`id: site\n${definition}`, 'site.yaml');
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const { drafts } = await extracted(html, planOf(parsed.value));
  return drafts.map((draft) => {
    const { url: _url, ...fields } = draft.fields;
    return fields;
  });
}

function problemsOf(definition: string): string {
  const parsed = parseSource(`id: site\n${definition}`, 'site.yaml');
  return parsed.ok ? 'none' : parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('\n');
}

describe('what a definition ignores', () => {
  for (const tree of ['fast', 'browser']) {
    test(`is in no text and no markup of the ${tree} tree`, async () => {
      const ignore = '[.ad, ".count, [name=csrf]"]';
      assert.deepEqual(await fieldsBy(`tree: ${tree}\nignore: ${ignore}\nrecords: ${whole}`), [
        { text: '- One pc\n- Two', html: '<li>One pc</li><li>Two</li>' },
      ]);
    });
  }

  test('is found as the page was written, so that what goes does not shift what is counted', async () => {
    const records = '{ item: { key: content, each: li, fields: { name: . } } }';
    assert.deepEqual(await fieldsBy(`ignore: ["li:nth-child(1)", "li:nth-child(2)"]\nrecords: ${records}`), [
      { name: 'Two' },
    ]);
  });

  test('takes what it holds with it, and is seen by no selector, XPath, link or JSON', async () => {
    const html =
      '<div id="ad"><a href="/x">x</a><script type="application/ld+json">{"name": "ad"}</script></div><p><a href="/y">y</a></p>';
    const fields = '{ css: a @href, xpath: //a, name: { json: "$[0].name", in: ld+json } }';
    assert.deepEqual(await fieldsBy(`ignore: ["#ad"]\nrecords: { it: { key: css, fields: ${fields} } }`, html), [
      { css: 'http://site.test/y', xpath: 'y' },
    ]);
  });

  test('leaves a page as it is where nothing matches', async () => {
    assert.deepEqual(await fieldsBy(`ignore: [.none]\nrecords: ${whole}`), await fieldsBy(`records: ${whole}`));
  });

  test('is refused where it cannot be: a broken selector, a document without elements, a plug-in', () => {
    assert.match(problemsOf(`ignore: ["h1["]\nrecords: ${whole}`), /ignore\[0\]: expected a CSS selector, got "h1\["/);
    const json = 'provider: json\nignore: [.ad]\nrecords: { it: { key: a, fields: { a: $.a } } }';
    assert.match(problemsOf(json), /ignore: expected it for pages with elements only/);
    assert.match(
      problemsOf('plugin: x.ts\nignore: [.ad]\nrecords: { it: { key: a, fields: { a: {} } } }'),
      /ignore: expected nothing here/,
    );
  });
});
