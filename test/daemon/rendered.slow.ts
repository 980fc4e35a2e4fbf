import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { noBrowser } from '../support/browser.ts';
import { startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { nth, soon } from './tracking.ts';

const definition = (origin: string): string => `id: finder
url: "${origin}/#{query}"
allowPrivate: true
robots: ignore
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
render:
  in: browser
  do:
    - { click: .cookies, optional: true, within: 100ms }
    - { type: "{query}\\n", into: "#q" }
    - { wait: .hit }
records:
  hit: { key: name, each: .hit, fields: { name: . } }
`;

test(
  'a form is filled with the parameters of a target, and what it leads to is read as the rest of its actions says',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const site = await openSite(t, {
      '/': '<form action="/found"><input id="q" name="q"></form>',
      '/found': (request, response) => {
        const query = new URL(request.url ?? '', 'http://x').searchParams.get('q');
        response.setHeader('content-type', 'text/html');
        response.end(`<script>setTimeout(() => {
        for (const n of [1, 2]) document.body.append(Object.assign(document.createElement('p'), { className: 'hit', textContent: '${query} ' + n }));
      }, 1_000)</script>`);
      },
    });
    const daemon = await startDaemon(t, { sources: { finder: definition(site.origin) }, settings: soon });
    await daemon.client.call('project.add', {
      id: 'owls',
      targets: [{ source: 'finder', params: { query: 'old owls' } }],
    });
    const { scrape } = await nth(1, 'scrape.completed', 'owls', daemon);
    const { records } = await daemon.client.call('source.records', { id: 'finder', limit: 10 });
    assert.deepEqual(
      records.map(({ key }) => key),
      ['old owls 1', 'old owls 2'],
    );
    const { steps } = await daemon.client.call('scrape.get', { scrape, limit: 10 });
    assert.equal(steps.length, 2);

    const { out } = await run(['try', 'finder', '--param', 'query=old owls', '--socket', daemon.socket]);
    assert.match(out, /^after 1 redirect from /m);
    assert.match(out, /^click \.cookies {2}[\d.]+m?s {2}0 elements, not there, and optional$/m);
    assert.match(out, /^type into #q {2}[\d.]+m?s {2}led to another page$/m);
    assert.match(out, /^wait \.hit {2}[\d.]+m?s {2}2 elements$/m);

    site.answer('/found', '<p>nothing');
    const { out: failed } = await run(['try', 'finder', '--param', 'query=x', '--socket', daemon.socket]);
    assert.match(
      failed,
      /action_failed: action 3 in the browser, "wait \.hit": expected an element within 10 s, found none/,
    );
  },
);
