import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compilePlan } from '../../src/extract/compile.ts';
import { extract } from '../../src/extract/extract.ts';
import { bodyOf, extracted, fieldOf, keyed, planFor, read } from './plan.ts';

describe('a record on a page', () => {
  test('has the first match of each field, and every match of an array', async () => {
    const plan = planFor([keyed({ title: {}, tags: { css: '.tag', type: 'array', of: { type: 'text' } } })]);
    const { drafts } = await extracted(
      '<p class=key>a<p class=title>one<p class=title>two<i class=tag>x</i><i class=tag>y</i>',
      plan,
    );
    assert.deepEqual(drafts, [{ type: 'thing', key: 'a', fields: { key: 'a', title: 'one', tags: ['x', 'y'] } }]);
  });

  test('has dates that count from when its page came, with how much their texts say', async () => {
    const date = { type: 'date', locale: 'en' } as const;
    const plan = planFor([
      keyed({ seen: date, made: date, read: { filters: [{ date: { locale: 'en' } }], type: 'date' } }),
    ]);
    const html = '<p class=key>a<p class=seen>yesterday<p class=made>March 2017<p class=read>3 days ago';
    const { drafts } = await extracted(html, plan, { observedAt: Date.UTC(2026, 2, 14) });
    const fields = { key: 'a', seen: '2026-03-13', made: '2017-03-01', read: '2026-03-11' };
    assert.deepEqual(drafts, [{ type: 'thing', key: 'a', precision: { made: 'month' }, fields }]);
    const unknown = await extracted(html, plan);
    assert.deepEqual(unknown.drafts[0]?.fields, { key: 'a', made: '2017-03-01' });
    assert.match(unknown.unparsed[0]?.expected ?? '', /when the page came/);
  });

  test('leaves out an absent field and an empty one that is no text, and clears a text that is empty or lacks the attribute (P5, P10)', async () => {
    const plan = planFor([
      keyed({ title: {}, price: { type: 'money' }, note: {}, image: { css: 'img', attr: 'alt' } }),
    ]);
    const { drafts, absent, blank } = await extracted(
      '<p class=key>a</p><p class=price> &nbsp; </p><p class=note></p><img src=x>',
      plan,
    );
    assert.deepEqual(drafts[0]?.fields, { key: 'a', note: null, image: null });
    assert.deepEqual([absent, blank], [['thing.title'], ['thing.price']]);
  });

  test('names a field as empty where no record of the page says anything in it', async () => {
    const plan = planFor([keyed({ price: { type: 'money' } }, { each: { by: 'css', css: 'li' } })]);
    const item = (key: string, price: string): string => `<li><p class=key>${key}</p><p class=price>${price}</p></li>`;
    assert.equal((await extracted(item('a', '') + item('b', '€2'), plan)).blank, undefined);
    assert.equal((await extracted(item('a', '') + item('b', 'soon'), plan)).blank, undefined);
    assert.deepEqual((await extracted(item('a', '') + item('b', ''), plan)).blank, ['thing.price']);
  });

  test('loses a field whose text does not parse, and says so', async () => {
    const plan = planFor([keyed({ title: {}, backers: { type: 'integer' } })]);
    const { drafts, unparsed, absent } = await extracted(
      '<p class=key>a</p><p class=title>t</p><p class=backers>many\n people</p>',
      plan,
    );
    assert.deepEqual(drafts[0]?.fields, { key: 'a', title: 't' });
    assert.deepEqual(unparsed, [
      { record: 'thing', key: 'a', field: 'backers', text: 'many people', expected: 'a whole number' },
    ]);
    assert.deepEqual(absent, []);
  });

  test('loses an array of which an element does not parse, and leaves empty elements out of any other', async () => {
    const plan = planFor([keyed({ n: { type: 'array', of: { type: 'integer' } } })]);
    const whole = await extracted('<p class=key>a</p><b class=n>1</b><b class=n></b><b class=n>3</b>', plan);
    assert.deepEqual(whole.drafts[0]?.fields, { key: 'a', n: [1, 3] });
    const broken = await extracted('<p class=key>a</p><b class=n>1</b><b class=n>x</b>', plan);
    assert.deepEqual(broken.drafts[0]?.fields, { key: 'a' });
    assert.equal(broken.unparsed.length, 1);
  });

  test('takes a number for its key as text', async () => {
    const plan = planFor([{ ...keyed({ id: { type: 'integer' } }), key: ['id'] }]);
    const { drafts } = await extracted('<p class=id>1,042</p>', plan);
    assert.equal(drafts[0]?.key, '1042');
  });

  for (const [lacking, html, missing] of [
    ['its key', '<p class=title>t</p>', ['thing.key']],
    ['a required field', '<p class=key>a</p>', ['thing.title']],
    ['both, one being empty and one unreadable', '<p class=key> </p><p class=title>t</p>', ['thing.key']],
  ] as const) {
    test(`is none without ${lacking}, and a page with no record says what was missing`, async () => {
      const plan = planFor([keyed({ title: { required: true } })]);
      assert.deepEqual(await read(html, plan), { ok: false, failure: { code: 'no_record', missing }, excerpt: html });
    });
  }
});

