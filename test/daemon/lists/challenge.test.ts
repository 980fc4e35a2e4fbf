import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDaemon } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { pluggedSource, startPlugged } from '../plugins/plugging.ts';
import { soon } from '../tracking.ts';
import { again, trackList } from './listing.ts';

const source = `id: list
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
feed: { by: page, size: { param: limit, first: 50, later: 5 } }
records: { item: { key: id, each: .item, fields: { id: b } } }
`;

const challenge = `<!doctype html><html><head><title>Just a moment...</title></head><body>
<script>window._cf_chl_opt={}</script></body></html>`;

function html(body: string, headers: Readonly<Record<string, string>> = {}) {
  return { headers: { 'content-type': 'text/html', ...headers }, body };
}

describe('a page of a list that gives nothing', () => {
  for (const [what, body, cause] of [
    ['a challenge', challenge, 'blocked'],
    ['a form to log in with', '<h1>Hello</h1><form><input type="password" name="p"></form>', 'login_expired'],
  ] as const)
    test(`because it is ${what} fails, is kept with what it said, and does not settle the list`, async (t) => {
      const site = await openSite(t);
      let isMet = false;
      site.answer('/list', (request, response) => {
        const page = new URL(request.url ?? '', site.origin).searchParams.get('page');
        response.setHeader('content-type', 'text/html');
        response.end(page === '2' && !isMet ? body : page === '3' ? '<p>No more.</p>' : `<p class=item><b>${page}</b>`);
      });
      const daemon = await startDaemon(t, { sources: { list: source }, settings: soon });
      const { scrape, steps } = await trackList(daemon, site, '/list');
      assert.deepEqual([scrape.status, scrape.failure?.code, scrape.failure?.cause], ['failed', cause, cause]);
      assert.deepEqual([steps.length, steps[1]?.status, steps[1]?.failure?.code], [2, 200, cause]);
      assert.equal(steps[1]?.failure?.excerpt, body);
      isMet = true;
      const next = await again(daemon, site);
      assert.deepEqual([next.scrape.status, next.scrape.endReason, next.asked.length], ['complete', 'empty', 3]);
      assert.match(next.asked[0] ?? '', /limit=50/);
    });

  test('in the eyes of a plug-in is looked at as well', async (t) => {
    const site = await openSite(t, { '/a': html(challenge), '/b': html('<p>No more.</p>') });
    const plugin = `import { defineProvider } from 'heronry/provider';
      export default defineProvider({ request: ({ url }) => ({ url }), read: () => ({ drafts: [] }) });`;
    const daemon = await startPlugged(t, { 'none.ts': plugin }, { sources: { none: pluggedSource('none') } });
    const met = await daemon.track('none', { url: site.url('/a') });
    assert.deepEqual([met.scrape.status, met.scrape.failure?.cause], ['failed', 'blocked']);
    assert.equal(met.steps[0]?.failure?.excerpt, challenge);
    await daemon.client.call('project.add', { id: 'other', targets: [{ source: 'none', url: site.url('/b') }] });
    const { scrape = 0 } = await daemon.event(
      ({ type, project }) => type === 'scrape.completed' && project === 'other',
    );
    assert.equal((await daemon.ended(scrape)).scrape.endReason, 'empty');
  });
});
