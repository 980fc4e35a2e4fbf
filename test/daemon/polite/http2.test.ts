import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { productPage } from '../../support/daemon.ts';
import { certificate, openSecureSite } from '../../support/secure-site.ts';
import { startTimed } from '../passing.ts';
import { lastScrape, minute, politeSource } from './support.ts';

/** Has this process trust the certificate of test sites, as an operator may with `NODE_EXTRA_CA_CERTS`. */
function trustTestSites(t: TestContext): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, certificate('localhost')]);
  t.after(() => setDefaultCACertificates(before));
}

describe('a site that offers HTTP/2', () => {
  test('is asked by it for robots.txt and pages alike, over one connection, each in its turn', async (t) => {
    trustTestSites(t);
    const asked: string[] = [];
    const site = await openSecureSite(
      t,
      (request, response) => {
        asked.push(`${request.httpVersion} ${request.url}`);
        if (request.url === '/robots.txt') return void response.writeHead(404).end();
        return void response.writeHead(200, { 'content-type': 'text/html' }).end(productPage('A', '1.00'));
      },
      { http2: true },
    );
    const ids = ['a', 'b', 'c'];
    const timed = await startTimed(t, { sources: { shop: politeSource('shop', { robots: 'obey' }) } });
    for (const id of ids) await timed.track(id, { source: 'shop', url: `${site.origin}/${id}` });
    await timed.pass(minute);
    await timed.settle();
    for (const id of ids) assert.equal((await lastScrape(id, timed.client)).scrape.status, 'complete');
    assert.deepEqual(asked.toSorted(), ['2.0 /a', '2.0 /b', '2.0 /c', '2.0 /robots.txt']);
    assert.equal(site.connections(), 1);
  });
});