describe('what a page may hold', () => {
  for (const [what, text, type] of [
    ['a text longer than 100,000 characters', 'x'.repeat(100_001), 'text'],
    ['JSON nested deeper than 64', `${'['.repeat(65)}${']'.repeat(65)}`, 'json'],
  ] as const) {
    test(`is not ${what}: that field is lost, the record is not`, async () => {
      const plan = planFor([keyed({ value: { type } })]);
      const { drafts, unparsed } = await extracted(`<p class=key>a</p><p class=value>${text}</p>`, plan);
      assert.deepEqual(drafts[0]?.fields, { key: 'a' });
      assert.deepEqual(
        unparsed.map(({ field, text: quoted }) => [field, quoted.length]),
        [['value', Math.min(200, text.length)]],
      );
    });
  }

  test('is not a key longer than 1,000 characters', async () => {
    const html = `<p class=key>${'k'.repeat(1_001)}</p>`;
    assert.deepEqual(await read(html, planFor([keyed({})])), {
      ok: false,
      failure: { code: 'no_record', missing: ['thing.key'] },
      excerpt: html,
    });
  });

  test('is no more than 10,000 records', async () => {
    const plan = planFor([keyed({}, { each: { by: 'css', css: '.row' } })]);
    const rows = Array.from({ length: 10_001 }, (_, row) => `<li class=row><p class=key>${row}</p></li>`);
    assert.deepEqual(await read(rows.join(''), plan), {
      ok: false,
      failure: { code: 'too_many_records', limit: 10_000 },
    });
    assert.equal((await extracted(rows.slice(1).join(''), plan)).drafts.length, 10_000);
  });

  test('is looked for no further than behind the first record that is too many', async () => {
    const plan = planFor([keyed({}, { each: { by: 'css', css: '.row' } })]);
    const rows = Array.from({ length: 11_000 }, (_, row) => `<li class=row><p class=key>${row}</p></li>`);
    let looked = 0;
    const watch = { item: () => void (looked += 1), field: () => undefined, done: () => undefined };
    const input = { body: bodyOf(rows.join('')), url: 'http://site.test/', contentType: 'text/html', plan };
    assert.equal((await extract(input, { watch })).ok, false);
    assert.equal(looked, 10_001);
  });
});

describe('several records on a page', () => {
  const cards =
    '<h1 class=title>page</h1>' +
    '<li class=card data-id=1><a class=title href=/one>One</a></li><li class=card data-id=2><i>no title</i></li>' +
    '<li class=card><a class=title>no id</a></li><li class=card data-id=1><a class=title>again</a></li>';
  const each = (rest: object = {}) =>
    planFor([
      {
        type: 'card',
        key: ['id'],
        each: { by: 'css', css: '.card' },
        fields: [fieldOf('id', '.card @data-id'), fieldOf('title', '.title')],
        ...rest,
      },
    ]);

  test('are one per match, in page order, each searched in its own match, and the first of one key counts', async () => {
    const { drafts, absent } = await extracted(cards, each());
    assert.deepEqual(drafts, [
      { type: 'card', key: '1', fields: { id: '1', title: 'One' } },
      { type: 'card', key: '2', fields: { id: '2' } },
    ]);
    assert.deepEqual(absent, []);
  });

  test('of one key that say different things are counted and told; those that say the same lose nothing', async () => {
    const { repeated, notes, drafts, refused } = await extracted(cards, each());
    assert.deepEqual([repeated, notes, drafts.length, refused], [1, ['Repeated key: card - 1'], 2, 1]);
    const card = '<li class=card data-id=1><a class=title>One</a></li>';
    const same = await extracted(card.repeat(3), each());
    assert.deepEqual([same.repeated, same.notes, same.items], [undefined, undefined, 3]);
    const different = [1, 2, 3, 4].map((n) => `<li class=card data-id=${n % 2}><a class=title>${n}</a></li>`);
    const two = await extracted(different.join(''), each());
    assert.deepEqual([two.repeated, two.notes], [2, ['Repeated key: card - 1']]);
  });

  test('are no record when nothing matches', async () => {
    assert.deepEqual(await read('<p>none</p>', each()), {
      ok: false,
      failure: { code: 'no_record', missing: ['card (.card)'] },
      excerpt: '<p>none</p>',
    });
  });

  test('may be of several types, of which one may be missing', async () => {
    const plan = planFor([
      keyed({}),
      {
        ...keyed({}),
        type: 'other',
        key: ['name'],
        fields: [fieldOf('name', '.name')],
      },
    ]);
    const { drafts, absent } = await extracted('<p class=name>n</p>', plan);
    assert.deepEqual(
      drafts.map(({ type }) => type),
      ['other'],
    );
    assert.deepEqual(absent, ['thing.key']);
  });
});

