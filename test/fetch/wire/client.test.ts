import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { BodyBudget } from '../../../src/fetch/body-budget.ts';
import { createClient } from '../../../src/fetch/wire/client.ts';
import { openSite } from '../../support/site.ts';
import { failureOf, openClient, pageOf, textOf } from '../support.ts';
import { defaultLimits } from '../../support/politeness.ts';

describe('a page', () => {
  test('comes with its status, its headers in lower case and the instant of its head', async (t) => {
    const site = await openSite(t, { '/': { status: 203, headers: { 'X-Twice': 'yes' }, body: 'hello' } });
    const page = pageOf(await openClient(t)(site.url('/')));
    assert.equal(page.url, site.url('/'));
    assert.equal(page.status, 203);
    assert.equal(page.headers['x-twice'], 'yes');
    assert.equal(page.observedAt, 1_000);
    assert.equal(page.encodedBytes, 5);
    assert.equal(new TextDecoder().decode(page.body), 'hello');
  });

  test('has a body that owns its memory and can be moved to a thread', async (t) => {
    const site = await openSite(t, { '/small': 'small', '/large': 'large '.repeat(500_000) });
    const fetch = openClient(t);
    for (const path of ['/small', '/large']) {
      const { body } = pageOf(await fetch(site.url(path)));
      const moved = structuredClone(body, { transfer: [body] });
      assert.equal(body.detached, true);
      assert.equal(moved.byteLength, path === '/small' ? 5 : 3_000_000);
    }
  });

  for (const path of ['/none', '/empty']) {
    test(`without content is an empty page (${path.slice(1)})`, async (t) => {
      const site = await openSite(t, {
        '/none': { status: 204 },
        '/empty': { headers: { 'content-encoding': 'gzip', 'content-length': '0' } },
      });
      assert.equal(pageOf(await openClient(t)(site.url(path))).body.byteLength, 0);
    });
  }

  const encodings = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
    'x-gzip': gzipSync,
    identity: (text: Uint8Array) => text,
  } as const;
  for (const [encoding, encode] of Object.entries(encodings)) {
    test(`is decoded from ${encoding}`, async (t) => {
      const body = encode(Buffer.from('many words '.repeat(50_000)));
      const site = await openSite(t, { '/': { headers: { 'content-encoding': encoding }, body } });
      const outcome = await openClient(t)(site.url('/'));
      assert.equal(textOf(outcome), 'many words '.repeat(50_000));
      assert.equal(pageOf(outcome).encodedBytes, body.byteLength);
    });
  }

  test('is decoded from a deflate that is bare of its zlib header', async (t) => {
    const site = await openSite(t, {
      '/': { headers: { 'content-encoding': 'deflate' }, body: deflateRawSync('bare') },
    });
    assert.equal(textOf(await openClient(t)(site.url('/'))), 'bare');
  });

  test('may have as many bytes as the limit, and no more', async (t) => {
    const site = await openSite(t, { '/at': 'x'.repeat(100_000), '/over': 'x'.repeat(100_001) });
    const fetch = openClient(t);
    assert.equal(textOf(await fetch(site.url('/at'), { limits: { maxBytes: 100_000 } })).length, 100_000);
    const over = await fetch(site.url('/over'), { limits: { maxBytes: 100_000 } });
    assert.deepEqual(failureOf(over), { code: 'too_large', limitBytes: 100_000 });
  });

  test('may be preceded by informational responses', async (t) => {
    const site = await openSite(t, {
      '/': (_, response) => {
        response.writeEarlyHints({ link: '</style.css>; rel=preload' });
        response.end('at last');
      },
    });
    assert.equal(textOf(await openClient(t)(site.url('/'))), 'at last');
  });
});

describe('a request', () => {
  test('names the encodings it can read, and its own headers win over those of the client', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    await openClient(t)(site.url('/?q=1#fragment'), { headers: { 'User-Agent': 'another', cookie: 'a=b' } });
    assert.equal(site.asked[0]?.path, '/?q=1');
    assert.equal(site.asked[0]?.headers['accept-encoding'], 'gzip, deflate, br, zstd');
    assert.equal(site.asked[0]?.headers['user-agent'], 'another');
    assert.equal(site.asked[0]?.headers['cookie'], 'a=b');
  });

  test('is reported sent once, before its response comes', async (t) => {
    const told: string[] = [];
    const site = await openSite(t, {
      '/': (_, response) => {
        told.push('asked');
        response.end();
      },
    });
    await openClient(t)(site.url('/'), { onSent: () => told.push('sent') });
    assert.deepEqual(told, ['sent', 'asked']);
  });

  test('uses the connection of the one before it', async (t) => {
    const ports = new Set<number | undefined>();
    const site = await openSite(t, {
      '/': (request, response) => {
        ports.add(request.socket.remotePort);
        response.end('hello');
      },
      '/gone': (request, response) => {
        ports.add(request.socket.remotePort);
        response.writeHead(404).end('a short apology');
      },
    });
    const fetch = openClient(t);
    await fetch(site.url('/gone'));
    await new Promise(setImmediate);
    await fetch(site.url('/'));
    assert.equal(ports.size, 1);
  });

  test('that cannot be written is an error of ours', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    await assert.rejects(openClient(t)(site.url('/'), { headers: { cookie: 'a\r\nb: c' } }), {
      code: 'UND_ERR_INVALID_ARG',
    });
  });

  test('that was cancelled before it began asks nobody', async (t) => {
    const site = await openSite(t, { '/': 'hello' });
    const outcome = await openClient(t)(site.url('/'), { signal: AbortSignal.abort() });
    assert.deepEqual(failureOf(outcome), { code: 'cancelled' });
    assert.equal(site.asked.length, 0);
  });

  test('that is cancelled under way closes its connection (B13)', async (t) => {
    const closed = Promise.withResolvers<void>();
    const site = await openSite(t, { '/': (request) => request.socket.on('close', () => closed.resolve()) });
    const controller = new AbortController();
    const fetching = openClient(t)(site.url('/'), { signal: controller.signal });
    await site.nextAsked();
    controller.abort();
    assert.deepEqual(failureOf(await fetching), { code: 'cancelled' });
    await closed.promise;
  });

  test('under way when the client closes is cancelled', async (t) => {
    const site = await openSite(t, { '/': () => undefined });
    const client = createClient({ budget: new BodyBudget() });
    const fetching = client.fetchPage(
      { url: site.url('/'), limits: defaultLimits, allowPrivate: true },
      { signal: new AbortController().signal, now: () => 0, onSent: () => undefined },
    );
    await site.nextAsked();
    await client.close();
    assert.deepEqual(failureOf(await fetching), { code: 'cancelled' });
  });
});

describe('a redirect', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`of status ${status} is an outcome and is not followed`, async (t) => {
      const site = await openSite(t, { '/a/b': { status, headers: { location: '../c?d=e' } }, '/c': 'never asked' });
      const outcome = await openClient(t)(site.url('/a/b'));
      assert.equal(outcome.kind, 'redirect');
      if (outcome.kind !== 'redirect') return;
      assert.equal(outcome.url, site.url('/c?d=e'));
      assert.equal(outcome.cost.status, status);
      assert.equal(site.asked.length, 1);
    });
  }
});
