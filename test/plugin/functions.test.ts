import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PluginLogLine } from '../../src/plugin/protocol.ts';
import type { Ask } from '../../src/provider/define.ts';
import { failureOf, fixture, openPool, pageOf, valueOf, written } from './support.ts';

describe('what a plug-in gives', () => {
  const refused: readonly (readonly [text: string, failure: RegExp])[] = [
    [
      'a date',
      /^plugin_bad_result: reads-badly\.ts: read returned something unexpected: drafts\[0\]\.fields\.at: .*Date$/,
    ],
    ['an unknown key', /read returned something unexpected: unknown key "cursor"/],
    ['no drafts', /read returned something unexpected: missing, expected a mapping/],
    ['too many', /drafts: expected at most 10000 drafts, got 10001$/],
    ['too large', /^plugin_bad_result: .*gave 346\d{5} bytes of drafts, expected at most 33554432$/],
    [
      'a change of its input',
      /^plugin_threw: .*TypeError: Cannot add property 0, object is not extensible \(reads-badly\.ts:\d+\)$/,
    ],
    ['else', /^plugin_threw: reads-badly\.ts: read threw TypeError: did not expect else \(reads-badly\.ts:\d+\)$/],
  ];

  test('is refused with the function and the place when it is not what was promised', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const plugin = await fixture('reads-badly.ts');
    for (const [text, failure] of refused) {
      assert.match(failureOf(await pool.call(plugin, 'read', pageOf(text), { options: { seen: [] } })), failure);
    }
    const failure = { code: 'status', message: 'status 500', url: 'https://site.test/', status: 500 };
    assert.match(
      failureOf(await pool.call(plugin, 'onFailure', failure)),
      /onFailure returned something unexpected: .*one of retry/,
    );
    assert.match(
      failureOf(await pool.call(plugin, 'resolve', { url: 'https://a.test' })),
      /resolve returned .*: id: expected text, got 12/,
    );
    assert.match(
      failureOf(await pool.call(plugin, 'authenticate', {})),
      /^plugin_bad_module: .*authenticate is not among the functions/,
    );
    assert.equal((await pool.status()).started, 1);
  });

  test('may be a request of the web and no other', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const plugin = await fixture('reads-badly.ts');
    const request = async (url: string, more: object = {}) =>
      pool.call(plugin, 'request', { params: { url, more: JSON.stringify(more) }, page: 1 });
    const fine = { method: 'POST', headers: { Authorization: 'x' }, json: { a: [1, null] } };
    assert.deepEqual(valueOf(await request('https://a.test/', fine)), { url: 'https://a.test/', ...fine });
    for (const [url, more, message] of [
      ['', {}, /url: expected an absolute http or https URL, got ""/],
      ['file:///etc/passwd', {}, /url: expected an absolute http or https URL/],
      ['/relative', {}, /url: expected an absolute http or https URL/],
      ['https://a:b@c.test/', {}, /url: expected an absolute http or https URL/],
      ['https://a.test/', { method: 'DELETE' }, /method: expected one of GET, POST, got "DELETE"/],
      [
        'https://a.test/',
        { headers: { host: 'b.test' } },
        /headers\.host: expected a header that the connection does not set/,
      ],
      ['https://a.test/', { headers: { a: 'b\r\nc: d' } }, /headers\.a: expected a line of plain text/],
      ['https://a.test/', { form: {}, json: 1 }, /expected at most one of form and json/],
      ['https://a.test/', { agent: 'x' }, /unknown key "agent"/],
    ] as const) {
      assert.match(failureOf(await request(url, more)), message);
    }
  });

  test('is told apart by what is absent, what is cleared and what is unknown', async (context) => {
    const pool = await openPool(context);
    assert.deepEqual(valueOf(await pool.call(await fixture('reads-badly.ts'), 'read', pageOf('undefined'))), {
      drafts: [{ type: 'card', key: 'a', fields: { cleared: null, in: {} } }],
      finished: false,
      unparsed: [],
    });
  });

  test('comes whole and in order, however much it is', async (context) => {
    const pool = await openPool(context);
    const { drafts } = valueOf(await pool.call(await fixture('reads-badly.ts'), 'read', pageOf('many')));
    assert.deepEqual(
      drafts.map(({ key }) => key),
      Array.from({ length: 5_000 }, (_, index) => String(index)),
    );
  });
});

