import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { decodeBody } from '../../../src/extract/decode.ts';
import type { RequestBody } from '../../../src/fetch/request.ts';
import { type Answer, openSite } from '../../support/site.ts';
import { failureOf, openClient, pageOf, textOf } from '../support.ts';

/** Answers with the method, the content type and the body of the request. */
const echo: Answer = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  void once(request, 'end').then(() =>
    response.end(`${request.method} ${request.headers['content-type']} ${Buffer.concat(chunks).toString()}`),
  );
};

describe('the head of an answer', () => {
  test('by which a challenge is told from content comes along, and no more of it', async (t) => {
    const headers = { 'cf-mitigated': 'challenge', 'x-other': 'y', 'content-type': 'text/html' };
    const site = await openSite(t, { '/': { status: 403, headers, body: 'x' } });
    const { signs } = await openClient(t)(site.url('/'));
    assert.deepEqual(signs, { 'content-type': 'text/html', 'cf-mitigated': 'challenge' });
  });

  test('that says that something else has answered makes no page of it, whatever its status', async (t) => {
    const site = await openSite(t, {
      '/': { status: 202, headers: { 'x-amzn-waf-action': 'captcha' }, body: '<h1>Lamp</h1>' },
    });
    assert.deepEqual(failureOf(await openClient(t)(site.url('/'))), {
      code: 'status',
      status: 202,
      excerpt: '<h1>Lamp</h1>',
    });
  });
});

describe('a request with a body', () => {
  const bodies: readonly (readonly [RequestBody, string])[] = [
    [{ form: { q: 'a b&c', tag: ['x', 'ü'] } }, 'POST application/x-www-form-urlencoded q=a+b%26c&tag=x&tag=%C3%BC'],
    [{ json: { query: 'ü', page: [1, null] } }, 'POST application/json {"query":"ü","page":[1,null]}'],
    [{ text: 'ü' }, 'POST text/plain; charset=utf-8 ü'],
    [{ text: '' }, 'POST text/plain; charset=utf-8 '],
  ];
  for (const [body, expected] of bodies) {
    test(`says what it is and brings it: ${JSON.stringify(body)}`, async (t) => {
      const site = await openSite(t, { '/': echo });
      assert.equal(textOf(await openClient(t)(site.url('/'), { body })), expected);
    });
  }

  test('may say otherwise by its own method and headers', async (t) => {
    const site = await openSite(t, { '/': echo });
    const request = { method: 'PUT', headers: { 'Content-Type': 'application/graphql' }, body: { text: '{ a }' } };
    assert.equal(textOf(await openClient(t)(site.url('/'), request)), 'PUT application/graphql { a }');
  });
});

describe('a request without a body', () => {
  test('may have any method', async (t) => {
    const site = await openSite(t, { '/': echo });
    assert.equal(textOf(await openClient(t)(site.url('/'), { method: 'DELETE' })), 'DELETE undefined ');
    assert.equal(textOf(await openClient(t)(site.url('/'), { method: 'HEAD' })), '');
  });
});

describe('an URL', () => {
  test('of 2,083 characters is asked for, and a longer one is not (O54)', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const fetch = openClient(t);
    const url = site.url('/?').padEnd(2_083, 'x');
    assert.equal(textOf(await fetch(url)), 'hello');
    assert.deepEqual(failureOf(await fetch(`${url}x`)), { code: 'url_too_long', length: 2_084, limit: 2_083 });
    assert.equal(site.asked.length, 1);
  });

  test('counts as it is sent, not as it is spelled', async (t) => {
    const failure = failureOf(await openClient(t)(`http://127.0.0.1:9/${'ü'.repeat(400)}`));
    assert.equal(failure.code, 'url_too_long');
  });
});

