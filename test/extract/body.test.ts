import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decode } from '../../src/extract/decode.ts';
import { bodyOf, extracted, keyed, planFor, read } from './plan.ts';

const plan = planFor([keyed({})]);

describe('the charset of a page', () => {
  const page = (text: string, head = ''): string => `<html><head>${head}</head><p class=key>${text}</p>`;
  const bytes = (...parts: readonly string[]): ArrayBuffer => bodyOf(parts.join(''), 'latin1');

  for (const [name, body, contentType, text] of [
    ['is what the header says', bodyOf(page('caf\u00e9'), 'latin1'), 'text/html; charset=ISO-8859-1', 'café'],
    ['is Windows-1252 where it is user-defined', bytes(page('caf\xe9')), 'text/html; charset=X-User-Defined', 'café'],
    ['may be quoted in the header', bodyOf(page('café')), 'text/html; charset="utf-8"', 'café'],
    [
      'is what a mark of byte order says, whatever the header says',
      bytes('\xef\xbb\xbf', page('caf\xc3\xa9')),
      'text/html; charset=iso-8859-1',
      'café',
    ],
    ['is UTF-16 after its mark of byte order', bodyOf(`\ufeff${page('café')}`, 'utf16le'), 'text/html', 'café'],
    [
      'is what a <meta> says when the header says nothing',
      bytes(page('\xcb\xcf\xd4', '<meta charset=koi8-r>')),
      'text/html',
      'кот',
    ],
    [
      'is what a <meta> says far down in the head',
      bytes(page('\xcb\xcf\xd4', `<script>${'x'.repeat(5_000)}</script><meta charset=koi8-r>`)),
      'text/html',
      'кот',
    ],
    [
      'is what an old <meta> says',
      bytes(page('\x83e', '<meta http-equiv=content-type content="text/html; charset=shift_jis">')),
      'text/html',
      'テ',
    ],
    [
      'is what the header says rather than a <meta>',
      bodyOf(page('café', '<meta charset=koi8-r>')),
      'text/html; charset=utf-8',
      'café',
    ],
    ['is UTF-8 when nobody says and the bytes are', bodyOf(page('café — €')), 'text/html', 'café — €'],
    [
      'is Windows-1252 when nobody says and the bytes are not UTF-8',
      bytes(page('\x80 5 caf\xe9')),
      'text/html',
      '€ 5 café',
    ],
    [
      'is guessed when the header names one that nobody knows',
      bodyOf(page('café')),
      'text/html; charset=bogus',
      'café',
    ],
  ] as const) {
    test(name, async () => {
      const { drafts } = await extracted(body, plan, { contentType });
      assert.equal(drafts[0]?.key, text);
    });
  }

  test('may be said by a definition, whatever the header says', async () => {
    const given = planFor([keyed({})], { encoding: 'windows-1251' });
    const { drafts } = await extracted(bytes(page('\xea\xee\xf2')), given, { contentType: 'text/html; charset=utf-8' });
    assert.equal(drafts[0]?.key, 'кот');
  });

  test('that is wrong loses what it cannot say, and tells it', async () => {
    const broken = planFor([keyed({ name: { css: 'b' }, list: { css: 'i', type: 'array' } })]);
    const body = bytes(page('a'), '<b>caf\xe9</b><i>x</i><i>\xe9</i>');
    const { drafts, unparsed, notes } = await extracted(body, broken, { contentType: 'text/html; charset=utf-8' });
    assert.deepEqual(drafts[0]?.fields, { key: 'a' });
    const expected = 'text whose bytes are of the charset utf-8';
    assert.deepEqual(unparsed, [
      { record: 'thing', key: 'a', field: 'name', text: 'caf\ufffd', expected },
      { record: 'thing', key: 'a', field: 'list', text: '\ufffd', expected },
    ]);
    assert.deepEqual(notes, ["Bytes that are not of the page's charset: utf-8"]);
  });

  test('that is right keeps a character that stands for others in the page itself', async () => {
    const { drafts, notes } = await extracted(bodyOf(page('a\ufffd')), plan, {
      contentType: 'text/html; charset=utf-8',
    });
    assert.deepEqual([drafts[0]?.key, notes], ['a\ufffd', undefined]);
  });

  test('is not what a document without markup quotes', async () => {
    const { text } = decode(Buffer.from('{"page": "<meta charset=koi8-r> café"}'), 'application/json');
    assert.equal(text, '{"page": "<meta charset=koi8-r> café"}');
  });

  for (const [label, written, text] of [
    ['iso-2022-jp', '\x1b$BF|K\\\x1b(B', '日本'],
    ['x-sjis', '\x93\xfa\x96\x7b', '日本'],
    ['gb2312', '\xd6\xd0', '中'],
    ['big5', '\xa4\xa4', '中'],
    ['ks_c_5601-1987', '\xc7\xd1', '한'],
    ['cp1252', '\x80\x99', '€™'],
    ['latin2', '\xb9', 'š'],
    ['x-mac-cyrillic', '\xea\xee', 'ко'],
  ] as const)
    test(`may be called ${label} by a header, a <meta> and a definition`, () => {
      assert.equal(decode(Buffer.from(written, 'latin1'), `text/html; charset=${label}`).text, text);
      assert.equal(decode(Buffer.from(written, 'latin1'), undefined, label).text, text);
      const marked = Buffer.from(`<meta charset=${label}>${written}`, 'latin1');
      assert.equal(decode(marked, 'text/html').text, `<meta charset=${label}>${text}`);
    });
});

describe('a body', () => {
  const html = '<p class=key>a</p>';
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]).buffer;

  test('of no bytes, or of white space alone, is empty', async () => {
    for (const body of ['', ' \n\t ', '\ufeff'])
      assert.deepEqual(await read(body, plan), { ok: false, failure: { code: 'empty' } });
  });

  for (const contentType of [
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'text/plain',
    'application/octet-stream',
  ]) {
    test(`of markup called ${contentType} is read`, async () => {
      assert.equal((await extracted(html, plan, { contentType })).drafts.length, 1);
    });
  }

  test('of markup with a stray control character or a few is read, and not one of many', async () => {
    const { drafts } = await extracted(bodyOf(html.replace('<', '\u0007\u0008\u001f<')), plan, {
      contentType: 'text/html',
    });
    assert.equal(drafts.length, 1);
    const many = bodyOf(html.replace('<', `${'\u0001\u0002'.repeat(40)}<`));
    const refused = { ok: false, failure: { code: 'not_html', mediaType: 'binary content called text/html' } };
    assert.deepEqual(await read(many, plan, { contentType: 'text/html' }), refused);
  });

  test('of markup without a media type is read', async () => {
    const outcome = await read(html, plan, { contentType: '' });
    assert.ok(outcome.ok);
  });

  for (const [body, contentType, mediaType] of [
    [bodyOf('{"a":1}'), 'application/json; charset=utf-8', 'application/json'],
    [bodyOf(html), 'image/png', 'image/png'],
    [png, 'text/html', 'binary content called text/html'],
    [bodyOf('%PDF-1.7\n'), 'text/html', 'binary content called text/html'],
    [png, '', 'binary content'],
    [bodyOf('just text'), 'text/plain', 'text/plain'],
    [bodyOf('{"a":1}'), '', 'text without a tag'],
  ] as const) {
    test(`of ${body.byteLength} bytes called "${contentType}" is not HTML: ${mediaType}`, async () => {
      assert.deepEqual(await read(body, plan, { contentType }), {
        ok: false,
        failure: { code: 'not_html', mediaType },
      });
    });
  }
});
