import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startDaemon } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { pluggedSource, startPlugged } from '../plugins/plugging.ts';
import { soon } from '../tracking.ts';
import { again, isEnd, trackList } from './listing.ts';

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

/** A list's last page in Cyrillic, which takes two bytes per letter: all links stand behind some kilobytes of scripts. */
const cyrillicEnd = `<!doctype html><html><head><meta charset="utf-8"><title>Список</title>
<script>document.cookie = "seen=1"; // ${'пояснение '.repeat(440)}</script></head><body>
${'<a href="/x">товар</a>'.repeat(60)}<p>Больше ничего нет.</p></body></html>`;

/** The same where the head alone is longer than what is kept of a page. */
const longEnd = `<!doctype html><html><head><title>Lamps</title>
<noscript>Please enable JavaScript and cookies to continue</noscript>
<style>${'.lamp { color: red }\n'.repeat(500)}</style></head><body>
<nav>${'<a href="/x">lamp</a>'.repeat(60)}</nav><p>No more lamps.</p></body></html>`;

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
        response.end(
          page === '2' && !isMet
            ? body
            : page === '3' || page === '4'
              ? '<p>No more.</p>'
              : `<p class=item><b>${page}</b>`,
        );
      });
      const daemon = await startDaemon(t, { sources: { list: source }, settings: soon });
      const { scrape, steps } = await trackList(daemon, site, '/list');
      assert.deepEqual([scrape.status, scrape.failure?.code, scrape.failure?.cause], ['failed', cause, cause]);
      assert.deepEqual([steps.length, steps[1]?.status, steps[1]?.failure?.code], [2, 200, cause]);
      assert.equal(steps[1]?.failure?.excerpt, body);
      isMet = true;
      const next = await again(daemon, site);
      assert.deepEqual([next.scrape.status, next.scrape.endReason, next.asked.length], ['complete', 'empty', 4]);
      assert.match(next.asked[0] ?? '', /limit=50/);
    });

  test('but has the links of its site ends the list, however long its head is', async (t) => {
    const site = await openSite(t);
    site.answer('/list', (request, response) => {
      const isFirst = new URL(request.url ?? '', site.origin).searchParams.get('page') === '1';
      response.setHeader('content-type', 'text/html');
      response.end(isFirst ? '<p class=item><b>1</b>' : longEnd);
    });
    const daemon = await startDaemon(t, { sources: { list: source }, settings: soon });
    const { scrape } = await trackList(daemon, site, '/list');
    assert.deepEqual([scrape.status, scrape.endReason, scrape.failure?.cause], ['complete', 'empty', undefined]);
  });

  test('in the eyes of a plug-in is looked at as well', async (t) => {
    const site = await openSite(t, {
      '/a': html(challenge),
      '/b': html('<p>No more.</p>'),
      '/c': html(cyrillicEnd),
      '/d': html(longEnd),
    });
    const plugin = `import { defineProvider } from 'heronry/provider';
      export default defineProvider({ request: ({ url }) => ({ url }), read: () => ({ drafts: [] }) });`;
    const daemon = await startPlugged(t, { 'none.ts': plugin }, { sources: { none: pluggedSource('none') } });
    const met = await daemon.track('none', { url: site.url('/a') });
    assert.deepEqual([met.scrape.status, met.scrape.failure?.cause], ['failed', 'blocked']);
    assert.equal(met.steps[0]?.failure?.excerpt, challenge);
    for (const other of ['b', 'c', 'd']) {
      await daemon.client.call('project.add', { id: other, targets: [{ source: 'none', url: site.url(`/${other}`) }] });
      const { scrape = 0 } = await daemon.event((event) => isEnd(event) && event.projects?.[0] === other);
      const ended = await daemon.ended(scrape);
      assert.deepEqual([ended.scrape.endReason, ended.scrape.failure?.cause], ['empty', undefined], other);
    }
  });
});
