import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openFaultServer, type Fault } from '../support/fault-server.ts';
import { type Answer, openSite } from '../support/site.ts';

const settings = { initialDelayMs: 0, everyMs: 3_600_000, timeLimitMs: 60_000, logLevel: 'silent' } as const;

/** Has a daemon scrape a bad page, then the good page at another place of the same project; returns what the bad one came to. */
async function scrapeBoth(
  t: TestContext,
  bad: string,
): Promise<{ readonly code: string | undefined; readonly status: string | undefined }> {
  const site = await openSite(t, { '/good': productPage('A', '1.50') });
  const limits = 'limits: { headers: 300ms, body: 300ms, total: 2s, maxBytes: 4MiB }';
  const { client, event } = await startDaemon(t, { sources: { shop: productSource('shop', limits) }, settings });
  await client.call('project.add', { id: 'lamp', targets: [{ source: 'shop', url: bad }] });
  const { scrape = 0 } = await event(({ type }) => type === 'scrape.failed' || type === 'scrape.completed');
  await client.call('project.update', {
    id: 'lamp',
    targets: [
      { source: 'shop', url: bad },
      { source: 'shop', url: site.url('/good') },
    ],
  });
  await event(({ type, scrape: other }) => type === 'scrape.completed' && other !== scrape);
  const { records } = await client.call('project.records', { id: 'lamp' });
  assert.deepEqual(
    records.map(({ key }) => key),
    ['A'],
  );
  const { targets, status } = await client.call('project.get', { id: 'lamp' });
  assert.equal(status, 'active');
  assert.equal(targets[0]?.crashes.total, 0);
  assert.ok((targets[0]?.dueAt ?? 0) > Date.now(), 'it is scraped again at its time');
  const told = (await client.call('scrape.get', { scrape })).scrape;
  return { code: told.failure?.code, status: told.status };
}

/** Faults, and the code that the scrape fails with. */
const faults: Partial<Record<Fault, string>> = {
  gibibyte: 'too_large',
  'gzip-bomb': 'too_large',
  'endless-body': 'too_large',
  'drip-body': 'timeout',
  'stall-body': 'timeout',
  'stall-head': 'timeout',
  'drip-head': 'timeout',
  truncated: 'truncated',
  'truncated-chunks': 'truncated',
  'overstated-length': 'too_large',
  'understated-length': 'not_html',
  'not-gzip': 'bad_encoding',
  garbage: 'bad_response',
  binary: 'not_html',
};

describe('a scrape of a page that cannot be read', () => {
  for (const [fault, code] of Object.entries(faults)) {
    test(`fails with the code ${code}, and its project goes on: ${fault}`, async (t) => {
      const server = await openFaultServer(t);
      assert.deepEqual(await scrapeBoth(t, server.url(fault as Fault)), { code, status: 'failed' });
    });
  }

  const answers: Readonly<Record<string, { readonly answer: Answer; readonly code: string }>> = {
    'an empty page': { answer: '', code: 'empty' },
    'a picture': {
      answer: { headers: { 'content-type': 'image/png' }, body: Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3) },
      code: 'not_html',
    },
    'a page without what it should hold': { answer: '<h2>Welcome</h2>', code: 'no_record' },
  };
  for (const [what, { answer, code }] of Object.entries(answers)) {
    test(`fails with the code ${code}, and its project goes on: ${what}`, async (t) => {
      const site = await openSite(t, { '/bad': answer });
      assert.deepEqual(await scrapeBoth(t, site.url('/bad')), { code, status: 'failed' });
    });
  }
});