describe('a conditional request', () => {
  const validators = { etag: 'W/"1"', lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' };

  test('brings the validators of the copy, and its answer may be that nothing changed', async (t) => {
    const site = await openSite(t, { '/': { status: 304, headers: { etag: 'W/"2"', 'set-cookie': 'a=1' } } });
    const outcome = await openClient(t)(site.url('/'), { validators });
    assert.equal(site.asked[0]?.headers['if-none-match'], validators.etag);
    assert.equal(site.asked[0]?.headers['if-modified-since'], validators.lastModified);
    assert.equal(outcome.kind, 'unmodified');
    if (outcome.kind !== 'unmodified') return;
    assert.equal(outcome.observedAt, 1_000);
    assert.deepEqual(outcome.validators, { ...validators, etag: 'W/"2"' });
    assert.deepEqual(outcome.setCookies, ['a=1']);
    assert.equal(outcome.cost.status, 304);
  });

  test('may be answered by a new page, which has validators of its own', async (t) => {
    const site = await openSite(t, { '/': { headers: { etag: '"3"' }, body: 'new' }, '/none': 'new' });
    const fetch = openClient(t);
    assert.deepEqual(pageOf(await fetch(site.url('/'), { validators })).validators, { etag: '"3"' });
    assert.equal(pageOf(await fetch(site.url('/none'), { validators })).validators, undefined);
  });

  test('leaves out validators that are too long to keep', async (t) => {
    const site = await openSite(t, {
      '/': { headers: { etag: `"${'x'.repeat(2_000)}"`, 'last-modified': 'yesterday' } },
    });
    assert.deepEqual(pageOf(await openClient(t)(site.url('/'))).validators, { lastModified: 'yesterday' });
  });

  test('is needed: nothing can be unmodified that was not asked for so', async (t) => {
    const site = await openSite(t, { '/': { status: 304 } });
    assert.deepEqual(failureOf(await openClient(t)(site.url('/'))), { code: 'status', status: 304 });
  });
});

describe('cookies', () => {
  const cookies = ['a=1; expires=Thu, 01 Jan 2026 00:00:00 GMT', 'b=2, and more; path=/'];
  for (const [status, kind] of [
    [200, 'page'],
    [302, 'redirect'],
    [401, 'failure'],
  ] as const) {
    test(`come back one by one with a ${kind}, and in no other header`, async (t) => {
      const site = await openSite(t, {
        '/': (_, response) => void response.writeHead(status, { 'set-cookie': cookies, location: '/next' }).end('text'),
      });
      const outcome = await openClient(t)(site.url('/'));
      assert.equal(outcome.kind, kind);
      assert.deepEqual(outcome.setCookies, cookies);
      if (outcome.kind === 'page') assert.equal(outcome.page.headers['set-cookie'], undefined);
      if (outcome.kind === 'redirect') assert.equal(outcome.status, 302);
    });
  }

  test('are none where none are set', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    assert.deepEqual((await openClient(t)(site.url('/'))).setCookies, []);
    assert.deepEqual((await openClient(t)('no url')).setCookies, []);
  });
});

describe('a failure of status', () => {
  async function excerptOf(t: Parameters<typeof openSite>[0], answer: Answer): Promise<string | undefined> {
    const site = await openSite(t, { '/': answer });
    const failure = failureOf(await openClient(t)(site.url('/')));
    return failure.code === 'status' ? failure.excerpt : assert.fail(failure.code);
  }

  test('tells what the site said about it, as one line (J60)', async (t) => {
    const answer = { status: 503, body: '<h1>Maintenance</h1>\r\n\t<p>Back\0 soon &amp; well</p>\n' };
    assert.equal(await excerptOf(t, answer), '<h1>Maintenance</h1> <p>Back soon &amp; well</p>');
  });

  test('tells no more than 2,000 characters of it', async (t) => {
    assert.equal((await excerptOf(t, { status: 404, body: 'ü'.repeat(50_000) }))?.length, 2_000);
  });

  test('reads it in the charset that its head names', async (t) => {
    const headers = { 'content-type': 'text/html; charset="iso-8859-1"' };
    assert.equal(await excerptOf(t, { status: 404, headers, body: Buffer.from('für', 'latin1') }), 'für');
    const unknown = { 'content-type': 'text/html; charset=klingon' };
    assert.equal(await excerptOf(t, { status: 404, headers: unknown, body: 'für' }), 'für');
  });

  for (const [encoding, encode] of Object.entries({
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  })) {
    test(`decodes it, and a bomb only as far as is needed (${encoding})`, async (t) => {
      const headers = { 'content-encoding': encoding };
      assert.equal(await excerptOf(t, { status: 500, headers, body: encode('no database') }), 'no database');
      const bomb = encode(Buffer.alloc(50_000_000, 'x'));
      assert.equal((await excerptOf(t, { status: 500, headers, body: bomb }))?.length, 2_000);
    });
  }

  for (const [what, answer] of Object.entries({
    'no body': { status: 500 },
    'only blanks': { status: 500, body: '\r\n \0' },
    'an encoding that nobody knows': { status: 500, headers: { 'content-encoding': 'rot13' }, body: 'uryyb' },
    'nonsense for an encoding': { status: 500, headers: { 'content-encoding': 'gzip' }, body: 'plain' },
  })) {
    test(`has no excerpt of ${what}`, async (t) => assert.equal(await excerptOf(t, answer), undefined));
  }
});

describe('the charset of a page', () => {
  test('reaches those who read it, though it changes from one response to the next', async (t) => {
    const pages = [
      { charset: 'iso-8859-1', bytes: Buffer.from('für', 'latin1') },
      { charset: 'utf-8', bytes: Buffer.from('für') },
      { charset: 'utf-16le', bytes: Buffer.from('für', 'utf16le') },
    ];
    const site = await openSite(t);
    const fetch = openClient(t);
    for (const { charset, bytes } of pages) {
      site.answer('/', { headers: { 'content-type': `text/html; charset=${charset}` }, body: bytes });
      const { body, headers } = pageOf(await fetch(site.url('/')));
      assert.equal(decodeBody(new Uint8Array(body), headers['content-type']), 'für', charset);
    }
  });
});
