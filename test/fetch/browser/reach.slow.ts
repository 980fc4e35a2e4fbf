import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import type { FetchClient } from '../../../src/fetch/wire/client.ts';
import { noBrowser, openRenderer, waitFor } from '../../support/browser.ts';
import { openSite } from '../../support/site.ts';

/** A client that has the page at any URL. */
function clientWith(html: string): Pick<FetchClient, 'fetchPage'> {
  return {
    fetchPage: ({ url }) => {
      const body = new TextEncoder().encode(html).buffer;
      const headers = { 'content-type': 'text/html' };
      const page = { url, status: 200, headers, body, observedAt: 1_000, elapsedMs: 1, encodedBytes: body.byteLength };
      return Promise.resolve({ kind: 'page', page, setCookies: [] });
    },
  };
}

/** Names of `.test` are loopback. */
function resolve(name: string, _: unknown, found: (error: null, addresses: LookupAddress[]) => void): void {
  found(null, [{ address: name.endsWith('.test') ? '127.0.0.1' : '192.0.2.1', family: 4 }]);
}

/** Counts whoever connects, over TCP and over UDP, on one port of 127.0.0.2. */
async function openTrap(t: TestContext): Promise<{ readonly port: number; caught(): number }> {
  let caught = 0;
  const server: Server = createServer((socket) => {
    caught += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  const udp = createSocket('udp4', () => (caught += 1));
  udp.bind(address.port, '127.0.0.2');
  await once(udp, 'listening');
  t.after(() => {
    server.close();
    udp.close();
  });
  return { port: address.port, caught: () => caught };
}

describe('a page in the browser', { skip: noBrowser, timeout: 100_000 }, () => {
  test('does not reach an address that its source may not, behind a name of its own site either', async (t) => {
    const site = await openSite(t, { '/secret': 'secret' });
    const { port } = new URL(site.origin);
    const html = `<script>
      fetch('http://inside.public.test:${port}/secret', { mode: 'no-cors' });
      fetch('https://inside.public.test:${port}/secret', { mode: 'no-cors' });
      fetch('http://127.0.0.1:${port}/secret', { mode: 'no-cors' });
      fetch('http://localhost:${port}/secret', { mode: 'no-cors' });
    </script>`;
    const renderer = openRenderer(t, { client: clientWith(html), resolve });
    await renderer.render('http://www.public.test/', { allowPrivate: false, hosts: ['127.0.0.1', 'localhost'] });
    const own = renderer.entries.filter(({ refused }) => refused === 'address').map(({ target }) => target);
    assert.deepEqual(own.sort(), [
      `http://127.0.0.1:${port}/secret`,
      `http://inside.public.test:${port}/secret`,
      `http://localhost:${port}/secret`,
      `inside.public.test:${port}`,
    ]);
    assert.equal(site.asked.length, 0);
  });

  test('asks its own site, and others only where the source allows them', async (t) => {
    const site = await openSite(t, {
      '/own': { headers: { 'access-control-allow-origin': '*' }, body: 'own ' },
      '/away': (request, response) => {
        const { port = 0 } = request.socket.address() as { port?: number };
        response
          .writeHead(302, { location: `http://other.test:${port}/own`, 'access-control-allow-origin': '*' })
          .end();
      },
    });
    const { port } = new URL(site.origin);
    const asking = [`http://api.shop.test:${port}/own`, `http://cdn.test:${port}/own`, `http://other.test:${port}/own`];
    const urls = [...asking, `http://api.shop.test:${port}/away`];
    const html = `<p></p><script>for (const url of ${JSON.stringify(urls)})
      fetch(url).then((r) => r.text()).then((text) => document.querySelector('p').append(text), () => 0)</script>`;
    const renderer = openRenderer(t, { client: clientWith(html), resolve });
    const outcome = await renderer.render('http://www.shop.test/', { hosts: ['cdn.test'] });
    assert.equal(outcome.kind, 'page');
    assert.match(new TextDecoder().decode(outcome.page.body), /<p>own own <\/p>/);
    assert.deepEqual(site.asked.map(({ headers, path }) => `${headers.host} ${path}`).sort(), [
      `api.shop.test:${port} /away`,
      `api.shop.test:${port} /own`,
      `cdn.test:${port} /own`,
    ]);
    const away = renderer.entries.find(({ refused }) => refused === 'host');
    assert.equal(away?.target, `http://other.test:${port}/own`);
  });

  test('leaves by the egress proxy only, whatever it tries', async (t) => {
    const trap = await openTrap(t);
    const there = `127.0.0.2:${trap.port}`;
    const site = await openSite(t, {
      '/': `<link rel="dns-prefetch" href="//prefetched.test"><link rel="preconnect" href="http://${there}">
        <link rel="prefetch" href="http://${there}/"><link rel="preload" as="script" href="http://${there}/">
        <script type="speculationrules">{"prerender":[{"urls":["http://${there}/"]}],"prefetch":[{"urls":["/ahead"]}]}</script>
        <iframe src="http://${there}/"></iframe><iframe src="file:///etc/passwd"></iframe><iframe src="chrome://version"></iframe>
        <img src="http://${there}/"><object data="http://${there}/"></object><video src="http://${there}/"></video>
        <p></p><script src="/tries.js"></script>`,
      '/tries.js': {
        headers: { 'content-type': 'text/javascript' },
        body: `
          const tries = [
            () => fetch('http://${there}/'),
            () => new Promise((done) => (new WebSocket('ws://${there}/').onclose = done)),
            () => new Promise((done) => (new WebSocket('ws://' + location.host + '/socket').onclose = done)),
            () => new WebTransport('https://${there}/').ready,
            () => navigator.serviceWorker.register('/worker.js'),
            () => new Worker('/worker.js'),
            () => new SharedWorker('/worker.js'),
            () => navigator.sendBeacon('http://${there}/'),
            () => new EventSource('http://${there}/'),
            async () => {
              const peer = new RTCPeerConnection({ iceServers: [
                { urls: 'stun:${there}' },
                { urls: 'turn:${there}?transport=tcp', username: 'a', credential: 'b' },
              ] });
              peer.createDataChannel('x');
              await peer.setLocalDescription(await peer.createOffer());
            },
          ];
          const attempt = async (each) => { try { await each(); } catch {} };
          Promise.all(tries.map(attempt)).then(() => (document.querySelector('p').id = 'tried'));
        `,
      },
      '/worker.js': {
        headers: { 'content-type': 'text/javascript' },
        body: `fetch('http://${there}/'); new WebSocket('ws://${there}/'); fetch('/from-worker')`,
      },
    });
    const renderer = openRenderer(t, { limits: { settleMs: 2_000 } });
    assert.equal((await renderer.render(site.url('/'), { actions: [waitFor('#tried')] })).kind, 'page');
    assert.equal((await renderer.render(site.url('/'))).kind, 'page');
    assert.equal(trap.caught(), 0);
    const passed = renderer.entries.filter(({ refused }) => refused === undefined).map(({ target }) => target);
    assert.ok(passed.includes(site.url('/tries.js')));
    assert.ok(passed.every((target) => target.includes(new URL(site.origin).host)));
    const seen = passed.filter((target) => target.startsWith('http:')).map((target) => new URL(target).pathname);
    const asked = site.asked.map(({ path }) => path).filter((path) => path !== '/' && path !== '/socket');
    assert.deepEqual(asked.sort(), seen.sort());
    const strangers = renderer.entries.filter(({ target }) => !target.includes('127.0.0.'));
    assert.ok(strangers.every(({ refused }) => refused === 'credential'));
  });
});
