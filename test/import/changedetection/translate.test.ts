import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotli, contentOf, importOf, importWatch, notesOf, settings, uuid, watchOf } from '../backup.ts';

/** The definition of the only watch. */
interface Definition {
  readonly [key: string]: unknown;
  readonly records: { readonly page: { readonly fields: { readonly text: Readonly<Record<string, unknown>> } } };
}

const whole = { css: 'body', take: 'lines', filters: [{ cut: 100_000 }], required: true };

describe('a backup of changedetection.io', () => {
  test('gives a source and a project for each watch, of the new form and of the old one', async (t) => {
    const watches = {
      [uuid(1)]: watchOf({ url: 'https://shop.example/terms', title: 'Terms & Co', tag: 'legal, shops' }),
    };
    const old = JSON.stringify({ watching: watches, ...(JSON.parse(settings()) as object) });
    for (const entries of [
      [['url-watches.json', old]],
      [
        ['url-list.txt', 'https://shop.example/terms\r\n'],
        ['changedetection.json', settings()],
        [`${uuid(1)}/watch.json`, JSON.stringify(watches[uuid(1)])],
        [`${uuid(1)}/last-screenshot.png`, 'x'],
      ],
      // What a migration has left.
      [
        ['url-watches.json', JSON.stringify({ watching: { [uuid(2)]: watchOf({ url: 'https://gone.example/' }) } })],
        ['changedetection.json', settings()],
        [`${uuid(1)}/watch.json`, JSON.stringify(watches[uuid(1)])],
      ],
    ] as const) {
      const imported = await importOf(t, entries);
      assert.deepEqual(imported.watches, [{ id: 'terms-co', watch: 'Terms & Co', isTracked: true, versions: 0 }]);
      assert.deepEqual(contentOf(imported, 'sources/terms-co.yaml'), {
        id: 'terms-co',
        name: 'Terms & Co',
        url: 'https://shop.example/terms',
        tree: 'browser',
        records: { page: { key: 'watch', fields: { watch: { const: 'terms-co' }, text: whole } } },
      });
      assert.deepEqual(contentOf(imported, 'projects-changedetection.yaml'), [
        {
          id: 'terms-co',
          name: 'Terms & Co',
          labels: ['legal', 'shops'],
          every: '3h',
          targets: [{ source: 'terms-co' }],
        },
      ]);
      assert.deepEqual(notesOf(imported), []);
    }
  });

  test('with a watch that is none, or malformed in part, gives the others, and lists what is wrong', async (t) => {
    const imported = await importOf(t, [
      ['changedetection.json', settings()],
      [`${uuid(1)}/watch.json`, '{"url": '],
      [`${uuid(2)}/watch.json`, '[1]'],
      [`${uuid(3)}/watch.json`, '{"title": "no address"}'],
      [
        `${uuid(4)}/watch.json`,
        JSON.stringify(watchOf({ url: 'https://a.example/', headers: 'x=secret', ignore_text: 5 })),
      ],
      [`${uuid(5)}/watch.json`, JSON.stringify(watchOf({ url: 'https://b.example/{{ now }}' }))],
      [`${uuid(6)}/watch.json`, JSON.stringify(watchOf({ url: 'file:///etc/passwd' }))],
      [`${uuid(7)}/watch.json`, JSON.stringify(watchOf({ url: 'https://c.example/', processor: 'image_ssim_diff' }))],
      [`${uuid(8)}/watch.json`, JSON.stringify(watchOf({ url: 'https://d.example/', shiny_new: { on: true } }))],
    ]);
    assert.deepEqual(
      imported.watches.map(({ id }) => id),
      ['a-example', 'd-example'],
    );
    assert.deepEqual(notesOf(imported), [
      `all: the file ${uuid(1)}/watch.json: it is no JSON`,
      `${uuid(2)}: the watch: it has no address, or is no mapping`,
      `${uuid(3)}: the watch: it has no address, or is no mapping`,
      'a.example: ignore_text: it is not of the form that the tool writes (invalid type)',
      'a.example: headers: it is not of the form that the tool writes (invalid type)',
      'b.example/%7B%7B%20now%20%7D%7D: the watch: its address is a template',
      '/etc/passwd: the watch: its address is none of http or https',
      'c.example: the watch: its processor is image_ssim_diff, which compares no texts',
      'd.example: shiny_new: this setting is not known',
    ]);
    assert.doesNotMatch(JSON.stringify(imported), /x=secret/);
  });

  const texts: readonly (readonly [string, object, object, object?])[] = [
    [
      'a selector',
      { include_filters: ['.price'] },
      { ...whole, css: '.price', filters: [{ join: '\n' }, { cut: 100_000 }] },
    ],
    [
      'several selectors',
      { include_filters: ['h1', 'p:-soup-contains("x")'] },
      { ...whole, css: 'h1, p:contains("x")', filters: [{ join: '\n' }, { cut: 100_000 }] },
    ],
    [
      'an XPath',
      { include_filters: ['//h1', 'xpath:/html/body/p', 'xpath1://b'] },
      {
        take: 'lines',
        required: true,
        xpath: '//h1 | /html/body/p | //b',
        filters: [{ join: '\n' }, { cut: 100_000 }],
      },
    ],
    [
      'the selector of old versions',
      { css_filter: '#a' },
      { ...whole, css: '#a', filters: [{ join: '\n' }, { cut: 100_000 }] },
    ],
    [
      'texts to ignore',
      { ignore_text: ['Visitors: (1)', '/^\\d+ views$/', ''] },
      {
        css: 'body',
        take: 'lines',
        filters: [{ lines: { drop: String.raw`(?:(?i:Visitors: \(1\))|(?i:^\d+ views$))` } }, { cut: 100_000 }],
      },
    ],
    [
      'texts to ignore over lines',
      { ignore_text: ['/BEGIN.*?END/s'] },
      { css: 'body', take: 'lines', filters: [{ replace: { from: '(?s:BEGIN.*?END)', to: '' } }, { cut: 100_000 }] },
    ],
    [
      'texts to extract',
      { extract_text: ['/v(\\d+)\\.(\\d+)/'] },
      {
        css: 'body',
        take: 'lines',
        filters: [
          { replace: { from: String.raw`(?s:.*?)((?i:v(\d+)\.(\d+)))|(?s:.+)`, to: '$2$3\n' } },
          'lines',
          { cut: 100_000 },
        ],
      },
    ],
    [
      'lines to keep, in order and once',
      { extract_lines_containing: ['sale'], sort_text_alphabetically: true, remove_duplicate_lines: true },
      {
        css: 'body',
        take: 'lines',
        filters: [{ lines: { keep: '(?i:sale)' } }, { lines: { unique: true, sort: true } }, { cut: 100_000 }],
      },
    ],
    [
      'JSON',
      { include_filters: ['json:$.price'], 'content-type': 'application/json' },
      { json: '$.price', type: 'json', required: true },
      { provider: 'json' },
    ],
    [
      'JSON of many values',
      { include_filters: ['jq:.items[].name'], 'content-type': 'application/json' },
      { json: '$["items"][*]["name"]', type: 'array', of: { type: 'json' }, required: true },
      { provider: 'json' },
    ],
    [
      'JSON without a filter',
      { 'content-type': 'application/json' },
      { json: '$', type: 'json', required: true },
      { provider: 'json' },
    ],
    [
      'JSON in a page',
      { include_filters: ['json:$.offers.price'] },
      { json: '$.offers.price', in: 'ld+json', type: 'json', required: true },
    ],
    [
      'a plain text',
      { 'content-type': 'text/plain' },
      { json: '$.text', filters: ['lines', { cut: 100_000 }], required: true },
      { provider: 'text' },
    ],
    [
      'the source of a page',
      { url: 'source:https://shop.example/terms' },
      { json: '$.text', filters: ['lines', { cut: 100_000 }], required: true },
      { provider: 'text' },
    ],
    [
      'a feed',
      { 'content-type': 'application/rss+xml', include_filters: ['//item/title'] },
      { xpath: '//item/title', take: 'lines', filters: [{ join: '\n' }, { cut: 100_000 }], required: true },
      { provider: 'xml' },
    ],
  ];
  for (const [what, own, text, document = { tree: 'browser' }] of texts)
    test(`has ${what} read as there`, async (t) => {
      const imported = await importWatch(t, own);
      assert.deepEqual(notesOf(imported), []);
      const definition = contentOf(imported, 'sources/terms.yaml') as Definition;
      assert.deepEqual(definition.records.page.fields.text, text);
      for (const [key, value] of Object.entries(document)) assert.equal(definition[key], value);
    });

  const lost: readonly (readonly [string, object, RegExp])[] = [
    [
      'a filter that is no XPath 1.0',
      { include_filters: ['xpath://a[matches(., "x")]'] },
      /the filter "xpath:\/\/a\[matches/,
    ],
    [
      'jq beyond paths',
      { include_filters: ['jq:.a | map(.b)'], 'content-type': 'application/json' },
      /only paths such as/,
    ],
    [
      'a pattern that is no RE2',
      { ignore_text: ['/a(?=b)/'] },
      /the text to ignore "\/a\(\?=b\)\/": it is no regular expression of RE2/,
    ],
    ['an XPath of elements to remove', { subtractive_selectors: ['//div'] }, /taken out by CSS selectors/],
    ['selectors beside XPaths', { include_filters: ['h1', '//p'] }, /the first that finds something/],
    ['changes against all history', { check_unique_lines: true }, /check_unique_lines/],
    ['added lines alone', { filter_text_removed: false }, /filter_text_removed/],
    ['the texts of notifications', { notification_body: '{{ diff }}' }, /templates of Jinja/],
    ['a PDF', { 'content-type': 'application/pdf' }, /its page is a PDF/],
    ['another method', { method: 'DELETE' }, /its method is DELETE/],
    ['a body of another form', { method: 'POST', body: '<a/>' }, /neither JSON nor the fields/],
    ['a secret in a body', { method: 'POST', body: 'user=a&password=geheim' }, /the field "password" of its body/],
    [
      'a secret deep in JSON',
      { method: 'POST', body: '{"as": [{"user": "a", "password": "geheim"}]}' },
      /the field "password" of its body/,
    ],
    ['cookies', { headers: { Cookie: 'session=geheim' } }, /its cookies/],
    ['a proxy that is not there', { proxy: 'home' }, /its proxy/],
    ['JavaScript', { fetch_backend: 'html_webdriver', webdriver_js_execute_code: 'x()' }, /its JavaScript/],
    ['a language model', { llm_intent: 'prices only' }, /llm_intent/],
    [
      'a similarity',
      { conditions: [{ field: 'levenshtein_ratio', operator: '<', value: '0.9' }] },
      /the condition on "levenshtein_ratio"/,
    ],
  ];
  for (const [what, own, note] of lost)
    test(`lists ${what} as not taken`, async (t) => {
      const imported = await importWatch(t, own);
      assert.match(notesOf(imported).join('\n'), note);
      assert.doesNotMatch(JSON.stringify([imported.files, imported.notes]), /geheim/);
    });

  const many = (text: string) => Array.from({ length: 60 }, (_, each) => `${text} ${each}`);

  test('drops lines of very many texts by several filters', async (t) => {
    const imported = await importWatch(t, { ignore_text: many('a text that is ignored') });
    assert.deepEqual(notesOf(imported), []);
    const text = JSON.stringify(contentOf(imported, 'sources/terms.yaml'));
    assert.equal(text.match(/"drop":/g)?.length, 2);
    for (const each of [0, 30, 59]) assert.match(text, new RegExp(`ignored ${each}\\)`));
  });

  const tooMany: readonly (readonly [string, object, RegExp])[] = [
    ['texts of lines to keep', { extract_lines_containing: many('a text to keep') }, /keep after the first 4\d/],
    ['texts to extract', { extract_text: many('a text to extract') }, /extract after the first \d\d/],
    [
      'selectors',
      { include_filters: many('.some-class > p.other').map((each) => each.replace(/ (?=\d)/, '')) },
      /after the first 3\d/,
    ],
    [
      'selectors and XPaths',
      { include_filters: ['.a', ...many('//p').map((each) => each.replace(' ', ''))] },
      /after the first 20/,
    ],
  ];
  for (const [what, own, note] of tooMany)
    test(`takes the first of too many ${what}, and lists that there are others`, async (t) => {
      const imported = await importWatch(t, own);
      assert.equal(imported.watches.length, 1);
      assert.match(notesOf(imported).join('\n'), note);
    });

  test('whose project would not be valid is a source without one, and leaves the projects of others valid', async (t) => {
    const texts = Array.from({ length: 500 }, (_, each) => `a text that triggers ${each}`);
    const imported = await importWatch(t, { trigger_text: texts });
    assert.deepEqual(
      imported.files.map(({ path }) => path),
      ['sources/terms.yaml'],
    );
    assert.deepEqual(imported.watches[0]?.isTracked, false);
    assert.deepEqual(notesOf(imported), ['Terms: its project: it would not be valid (rules.wanted.when: too big)']);
  });

  test('has each snapshot at its instant, whatever paths its index has and however it is compressed', async (t) => {
    const imported = await importWatch(t, { ignore_text: ['Visitors'] }, {}, [
      [
        `${uuid(1)}/history.txt`,
        '1700000000,/datastore/x/one.txt\n1700000100,two.txt.br\r\n1700000200,../../three.txt\n1700000300,lost.txt\n1700000400,shot.png\nnonsense\n99,one.txt\n',
      ],
      [`${uuid(1)}/one.txt`, '  Terms\n\n  * Returns   within 30 days.\nVisitors: 7\n'],
      [`${uuid(1)}/two.txt.br`, brotli('Terms\nReturns within 14 days.\nVisitors: 8')],
      [`${uuid(1)}/three.txt.br`, brotli('Terms\nNo returns.')],
      ['three.txt', 'not of the watch'],
    ]);
    const histories = [];
    for await (const each of imported.histories) histories.push(each);
    assert.deepEqual(histories, [
      {
        source: 'terms',
        url: 'https://shop.example/terms',
        type: 'page',
        key: 'terms',
        versions: [
          { at: 1_700_000_000_000, fields: { watch: 'terms', text: 'Terms\nReturns within 30 days.' } },
          { at: 1_700_000_100_000, fields: { watch: 'terms', text: 'Terms\nReturns within 14 days.' } },
          { at: 1_700_000_200_000, fields: { watch: 'terms', text: 'Terms\nNo returns.' } },
        ],
      },
    ]);
    assert.deepEqual(notesOf(imported), [
      'Terms: 2 of its snapshots: the backup has no such file, or their instants are not likely',
      'Terms: 1 of its snapshots: they are no texts',
    ]);
  });

  test('has the newest snapshots alone where there are very many', async (t) => {
    const index = Array.from({ length: 10_003 }, (_, each) => `${1_700_000_000 + each},a.txt`).join('\n');
    const imported = await importWatch(t, {}, {}, [
      [`${uuid(1)}/history.txt`, index],
      [`${uuid(1)}/a.txt`, 'a'],
    ]);
    assert.equal(imported.watches[0]?.versions, 10_000);
    assert.deepEqual(notesOf(imported), ['Terms: 3 of its snapshots: the newest 10000 are taken']);
  });
});
