import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { documentKinds } from '../../src/extract/document/all.ts';
import { fieldTypes } from '../../src/extract/value/all.ts';
import { loadDaemon, loadSources, parseSource } from '../../src/definition/load.ts';
import { loadProjects } from '../../src/definition/load-projects.ts';
import { sourceIdOf } from '../../src/definition/problem.ts';

const fixtures = join(import.meta.dirname, '../fixtures/definitions');

/** A folder of files that goes when the test ends. */
async function folderOf(files: Readonly<Record<string, string>>, context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'heronry-'));
  context.after(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const page = 'records: { page: { key: title, fields: { title: { css: h1 } } } }';

/** Problems of a source's text, as `line:column path: message`. */
function problemsOf(text: string, file = 'site.yaml'): string[] {
  const parsed = parseSource(text, file);
  return parsed.ok
    ? []
    : parsed.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

const types = [...Object.keys(fieldTypes), 'object', 'array'].join(', ');
const kinds = Object.keys(documentKinds).join(', ');

describe('a folder of definitions', () => {
  test('gives every good source, however bad another file is (B4)', async () => {
    const { sources, problems } = await loadSources(fixtures);
    assert.deepEqual(
      sources.map(({ id }) => id),
      ['kickfund', 'minimal'],
    );
    assert.deepEqual(
      [...new Set(problems.map(({ file }) => file))],
      [join(fixtures, 'broken.yaml'), join(fixtures, 'unclosed.yml')],
    );
  });

  test('that is not there is a problem, not an error', async () => {
    const { sources, problems } = await loadSources(join(fixtures, 'nowhere'));
    assert.deepEqual(sources, []);
    assert.equal(problems[0]?.message, 'there is no such file or folder');
  });

  test('holds one file per source: a second one is a problem of its own', async (context) => {
    const text = `id: site\nprovider: html\n${page}\n`;
    const { sources, problems } = await loadSources(
      await folderOf({ 'site.yaml': text, 'site.yml': text, '.hidden.yaml': 'no', 'notes.txt': 'no' }, context),
    );
    assert.equal(sources.length, 1);
    assert.deepEqual(
      problems.map(({ message }) => message),
      ['expected one file for source "site", got another'],
    );
  });

  test('refuses a file in another encoding than UTF-8', async (context) => {
    const text = Buffer.from(`id: site\nprovider: html\nname: caf\u00E9\n${page}\n`, 'latin1');
    const folder = await folderOf({}, context);
    await writeFile(join(folder, 'site.yaml'), text);
    const { sources, problems } = await loadSources(folder);
    assert.deepEqual(sources, []);
    assert.deepEqual(problems, [
      { file: join(folder, 'site.yaml'), line: 1, column: 1, path: '', message: 'expected text in UTF-8' },
    ]);
  });

  test('refuses a file of more than a mebibyte unread', async (context) => {
    const { problems } = await loadSources(await folderOf({ 'big.yaml': `# ${'x'.repeat(1024 * 1024)}` }, context));
    assert.equal(problems[0]?.message, 'expected at most 1048576 bytes, got 1048578');
  });
});

describe('a definition', () => {
  test('has all its defaults filled in', () => {
    const parsed = parseSource(`id: site\nprovider: html\n${page}`, 'site.yaml');
    assert.deepEqual(parsed, {
      ok: true,
      value: {
        id: 'site',
        provider: 'html',
        allowPrivate: false,
        tree: 'fast',
        politeness: {
          concurrency: 1,
          delay: 1_000,
          minDelay: 500,
          autoThrottle: { start: 5_000, max: 60_000, concurrency: 1 },
        },
        limits: {
          connect: 10_000,
          headers: 30_000,
          body: 30_000,
          total: 180_000,
          maxBytes: 32 * 1024 * 1024,
          extract: 5_000,
          collect: 21_600_000,
        },
        records: {
          page: { key: 'title', fields: { title: { css: 'h1', required: false, type: 'text' } }, nulls: 'clear' },
        },
        errorCeiling: 0.2,
        hold: { missing: true, empty: true, unusual: true },
        robots: 'obey',
        request: { headers: {} },
        retry: { times: 2, first: 10, longest: 60_000, within: 600_000 },
        render: 'http',
        repair: 'propose',
      },
    });
  });

  test('with many mistakes is told all of them at once, each with its line, column and path (P1)', async () => {
    const { problems } = await loadSources(fixtures);
    assert.deepEqual(
      problems
        .filter(({ file }) => file.endsWith('broken.yaml'))
        .map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`),
      [
        '1:5 id: expected the name of its file, "broken", got "brokn"',
        '2:7 name: expected text, got 12',
        `3:11 provider: expected one of ${kinds}, got "htlm"; did you mean "html"?`,
        '4:8 every: expected a duration like "15m" (ms, s, m, h or d), got 4',
        '5:1 evry: unknown key "evry"; did you mean "every"?',
        '6:6 url: expected each "{" to be closed by a "}", got "http://127.0.0.1:8080/{slug"',
        '7:28 politeness.concurrency: expected at least 1, got 0',
        '7:31 politeness.dlay: unknown key "dlay"; did you mean "delay"?',
        '9:13 limits.maxBytes: expected a size like "32MiB" (B, KiB, MiB, GiB or TiB), got "32MB"',
        '12:10 records.campaign.key: expected a declared field (slug, pledged, price, tags, live, bad name, n), got "slugg"; did you mean "slug"?',
        '14:20 records.campaign.fields.slug.css: expected a CSS selector, got "body >": nothing follows the last combinator',
        `15:39 records.campaign.fields.pledged.type: expected one of ${types}, got "mony"; did you mean "money"?`,
        '16:52 records.campaign.fields.price.currency: expected a currency of ISO 4217 like "EUR", got "XXQ"',
        '17:57 records.campaign.fields.tags.of.foo: unknown key "foo", expected one of type, enum, pattern, length',
        '18:48 records.campaign.fields.live.true: expected text or a list, got 5',
        '19:7 records.campaign.fields.bad name: expected a name of letters, digits and "_" that starts with a letter, got "bad name"',
        '20:10 records.campaign.fields.n: expected text or a list or a mapping, got 5',
        '21:3 records.empty.key: missing, expected text or a list',
        '21:20 records.empty.fields: expected at least one field, got {}',
        '22:21 finished.record: expected a declared record (campaign, empty), got "campain"; did you mean "campaign"?',
        '22:36 finished.when: expected text, got 5',
        '23:36 pulse.fields: missing the field "slugg", expected the key of record "campaign" among the fields',
        '23:47 pulse.fields.backers: expected a declared field (slug, pledged, price, tags, live, bad name, n), got "backers"',
        '23:66 pulse.url: expected only placeholders of the source\'s url, got "{nope}"',
      ],
    );
  });

  for (const [name, text, problem] of [
    ['that is not YAML', 'id: [a', /^1:7 : flow sequence in block collection must be/],
    [
      'with a text of two expressions without quotes',
      'id: site\nwebhook:\n  body: {name}: {price.amount}\n',
      /^3:15 : a text with \{ \} must stand in quotes \(expected a name before ":"\)$/,
    ],
    [
      'with a text of many expressions without quotes, once',
      'id: site\nwebhook:\n  body: {name}: {price.amount} {price.currency}, was {old.price}\n',
      /^3:32 : a text with \{ \} must stand in quotes \(unexpected [^)]*\)$/,
    ],
    [
      'with a text of one expression without quotes',
      'id: site\nwebhook:\n  body: {name}\n',
      /^3:10 : a text with \{ \} must stand in quotes \(expected ": " and a value behind name\)$/,
    ],
    ['with a key that is no name', 'id: site\n: x\n', /^2:1 : expected a name before ":"$/],
    ['with a key twice', 'id: site\nid: site', /^2:1 : expected each key once, "id" stands here again/],
    ['of several documents', 'id: site\n---\nid: site', /^2:1 : expected one document, got multiple documents$/],
    ['that says nothing', '# later', /^1:1 : missing, expected a mapping$/],
    ['that is a list', '- id: site', /^1:1 : expected a mapping, got \[/],
    [
      'that unfolds without end',
      'a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c]',
      /excessive alias/,
    ],
    ['with an alias of nothing', 'id: *nothing', /unresolved alias/],
    ['with a tag that nobody knows', 'id: !secret site', /unresolved tag/],
    [
      'of whose key one field is not declared',
      `id: site\nrecords:\n  page:\n    key: [live, name]\n    fields: { live: { css: b, type: boolean } }`,
      /^4:10 records.page.key: expected a declared field \(live\), got "name"$/,
    ],
    [
      'of whose key one field is the address of a file',
      `id: site\nrecords: { page: { key: photo, fields: { photo: { css: img, type: file } } } }`,
      /^2:25 records.page.key: expected a field that tells records apart, got "photo" of type file, whose address may change$/,
    ],
    [
      'whose key may be all content or a field called so',
      `id: site\nrecords:\n  page:\n    key: content\n    fields: { content: b }`,
      /^4:10 records.page.key: expected \[content\] for the field of that name, as "content" stands for all fields$/,
    ],
    [
      'with a pulse of a record that has no key of its own',
      `id: site\nrecords: { page: { key: content, fields: { a: b } } }\npulse: { record: page, fields: { a: b } }`,
      /^3:18 pulse.record: expected a record with a key of its own, got "page"$/,
    ],
    [
      'with a selector that does not compile',
      `id: site\nprovider: html\nrecords: { page: { key: t, fields: { t: { css: "a:frist" } } } }`,
      /^3:48 records.page.fields.t.css: expected a CSS selector, got "a:frist": there is no ":frist"$/,
    ],
    [
      'with a selector relative to nothing',
      `id: site\nprovider: html\nrecords: { page: { key: t, fields: { t: { css: "> a" } } } }`,
      /have nothing to relate to/,
    ],
    [
      'with another type in its pulse',
      `id: site\nprovider: html\n${page}\npulse: { record: page, fields: { title: { css: b, type: url } } }`,
      /^4:41 pulse.fields.title: expected the type that record "page" gives it, text, got url$/,
    ],
    [
      'that finishes by a field it does not have',
      `id: site\nprovider: html\n${page}\nfinished: { record: page, when: titel == "x" }`,
      /^4:33 finished.when: expected a declared field \(title\), got "titel"; did you mean "title"\?, at character 1$/,
    ],
    [
      'with a placeholder in the host',
      `id: site\nprovider: html\nurl: "http://{host}/"\n${page}`,
      /^3:6 url: expected no placeholder before the path/,
    ],
    [
      'with an address of another kind',
      `id: site\nprovider: html\nurl: "ftp://a.test/"\n${page}`,
      /^3:6 url: expected an http or https URL, got "ftp:/,
    ],
    [
      'with a password in its address',
      `id: site\nprovider: html\nurl: "http://me:secret@a.test/"\n${page}`,
      /^3:6 url: expected an http or https URL/,
    ],
    ['with a duration of no length', `id: site\nprovider: html\nevery: 0s\n${page}`, /^3:8 every: expected a duration/],
    [
      'with a duration beyond a year',
      `id: site\nprovider: html\nevery: 400d\n${page}`,
      /^3:8 every: expected a duration of 366d at most, got "400d"$/,
    ],
  ] as const) {
    test(`${name} is refused where the mistake stands`, () => {
      const problems = problemsOf(text);
      assert.ok(
        problems.some((each) => problem.test(each)),
        problems.join('\n'),
      );
    });
  }

  test('says what to put in quotes, and how a cell beside a heading is named', () => {
    const yaml = (rule: string): string =>
      `id: site\nprovider: html\nrecords: { page: { key: a, fields: { a: ${rule} } } }`;
    assert.deepEqual(problemsOf(yaml('@href')), [
      "3:41 : plain value cannot start with reserved character @: put it in quotes, such as '@href'",
    ]);
    assert.deepEqual(problemsOf(yaml('{ from: { row: Weight }, css: td }')), [
      '3:51 records.page.fields.a.from.row: unknown key "row": write `css: \'th:contains("…") + td\'` for the cell beside a heading',
    ]);
    assert.deepEqual(problemsOf(yaml('{ from: {}, css: td }')), [
      '3:49 records.page.fields.a.from: expected one of next, previous, parent, column, got {}',
    ]);
  });

  test('may not name its fields like parts of every object, nor refer to these', () => {
    assert.deepEqual(
      problemsOf(
        'id: site\nprovider: html\nrecords: { page: { key: toString, fields: { a: { css: b }, constructor: { css: b } } } }',
      ),
      [
        '3:25 records.page.key: expected a declared field (a, constructor), got "toString"',
        '3:60 records.page.fields.constructor: expected a name that is not reserved, got "constructor"',
      ],
    );
  });
});

describe('a project file', () => {
  const load = async (text: string, context: TestContext) =>
    loadProjects(join(await folderOf({ 'projects.yaml': text }, context), 'projects.yaml'));

  test('is a list of projects with their targets', async (context) => {
    const loaded = await load(
      '- id: solar\n  name: Solar\n  targets:\n    - { source: crowd, params: { slug: solar, year: 2026 }, every: 1h }\n    - { source: ads, url: "http://127.0.0.1/x" }\n',
      context,
    );
    assert.deepEqual(loaded, {
      ok: true,
      value: [
        {
          id: 'solar',
          name: 'Solar',
          labels: [],
          multiplier: 1,
          entry: 0,
          targets: [
            { source: 'crowd', params: { slug: 'solar', year: '2026' }, every: 3_600_000 },
            { source: 'ads', url: 'http://127.0.0.1/x' },
          ],
        },
      ],
    });
  });

  test('with any mistake gives no list, and every mistake', async (context) => {
    const loaded = await load(
      '- { id: a, targets: [{ source: x, url: "http://h/" }] }\n- { id: b, targets: [{ source: x, url: "http://h/", params: {} }] }\n- { id: c, targets: [], lables: [] }\n',
      context,
    );
    assert.ok(!loaded.ok);
    assert.deepEqual(
      loaded.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`),
      [
        '2 [1].targets[0]: expected at most one of "url" and "params", got {"source":"x","url":"http://h/","params":{}}',
        '3 [2].targets: expected at least 1 element, got []',
        '3 [2].lables: unknown key "lables"; did you mean "labels"?',
      ],
    );
  });

  test('has a project for each row of a table where its id names a column, each id once', async (context) => {
    const files = {
      'list.csv': 'sku\na\nb\n',
      'projects.yaml':
        '- { id: "p-{sku}", labels: [x], targets: { from: list.csv, source: shop } }\n- { id: p-c, targets: [{ source: shop, url: "http://h/" }] }\n',
    };
    const folder = await folderOf(files, context);
    const loaded = await loadProjects(join(folder, 'projects.yaml'));
    assert.deepEqual(loaded.ok && loaded.value.map(({ id, labels, entry }) => [id, labels, entry]), [
      ['p-a', ['x'], 0],
      ['p-b', ['x'], 0],
      ['p-c', [], 1],
    ]);
    await writeFile(join(folder, 'list.csv'), 'sku\na\nc\n');
    const twice = await loadProjects(join(folder, 'projects.yaml'));
    assert.deepEqual(twice.ok ? [] : twice.problems.map(({ line, message }) => `${line} ${message}`), [
      '2 expected each id once, got "p-c" as in [0]',
    ]);
    const open = await load('- { id: "p-{sku}", targets: [{ source: shop, url: "http://h/" }] }\n', context);
    assert.match(open.ok ? '' : (open.problems[0]?.message ?? ''), /^expected "\{sku\}" only where targets are/);
  });

  test('names each project once', async (context) => {
    const target = 'targets: [{ source: x, url: "http://h/" }]';
    const loaded = await load(`- { id: a, ${target} }\n- { id: a, ${target} }\n`, context);
    assert.deepEqual(!loaded.ok && loaded.problems.map(({ line, path, message }) => ({ line, path, message })), [
      { line: 2, path: '[1].id', message: 'expected each id once, got "a" again' },
    ]);
  });
});

describe('the configuration of the daemon', () => {
  const load = async (text: string, context: TestContext) =>
    loadDaemon(join(await folderOf({ 'heronry.yaml': text }, context), 'heronry.yaml'));
  const defaults = {
    data: 'data',
    sources: 'sources',
    bot: { name: 'Heronry' },
    scrape: { initialDelay: 1_000, every: 14_400_000, timeLimit: 600_000 },
    pulse: { every: 300_000 },
    inFlight: 256,
    steps: { keep: 100_000 },
    history: { changes: 100_000, detail: 90 * 86_400_000 },
    vault: { keep: 400 * 86_400_000, maxBytes: 20 * 1024 ** 3 },
    log: { level: 'info' },
  };

  test('is all defaults when the file says nothing', async (context) => {
    assert.deepEqual(await load('# all defaults\n', context), { ok: true, value: defaults });
  });

  test('changes what it names and keeps the rest', async (context) => {
    const loaded = await load('scrape: { every: 1h }\nthreads: 3\nsocket: /run/h.sock\n', context);
    assert.deepEqual(loaded, {
      ok: true,
      value: { ...defaults, scrape: { ...defaults.scrape, every: 3_600_000 }, threads: 3, socket: '/run/h.sock' },
    });
  });

  test('is refused by line where it is wrong', async (context) => {
    const loaded = await load('threads: none\nlog:\n  levle: info\n', context);
    assert.deepEqual(!loaded.ok && loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`), [
      '1:10 expected a number, got "none"',
      '3:3 unknown key "levle"; did you mean "level"?',
    ]);
  });
});

test('a definition file is of the source that it is named after, and no other path is of any', () => {
  const files = ['/sources/shop.yaml', 'sources\\shop.yml', '/sources', '/sources/shop.yaml/notes.txt'];
  assert.deepEqual(
    files.map((file) => sourceIdOf({ file })),
    ['shop', 'shop', undefined, undefined],
  );
});
