import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { certificate, openSecureSite } from '../../support/secure-site.ts';
import { failureOf, openClient, pageOf, textOf } from '../support.ts';

const trusted = { ca: [certificate('localhost'), certificate('other'), certificate('expired')] };

describe('a certificate', () => {
  test('that an authority vouches for is trusted', async (t) => {
    const site = await openSecureSite(t, (_, response) => void response.end('hello'));
    assert.equal(textOf(await openClient(t, trusted)(`${site.origin}/`)), 'hello');
  });

  test('that nobody vouches for is refused, before anything is asked', async (t) => {
    let asked = 0;
    const site = await openSecureSite(t, (_, response) => void response.end(String((asked += 1))));
    const failure = failureOf(await openClient(t)(`${site.origin}/`));
    assert.deepEqual(failure, { code: 'bad_certificate', cause: 'it is signed by itself' });
    assert.equal(asked, 0);
  });

  test('that has expired is refused', async (t) => {
    const site = await openSecureSite(t, (_, response) => void response.end('hello'), { certificate: 'expired' });
    const failure = failureOf(await openClient(t, trusted)(`${site.origin}/`));
    assert.deepEqual(failure, { code: 'bad_certificate', cause: 'it has expired' });
  });

  test('for another name is refused', async (t) => {
    const site = await openSecureSite(t, (_, response) => void response.end('hello'), { certificate: 'other' });
    const failure = failureOf(await openClient(t, trusted)(`${site.origin}/`));
    assert.deepEqual(failure, { code: 'bad_certificate', cause: 'it is for another name' });
  });
});

describe('HTTP/2', () => {
  test('is spoken where it is offered, many requests on one connection', async (t) => {
    const versions = new Set<string>();
    const site = await openSecureSite(
      t,
      (request, response) => {
        versions.add(request.httpVersion);
        response.setHeader('set-cookie', ['a=1', 'b=2; expires=Thu, 01 Jan 2026 00:00:00 GMT']);
        response.end('hello '.repeat(50_000));
      },
      { http2: true },
    );
    const fetch = openClient(t, trusted);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => fetch(`${site.origin}/`)));
    for (const outcome of outcomes) {
      assert.equal(textOf(outcome).length, 300_000);
      assert.deepEqual(outcome.setCookies, ['a=1', 'b=2; expires=Thu, 01 Jan 2026 00:00:00 GMT']);
      assert.equal(
        Object.keys(pageOf(outcome).headers).find((name) => name.startsWith(':')),
        undefined,
      );
    }
    assert.deepEqual([...versions], ['2.0']);
    assert.equal(site.connections(), 1);
  });

  test('is left alone where it is not offered', async (t) => {
    const site = await openSecureSite(t, (request, response) => void response.end(request.httpVersion));
    assert.equal(textOf(await openClient(t, trusted)(`${site.origin}/`)), '1.1');
  });

  test('does not get past the vetting of addresses', async (t) => {
    const site = await openSecureSite(t, (_, response) => void response.end('hello'), { http2: true });
    const fetch = openClient(t, {
      ...trusted,
      resolve: (_, __, tell) => tell(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    const url = `${site.origin}/`.replace('localhost', 'shop.test');
    assert.equal(failureOf(await fetch(url)).code, 'bad_certificate');
    assert.equal(failureOf(await fetch(url, { allowPrivate: false })).code, 'refused_address');
    assert.equal(failureOf(await fetch(`${site.origin}/`, { allowPrivate: false })).code, 'refused_address');
  });

  test('keeps every limit: a stream that stalls ends alone, and its connection goes on', async (t) => {
    const site = await openSecureSite(
      t,
      (request, response) => {
        if (request.url === '/stall-head') return;
        if (request.url === '/stall-body') response.write('half');
        else if (request.url === '/endless') {
          response.on('drain', () => response.write(Buffer.alloc(65_536)));
          response.write(Buffer.alloc(65_536));
        } else response.end('hello');
      },
      { http2: true },
    );
    const fetch = openClient(t, trusted);
    const limits = { headersMs: 150, bodyMs: 150, maxBytes: 1_000_000 };
    assert.equal(textOf(await fetch(`${site.origin}/`)), 'hello');
    const [head, body, endless] = await Promise.all(
      ['/stall-head', '/stall-body', '/endless'].map((path) => fetch(`${site.origin}${path}`, { limits })),
    );
    assert.deepEqual(head && failureOf(head), { code: 'timeout', stage: 'headers', afterMs: 150 });
    assert.deepEqual(body && failureOf(body), { code: 'timeout', stage: 'body', afterMs: 150 });
    assert.deepEqual(endless && failureOf(endless), { code: 'too_large', limitBytes: 1_000_000 });
    assert.equal(textOf(await fetch(`${site.origin}/`)), 'hello');
    assert.equal(site.connections(), 1);
  });
});

describe('a fault of TLS is told in plain words', () => {
  const record = (...bytes: readonly number[]) => Buffer.from([0x15, 3, 3, 0, 2, ...bytes]);
  for (const [what, sent, cause] of [
    ['where there is none', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'it speaks no TLS at this port'],
    [
      'by the alert for a failed handshake',
      record(2, 40),
      'it takes none of the ciphers that are offered, or wants a certificate of its visitors',
    ],
    ['by the alert for old versions', record(2, 70), 'it speaks no version of TLS that is safe enough'],
    ['by the alert for an unknown name', record(2, 112), 'it knows no site of this name'],
    ['by an alert that has no words of ours', record(2, 47), 'ssl/tls alert illegal parameter'],
  ] as const)
    test(what, async (t) => {
      const server = createServer((socket) => {
        socket.on('error', () => socket.destroy());
        socket.once('data', () => socket.end(sent));
      }).listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const failure = failureOf(await openClient(t, trusted)(`https://localhost:${port}/`));
      assert.deepEqual(failure, { code: 'unreachable', cause: `no agreement on TLS: ${cause}` });
    });
});