describe('what a plug-in gets', () => {
  test('are its options as its schema makes them, or why they are refused', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const plugin = await fixture('register.ts');
    const shape = valueOf(await pool.call(plugin, 'describe', {}, { options: { bored: 'west' } }));
    assert.deepEqual(shape.pageSize, { first: 100, later: 20 });
    assert.equal(shape.maxPages, 5);
    assert.deepEqual(
      shape.optionIssues.map(({ path }) => path),
      [['board'], []],
    );
    assert.equal(
      failureOf(
        await pool.call(plugin, 'resolve', { url: 'https://register.test/topic/a' }, { options: { board: 5 } }),
      ),
      'plugin_bad_options: register.ts: resolve refuses the options: options.board: expected text, got 5',
    );
  });

  test('is a page whose text is decoded by what it says itself', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const plugin = written(
      `export default { request: () => ({ url: 'https://a.test/' }),
         read: (page, { $ }) => ({ drafts: [{ type: 'a', key: $('b').text(), fields: {
           root: $.root().find('b').length, inner: $('b', $('i')).text(), again: $($('b')[0]).attr('id'), text: page.text } }] }) };`,
      'decodes.js',
    );
    const latin = new Uint8Array([...Buffer.from('<b id=x>caf'), 0xe9, ...Buffer.from('</b><i><b>in</b></i>')]).buffer;
    const page = { ...pageOf(''), headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body: latin };
    assert.deepEqual(valueOf(await pool.call(plugin, 'read', page)).drafts, [
      {
        type: 'a',
        key: 'caféin',
        fields: { root: 2, inner: 'in', again: 'x', text: '<b id=x>café</b><i><b>in</b></i>' },
      },
    ]);
    assert.equal(latin.detached, true);
  });

  test('is a way to log in, by requests and secrets of the daemon', async (context) => {
    const pool = await openPool(context);
    const asked: Ask[] = [];
    const lines: PluginLogLine[] = [];
    const outcome = await pool.call(
      await fixture('register.ts'),
      'authenticate',
      {},
      {
        options: { board: 'west' },
        services: {
          secret: (name) => (name === 'REGISTER_TOKEN' ? 'opensesame' : undefined),
          fetch(ask) {
            asked.push(ask);
            return Promise.resolve({ ok: true, page: pageOf('{"token":"t","seconds":60}') });
          },
          log: (line) => void lines.push(line),
        },
      },
    );
    assert.deepEqual(valueOf(outcome), { headers: { authorization: 'Bearer t' }, expiresInMs: 60_000 });
    assert.deepEqual(asked, [{ url: 'https://register.test/api/token', json: { password: 'opensesame' } }]);
    assert.deepEqual(lines, [{ level: 'info', message: 'logged in', data: { seconds: 60 } }]);
  });

  test('is a failure, to say what to do about', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const [plugin, options] = [await fixture('register.ts'), { board: 'west' }];
    const failure = { code: 'status', message: 'status 400', url: 'https://register.test/', status: 400 };
    const advice = async (text: string) =>
      valueOf(await pool.call(plugin, 'onFailure', { ...failure, text }, { options }));
    assert.equal(await advice('{"error":"Token Expired"}'), 'authenticate');
    assert.equal(await advice('bad'), undefined);
  });

  test('are rules like those of definitions, in the page and in its parts, with functions where it wants (P17)', async (context) => {
    const pool = await openPool(context, { threads: 1 });
    const plugin = await fixture('ruled.ts');
    const html =
      '<base href="/shop/"><i>Shop</i><p id=a><b>Lamp</b><a href=x>x</a><u>5</u></p><p id=b><b>Chair</b><u>five</u></p>';
    const read = valueOf(await pool.call(plugin, 'read', pageOf(html)));
    assert.deepEqual(read.drafts, [
      { type: 'card', key: 'a', fields: { title: 'LAMP', link: 'https://site.test/shop/x', price: 5, shop: 'Shop' } },
      { type: 'card', key: 'b', fields: { title: 'CHAIR', shop: 'Shop' } },
    ]);
    assert.deepEqual(
      read.unparsed.map(({ field, text }) => ({ field, text })),
      [{ field: 'price', text: 'five' }],
    );
    assert.match(
      failureOf(await pool.call(plugin, 'read', pageOf('<base href="/shop/"><i>Shop</i><p id=bad><b>bad</b></p>'))),
      /^plugin_threw: ruled\.ts: read threw RuleError: https:\/\/site\.test\/: the function of "title" threw: no such title/,
    );
  });
});
