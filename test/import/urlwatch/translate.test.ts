import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { createHash } from 'node:crypto';
import { openCache } from '../../../src/import/urlwatch/cache.ts';
import { importUrlwatch, JobsError } from '../../../src/import/urlwatch/translate.ts';
import { temporaryDirectory } from '../../control/daemon.ts';
import { contentOf, notesOf } from '../backup.ts';

type Mapping = Readonly<Record<string, unknown>>;

/** The rule for the text of the only job, which has an address and a name. */
function textOf(job: string): unknown {
  const imported = importUrlwatch(`name: Job\nurl: https://a.example/page\n${job}`);
  const { records } = contentOf(imported, 'sources/job.yaml') as {
    readonly records: { readonly page: { readonly fields: Mapping } };
  };
  return records.page.fields['text'];
}

const cut = { cut: 100_000 };

describe('the jobs of urlwatch', () => {
  const filters: readonly (readonly [string, object])[] = [
    ['', { css: 'html', take: 'outer', filters: ['lines', cut], required: true }],
    ['filter: [html2text]', { css: 'body', take: 'lines', filters: [cut], required: true }],
    ['filter: html2text,strip', { css: 'body', take: 'lines', filters: [cut], required: true }],
    [
      'filter: [{ css: "#a" }, html2text: re]',
      { css: '#a', take: 'lines', filters: [{ join: '\n' }, cut], required: true },
    ],
    [
      'filter: [{ element-by-id: a }, { element-by-tag: p }, html2text]',
      { css: '[id="a"] p', take: 'lines', filters: [{ join: '\n' }, cut], required: true },
    ],
    [
      'filter: "element-by-class:x,html2text,grepi:foo"',
      { css: '[class~="x"]', take: 'lines', filters: [{ join: '\n' }, { lines: { drop: 'foo' } }, cut] },
    ],
    [
      'filter: [{ css: { selector: a, maxitems: 1 } }, html2text]',
      { css: 'a', take: 'lines', filters: [cut], required: true },
    ],
    [
      'filter: [{ xpath: { path: //a, skip: 1, maxitems: 2 } }]',
      {
        xpath: '(//a)[position() > 1 and position() <= 3]',
        take: 'lines',
        filters: [{ join: '\n' }, cut],
        required: true,
      },
    ],
    [
      'filter: [html2text, { grep: "v\\\\d" }, { re.sub: { pattern: "(a)", repl: "\\\\1$\\\\g<0>" } }]',
      {
        css: 'body',
        take: 'lines',
        filters: [{ lines: { keep: String.raw`v\d` } }, { replace: { from: '(a)', to: '$1$$$&' } }, cut],
      },
    ],
    [
      'filter: [html2text, { re.findall: "v[0-9]+" }, sort, remove-duplicate-lines]',
      {
        css: 'body',
        take: 'lines',
        filters: [
          { replace: { from: '(?s:.*?)(v[0-9]+)|(?s:.+)', to: '$1\n' } },
          'lines',
          { lines: { sort: true } },
          { lines: { unique: true } },
          cut,
        ],
      },
    ],
    [
      'filter: [html2text, { re.findall: { pattern: "v(\\\\d)", repl: "no. \\\\1" } }]',
      {
        css: 'body',
        take: 'lines',
        filters: [
          { replace: { from: String.raw`(?s:.*?)(v(\d))|(?s:.+)`, to: '$1\n' } },
          'lines',
          { replace: { from: String.raw`v(\d)`, to: 'no. $1' } },
          cut,
        ],
      },
    ],
    ['filter: [{ jq: ".a[0].b" }]', { json: '$["a"][0]["b"]', type: 'json', required: true }],
  ];
  for (const [job, text] of filters)
    test(`read a page by ${job || 'no filter'}`, () => {
      assert.deepEqual(textOf(job), text);
    });

  test('give a source and a project each, with what is sent, and list what has no counterpart', () => {
    const imported = importUrlwatch(`
name: Lamps
url: "https://a.example/list#1"
tags: [shops, lamps]
timeout: 600
encoding: latin1
headers: { Accept-Language: de, Authorization: Bearer geheim }
cookies: { session: geheim }
https_proxy: http://me:geheim@proxy.example:3128
filter: [{ css: { selector: ul, exclude: .ad, sort: true } }, html2text, { shellpipe: "tr a b # geheim" }]
diff_tool: wdiff
compared_versions: 3
max_tries: 2
ignore_connection_errors: true
---
navigate: https://b.example/app#/x
wait_for: .ready
useragent: Mine/2
enabled: false
---
command: cat /etc/passwd
---
url: https://c.example/f.pdf
filter: [pdf2text]
---
url: https://c.example/notes.txt
data: { a: 1 }
---
- 1
---
url: [x
---
{ url: "ftp://c.example/" }
`);
    assert.deepEqual(
      imported.watches.map(({ id, isTracked }) => [id, isTracked]),
      [
        ['lamps', true],
        ['b-example-app', false],
        ['c-example-notes-txt', true],
      ],
    );
    assert.deepEqual(contentOf(imported, 'sources/lamps.yaml'), {
      id: 'lamps',
      name: 'Lamps',
      url: 'https://a.example/list',
      tree: 'browser',
      ignore: ['.ad'],
      encoding: 'latin1',
      request: { headers: { 'accept-language': 'de' } },
      auth: { type: 'bearer', scheme: 'Bearer', token: { secret: 'LAMPS_TOKEN' } },
      proxy: { url: 'http://proxy.example:3128/', user: 'me', password: { secret: 'LAMPS_TOKEN' } },
      limits: { total: '180s' },
      records: {
        page: {
          key: 'watch',
          fields: {
            watch: { const: 'lamps' },
            text: {
              css: 'ul',
              take: 'lines',
              filters: [{ join: '\n' }, { lines: { sort: true } }, cut],
              required: true,
            },
          },
        },
      },
    });
    const app = contentOf(imported, 'sources/b-example-app.yaml') as Mapping;
    assert.deepEqual(
      [app['url'], app['render'], app['userAgent']],
      ['https://b.example/app#/x', { in: 'browser', do: [{ wait: '.ready' }] }, 'Mine/2'],
    );
    const notes = contentOf(imported, 'sources/c-example-notes-txt.yaml') as Mapping;
    assert.deepEqual([notes['provider'], notes['request']], ['text', { method: 'POST', fields: { a: '1' } }]);
    assert.deepEqual(contentOf(imported, 'projects-urlwatch.yaml'), [
      { id: 'lamps', name: 'Lamps', labels: ['shops', 'lamps'], targets: [{ source: 'lamps' }] },
      { id: 'c-example-notes-txt', targets: [{ source: 'c-example-notes-txt' }] },
    ]);
    const told = notesOf(imported);
    for (const each of [
      /Lamps: its cookies/,
      /shellpipe: definitions run no programs/,
      /diff_tool/,
      /compared_versions/,
      /max_tries/,
      /line 2\d: the watch: it watches what a program prints/,
      /its filter pdf2text/,
      /no mapping/,
      /it is no YAML/,
      /none of http or https/,
    ])
      assert.match(told.join('\n'), each);
    assert.doesNotMatch(told.join('\n'), /ignore_connection_errors/);
    assert.doesNotMatch(JSON.stringify([imported.files, imported.notes]), /geheim/);
  });

  test('list a key that is not known, whatever it is called', () => {
    const imported = importUrlwatch('url: https://a.example/\nconstructor: x\nvalueOf: y\n');
    assert.deepEqual(notesOf(imported), [
      'a.example: constructor: this key is not known',
      'a.example: valueOf: this key is not known',
    ]);
  });

  test('that expand without end, or are none, are refused or listed', () => {
    const bomb = [
      'a: &a [x]',
      ...Array.from(
        { length: 30 },
        (_, each) =>
          `b${each}: &b${each} [${Array(9)
            .fill(each === 0 ? '*a' : `*b${each - 1}`)
            .join(', ')}]`,
      ),
    ];
    assert.match(notesOf(importUrlwatch(bomb.join('\n'))).join(), /aliases/);
    assert.throws(() => importUrlwatch(''), JobsError);
    assert.throws(() => importUrlwatch('---\n'.repeat(10_002)), JobsError);
  });

  test('have the texts of the database as their history', async (t) => {
    const file = join(await temporaryDirectory(t), 'cache.db');
    const database = new DatabaseSync(file);
    database.exec(
      'CREATE TABLE CacheEntry (id INTEGER PRIMARY KEY, guid TEXT, timestamp INTEGER, data TEXT, tries INTEGER, etag TEXT)',
    );
    const add = database.prepare('INSERT INTO CacheEntry (guid, timestamp, data, tries) VALUES (?, ?, ?, ?)');
    const guid = createHash('sha1').update('https://a.example/#1').digest('hex');
    add.run(guid, 1_700_000_100, 'two\n\n  lines ', null);
    add.run(guid, 1_700_000_000, 'one', 0);
    add.run(guid, 1_700_000_200, 'failed', 3);
    add.run(guid, 2n ** 60n, 'of no likely instant', 0);
    add.run('other', 1_700_000_200, 'of another', 0);
    database.close();
    const cache = openCache(file);
    t.after(() => cache.close());
    const imported = importUrlwatch('url: "https://a.example/#1"\nfilter: [html2text]', cache.snapshots);
    const histories = [];
    for await (const each of imported.histories) histories.push(each);
    assert.deepEqual(histories, [
      {
        source: 'a-example',
        url: 'https://a.example/',
        type: 'page',
        key: 'a-example',
        versions: [
          { at: 1_700_000_000_000, fields: { watch: 'a-example', text: 'one' } },
          { at: 1_700_000_100_000, fields: { watch: 'a-example', text: 'two\nlines' } },
        ],
      },
    ]);
    assert.throws(() => openCache(join(file, 'none')), { name: 'CacheError' });
    assert.throws(() => openCache(import.meta.filename), { name: 'CacheError' });
  });

  test('tell of a database that is damaged as of one that is none', async (t) => {
    const file = join(await temporaryDirectory(t), 'cache.db');
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE CacheEntry (guid TEXT, timestamp INTEGER, data TEXT, tries INTEGER)');
    const add = database.prepare("INSERT INTO CacheEntry VALUES ('a', ?, ?, 0)");
    for (let each = 0; each < 100; each += 1) add.run(1_700_000_000 + each, 'x'.repeat(1_000));
    database.close();
    const bytes = await readFile(file);
    await writeFile(file, bytes.fill(255, 8_192));
    const cache = openCache(file);
    t.after(() => cache.close());
    assert.throws(() => [...cache.snapshots('a')], { name: 'CacheError' });
  });
});
