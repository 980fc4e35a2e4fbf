import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPool } from './many-pages.ts';
import { bodyOf, extracted, fieldOf, keyed, planFor, read, ruleOf } from './plan.ts';

/** Rules of every kind, so that each goes through the page. */
const plan = planFor(
  [
    keyed({
      text: { css: 'body' },
      raw: { css: 'body', take: 'spaced' },
      inner: { css: 'body', take: 'html' },
      markdown: { css: 'body', take: 'markdown' },
      outer: { css: '.key', take: 'outer' },
      first: { css: 'b > i:first-child' },
      has: { css: 'body:has(.key)', attr: 'class' },
      contains: { css: 'p:contains("bottom")' },
      far: { css: 'body .key' },
      path: { xpath: '//p[@class="key"]' },
      meta: { meta: 'og:title' },
      linked: { json: '$[*].name', in: 'ld+json' },
      items: { json: '$[*].type', in: 'microdata' },
      state: { json: '$.a', in: { variable: 'STATE' } },
      nested: { css: 'p', type: 'array', of: { fields: { key: '.key', up: 'body p' } } },
    }),
  ],
  { links: {}, next: ruleOf('a[rel=next] @href') },
);

const key = '<p class=key>bottom</p>';

describe('a hostile page', () => {
  for (const [what, html] of [
    ['of a hundred thousand nested tags', `${'<b>'.repeat(100_000)}${key}`],
    [
      'of a hundred thousand nested tags that are closed',
      `${'<div>'.repeat(100_000)}${key}${'</div>'.repeat(100_000)}`,
    ],
    ['of an attribute of ten megabytes', `<p title="${'x'.repeat(10_000_000)}"></p>${key}`],
    ['of a text of ten megabytes', `<p>${'x '.repeat(5_000_000)}</p>${key}`],
    [
      'of a hundred thousand attributes',
      `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(' ')}></p>${key}`,
    ],
    ['of a million entities', `<p>${'&amp;'.repeat(1_000_000)}</p>${key}`],
    ['of tags that never end', `${'<p title="'.repeat(100_000)}${'<'.repeat(100_000)}">${key}`],
    ['of stray end tags', `${'</p>'.repeat(100_000)}${key}`],
    [
      'of broken scripts',
      `${'<script type=application/ld+json>{"a":['.repeat(1_000)}</script><script>STATE = {{{{</script>${key}`,
    ],
    ['of nulls and broken encodings', `\u0001\ufffe${key}\udc00`.replace('\u0001', '')],
  ] as const) {
    test(`${what} ends in a result or a code`, { timeout: 30_000 }, async () => {
      const outcome = await read(html, plan);
      assert.ok(outcome.ok || outcome.failure.code !== 'extract_crashed');
      if (outcome.ok) assert.ok(outcome.extraction.drafts.length <= 1);
    });
  }

  test('of a million links ends with a code, and of fewer with so many as are told', { timeout: 30_000 }, async () => {
    const html = (links: number): string =>
      `${key}${Array.from({ length: links }, (_, n) => `<a href=/${n}></a>`).join('')}`;
    const linkPlan = planFor([keyed({})], { links: {} });
    const outcome = await read(html(1_000_000), linkPlan);
    assert.equal(outcome.ok || outcome.failure.code, 'too_many_parts');
    assert.equal((await extracted(html(100_000), linkPlan)).links?.length, 50_000);
  });

  test('that repeats itself in every element gives no more than a page may hold', { timeout: 30_000 }, async () => {
    const html = `${key}${'<div>'.repeat(2_000)}${'x'.repeat(90_000)}`;
    const { drafts, unparsed } = await extracted(html, planFor([keyed({ all: { css: 'div', type: 'array' } })]));
    assert.deepEqual(drafts[0]?.fields, { key: 'bottom' });
    assert.match(unparsed[0]?.expected ?? '', /no more than/);
  });

  test(
    'on which a selector climbs again and again ends with its time limit, and the next page is read',
    { timeout: 30_000 },
    async (context) => {
      const readPooled = await openPool(context, 1_500);
      const page = (html: string) => ({
        body: bodyOf(html),
        url: 'http://site.test/',
        plan: planFor([keyed({ x: { css: 'body b' } })]),
      });
      assert.deepEqual(await readPooled(page(`${key}${'<b>'.repeat(60_000)}`)), {
        ok: false,
        failure: { code: 'extract_timeout', afterMs: 1_500 },
      });
      assert.equal((await readPooled(page(key))).ok, true);
    },
  );

  for (const [document, body] of [
    ['html', '<br>'.repeat(8_000_000)],
    ['xml', `<r>${'<a/>'.repeat(7_000_000)}</r>`],
    ['json', `[${'0,'.repeat(15_000_000)}0]`],
    ['csv', '1,2\n'.repeat(7_000_000)],
  ] as const) {
    test(`of ${document} with more parts than any thread could hold is not parsed`, async () => {
      const outcome = await read(body, { ...planFor([]), document }, { contentType: `text/${document}` });
      assert.equal(outcome.ok ? undefined : outcome.failure.code, 'too_many_parts');
    });
  }

  for (const document of ['html', 'xml'] as const) {
    test(
      `of ${document} with more attributes than any thread could hold is not read`,
      { timeout: 30_000 },
      async () => {
        const names = Array.from({ length: 1_000_001 }, (_, n) => `a${n.toString(36)}=""`);
        const outcome = await read(
          `<p ${names.join(' ')}>`,
          { ...planFor([]), document },
          { contentType: `text/${document}` },
        );
        assert.deepEqual(outcome.ok ? undefined : outcome.failure, {
          code: 'too_many_parts',
          document,
          limit: 1_000_000,
        });
      },
    );
  }

  test('of a table counts the delimiter that its definition names', async () => {
    const plan = { ...planFor([]), document: 'csv', csv: { delimiter: '^' } } as const;
    const outcome = await read(`a^b\n${'^'.repeat(3_000_000)}`, plan, { contentType: 'text/csv' });
    assert.equal(outcome.ok ? undefined : outcome.failure.code, 'too_many_parts');
  });

  test('with names in an attribute of megabytes is read for the first of them', { timeout: 10_000 }, async () => {
    const many = 'a '.repeat(5_000_000);
    const html = `<meta name="og:title ${many}" content=t><p itemscope itemref="${many}" itemtype="${many}"></p>${key}`;
    const { drafts } = await extracted(html, planFor([keyed({ title: { meta: 'og:title' } })]));
    assert.deepEqual(drafts[0]?.fields, { key: 'bottom', title: 't' });
  });

  test('with a list of more elements than a list may hold loses it', async () => {
    const html = `${key}${'<i>x</i>'.repeat(10_001)}`;
    const { unparsed } = await extracted(html, planFor([keyed({ all: { css: 'i', type: 'array' } })]));
    assert.deepEqual(unparsed, [
      { record: 'thing', key: 'bottom', field: 'all', text: '10001 elements', expected: 'at most 10000 elements' },
    ]);
  });

  test('of XML names no file and unfolds no entity', async () => {
    const bomb =
      '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]><x><k>1</k><t>&b;&f;</t></x>';
    const record = { type: 'x', key: ['k'], fields: [fieldOf('k', 'k'), fieldOf('t', 't')] };
    const { drafts } = await extracted(bomb, planFor([record], { document: 'xml' }), {
      contentType: 'application/xml',
    });
    assert.equal(drafts[0]?.fields['t'], '&b;&f;');
  });
});