describe('the text of an element', () => {
  for (const [html, text, spaced, lines = spaced.replaceAll(' ', '\n')] of [
    ['a<br>b', 'ab', 'a b'],
    ['<div>a</div><div>b</div>', 'ab', 'a b'],
    ['<ul><li>a<li>b</ul>c', 'abc', 'a b c'],
    ['a<b>b</b>c', 'abc', 'abc'],
    ['a<script>x()</script><style>p{}</style>b<!-- no -->', 'ab', 'ab'],
    ['&lt;a&gt; &eacute;&#8364;', '<a> é€', '<a> é€', '<a> é€'],
    ['a<noscript>b</noscript>', 'ab', 'ab'],
    ['a <b> b </b> c', 'a b c', 'a b c', 'a b c'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><th>c\n d</table>', 'abc d', 'a b c d', 'a b\nc d'],
    ['<p>a\nb</p><pre>c\n\n  d</pre>', 'a bc\n\n  d', 'a b c d', 'a b\nc\nd'],
  ] as const) {
    test(`${html} is "${text}", and spaced it is "${spaced}", in lines "${lines}" (P8)`, async () => {
      for (const tree of ['fast', 'browser'] as const) {
        const fields = { spaced: { css: '.key', take: 'spaced' }, lines: { css: '.key', take: 'lines' } } as const;
        const { drafts } = await extracted(`<div class=key>${html}</div>`, planFor([keyed(fields)], { tree }));
        assert.deepEqual(drafts[0]?.fields, { key: text, spaced, lines });
      }
    });
  }

  for (const [filters, text] of [
    [[{ join: ', ' }], 'a, b, c'],
    [['upper', { join: '' }], 'ABC'],
    [[{ split: 'x' }, { join: '-' }], 'a'],
    [['trim'], 'a'],
  ] as const) {
    test(`of ${JSON.stringify(filters)} is that of all matches only where a filter joins them`, async () => {
      const { drafts } = await extracted(
        '<p class=key>k</p><i>a</i><i>b</i><i>c</i>',
        planFor([keyed({ all: { css: 'i', filters } })]),
      );
      assert.deepEqual(drafts[0]?.fields, { key: 'k', all: text });
    });
  }

  test('of a script is what stands in it, so that JSON can be read from there', async () => {
    const plan = planFor([keyed({ meta: { css: 'script#state', type: 'json' } })]);
    const { drafts } = await extracted(
      '<p class=key>a</p><script id=state type=application/json>{"a":"x  <b>y</b>"}</script>',
      plan,
    );
    assert.deepEqual(drafts[0]?.fields['meta'], { a: 'x  <b>y</b>' });
  });
});

describe('URLs on a page', () => {
  const plan = planFor([
    keyed({
      link: { css: 'a', type: 'url' },
      image: { css: 'img', type: 'url' },
      next: { css: 'a', attr: 'data-next', type: 'url' },
    }),
  ]);
  const page = '<p class=key>k</p><a href="../x?a=1&amp;b" data-next=n>text</a><img src=//cdn.test/i.png>';

  test('are what an element links to, relative to the page', async () => {
    const { drafts } = await extracted(page, plan);
    assert.deepEqual(drafts[0]?.fields, {
      key: 'k',
      link: 'http://site.test/x?a=1&b',
      image: 'http://cdn.test/i.png',
      next: 'http://site.test/list/n',
    });
  });

  test('are relative to its <base> where it has one', async () => {
    const { drafts } = await extracted(`<base href="/deep/er/">${page}`, plan);
    assert.equal(drafts[0]?.fields['link'], 'http://site.test/deep/x?a=1&b');
  });
});

describe('the two trees', () => {
  const html = '<p class=key>a</p><table><tr><td class=cell>1</td></tr></table><p>text<div class=title>in p?</div>';
  const plan = (tree: 'fast' | 'browser') => planFor([keyed({ row: { css: 'tbody > tr > .cell' } })], { tree });

  test('differ where a browser adds what the markup leaves out', async () => {
    assert.equal((await extracted(html, plan('fast'))).drafts[0]?.fields['row'], undefined);
    assert.equal((await extracted(html, plan('browser'))).drafts[0]?.fields['row'], '1');
  });
});

describe('selectors', () => {
  test('are compiled once per plan', () => {
    const plan = planFor([keyed({})]);
    assert.equal(compilePlan(plan), compilePlan(structuredClone(plan)));
  });

  test('of more plans than are kept are compiled again', () => {
    const first = planFor([keyed({})]);
    const compiled = compilePlan(first);
    for (let count = 0; count < 1_000; count += 1) compilePlan(planFor([keyed({})]));
    assert.notEqual(compilePlan(first), compiled);
  });

  test('find their way through a page nested twenty thousand levels deep', async () => {
    const deep = `<p class=title>top</p>${'<b>'.repeat(20_000)}<i class=key>bottom</i>`;
    const { drafts } = await extracted(deep, planFor([keyed({ title: {} })]));
    assert.equal(drafts[0]?.key, 'bottom');
  });
});
