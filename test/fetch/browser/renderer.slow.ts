import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { FetchFailure } from '../../../src/fetch/failure.ts';
import type { Page } from '../../../src/fetch/page.ts';
import type { FetchOutcome } from '../../../src/fetch/request.ts';
import { browserPids, noBrowser, openRenderer, waitFor } from '../../support/browser.ts';
import { openSite } from '../../support/site.ts';

const skip = noBrowser;

function pageOf(outcome: FetchOutcome): Page {
  if (outcome.kind !== 'page') assert.fail(JSON.stringify(outcome));
  return outcome.page;
}

function textOf(outcome: FetchOutcome): string {
  return new TextDecoder().decode(pageOf(outcome).body);
}

function failureOf(outcome: FetchOutcome): FetchFailure {
  if (outcome.kind !== 'failure') assert.fail(`expected a failure, got a ${outcome.kind}`);
  return outcome.failure;
}

function script(code: string): { readonly headers: Readonly<Record<string, string>>; readonly body: string } {
  return { headers: { 'content-type': 'text/javascript' }, body: code };
}

describe('a rendered page', { skip, timeout: 100_000, concurrency: 3 }, () => {
  const renderer = openRenderer({ after: (end) => after(() => end?.({} as never, () => undefined)) });

  test('is read as its scripts have made it', async (t) => {
    const site = await openSite(t, {
      '/': '<!doctype html><title>A page</title><p>loading</p><script src="/script.js"></script>',
      '/script.js': script(
        'fetch("/data.json").then((r) => r.json()).then((d) => (document.querySelector("p").textContent = d.text))',
      ),
      '/data.json': { headers: { 'content-type': 'application/json' }, body: '{"text":"zwölf 🎈"}' },
    });
    const page = pageOf(await renderer.render(site.url('/')));
    assert.equal(
      new TextDecoder().decode(page.body),
      '<!DOCTYPE html>\n<html><head><title>A page</title></head><body><p>zwölf 🎈</p>' +
        '<script src="/script.js"></script></body></html>',
    );
    assert.equal(page.url, site.url('/'));
    assert.equal(page.observedAt, 1_000);
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/', '/script.js', '/data.json'],
    );
  });

  test('has the head of its document, and a body in UTF-8 that owns its memory', async (t) => {
    const site = await openSite(t, {
      '/': {
        status: 203,
        headers: {
          'content-type': 'text/html; charset=iso-8859-1',
          'x-from': 'the site',
          'set-cookie': 'seen=yes; Path=/',
          etag: '"1"',
        },
        body: Buffer.from('<p id=a>\u00e9</p><script>a.append(document.cookie)</script>', 'latin1'),
      },
    });
    const outcome = await renderer.render(site.url('/'), { validators: { etag: '"1"' } });
    const page = pageOf(outcome);
    assert.equal(page.status, 203);
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(page.headers['x-from'], 'the site');
    assert.deepEqual(outcome.setCookies, ['seen=yes; Path=/']);
    assert.match(textOf(outcome), /<p id="a">éseen=yes<\/p>/);
    assert.equal(page.validators, undefined);
    assert.equal(site.asked[0]?.headers['if-none-match'], undefined);
    structuredClone(page.body, { transfer: [page.body] });
  });

  test('is read when what it waits for has come', async (t) => {
    const site = await openSite(t, {
      '/': `<script>setTimeout(() => document.body.append(document.createElement('late-part')), 2_000)</script>`,
    });
    assert.match(textOf(await renderer.render(site.url('/'), { actions: [waitFor('late-part')] })), /<late-part>/);
  });

  test('does without pictures, dialogs, popups and downloads', async (t) => {
    const site = await openSite(t, {
      '/': `<img src="/picture.png"><link rel="icon" href="/icon.png"><p></p><script>
        alert('a'); confirm('b'); window.open('/popup'); navigator.sendBeacon('/beacon');
        Object.assign(document.createElement('a'), { href: '/popup', target: '_blank' }).click();
        Object.assign(document.createElement('a'), { href: 'data:,x', download: 'x' }).click();
        document.querySelector('p').textContent = 'at its end';
      </script>`,
    });
    assert.match(textOf(await renderer.render(site.url('/'))), /at its end/);
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/'],
    );
  });

  test('never shares a cookie with another, nor with a page that comes later', async (t) => {
    const site = await openSite(t, {
      '/': `<p></p><script>document.cookie = 'of=script';
        fetch('/echo').then((r) => r.text()).then((text) => (document.querySelector('p').textContent = text))</script>`,
      '/echo': (request, response) => void response.end(`[${request.headers.cookie}]`),
    });
    const both = await Promise.all([
      renderer.render(site.url('/'), { headers: { cookie: 'session=one; a=b' } }),
      renderer.render(site.url('/'), { headers: { Cookie: 'session=two' } }),
    ]);
    const later = await renderer.render(site.url('/'));
    assert.deepEqual(
      [...both, later].map((outcome) => /\[(.*)\]/.exec(textOf(outcome))?.[1]),
      ['session=one; a=b; of=script', 'session=two; of=script', 'of=script'],
    );
    assert.deepEqual(
      site.asked.filter(({ path }) => path === '/').map(({ headers }) => headers.cookie),
      ['session=one; a=b', 'session=two', undefined],
    );
  });

  test('says of itself to scripts what it says to the site', async (t) => {
    const site = await openSite(t, {
      '/': `<p></p><script>document.querySelector('p').textContent = navigator.userAgent + navigator.language</script>`,
    });
    const headers = { 'user-agent': 'another', 'accept-language': 'fr-CH' };
    assert.match(textOf(await renderer.render(site.url('/'), { headers })), /<p>another/);
    assert.match(textOf(await renderer.render(site.url('/'))), /<p>a test/);
  });

  test('ends the exchange where it sends its reader elsewhere, and goes nowhere itself', async (t) => {
    const site = await openSite(t, {
      '/script': `<script>location.href = '/next?a=b'</script>`,
      '/meta': '<meta http-equiv="refresh" content="0;url=/next?a=b">',
      '/form': `<form action="/next" method="post"></form><script>document.forms[0].submit()</script>`,
    });
    for (const path of ['/script', '/meta']) {
      const outcome = await renderer.render(site.url(path));
      assert.equal(outcome.kind, 'redirect');
      assert.equal(outcome.status, 303);
      assert.equal(outcome.url, site.url('/next?a=b'));
      assert.equal(outcome.cost.status, 200);
    }
    const sent = failureOf(await renderer.render(site.url('/form')));
    assert.deepEqual(sent, { code: 'bad_redirect', location: `POST ${site.url('/next')}` });
    assert.equal(site.asked.length, 3);
  });

  for (const [what, code] of [
    ['elements', `for (let i = 0; i < 40_000; i++) document.body.append(document.createElement('b'))`],
    ['text', `document.body.append('x'.repeat(100_001))`],
    ['characters of several bytes', `document.body.append('é'.repeat(60_000))`],
  ] as const) {
    test(`has as many bytes as the limit at most (${what})`, async (t) => {
      const site = await openSite(t, { '/': `<body hidden><script>${code}</script>` });
      const outcome = await renderer.render(site.url('/'), { limits: { maxBytes: 100_000 } });
      assert.deepEqual(failureOf(outcome), { code: 'too_large', limitBytes: 100_000 });
    });
  }

  test('of many pieces is put together whole', async (t) => {
    const code = `document.body.append('🎈é'.repeat(900_000))`;
    const site = await openSite(t, { '/': `<body hidden><script>${code}</script>` });
    assert.ok(textOf(await renderer.render(site.url('/'))).endsWith(`</script>${'🎈é'.repeat(900_000)}</body></html>`));
  });

  test('that makes way for nothing is a failure', async (t) => {
    const site = await openSite(t, { '/': `<p>now</p><script>location.href = 'about:blank'</script>` });
    const failure = failureOf(await renderer.render(site.url('/')));
    assert.deepEqual(failure, { code: 'bad_redirect', location: 'about:blank' });
  });

  test('whose script never ends fails at the limit, and the next one is read', async (t) => {
    const site = await openSite(t, { '/endless': '<script>for (;;);</script>', '/': '<p>fine</p>' });
    const outcome = await renderer.render(site.url('/endless'), { limits: { totalMs: 2_000 } });
    assert.deepEqual(failureOf(outcome), { code: 'timeout', stage: 'total', afterMs: 2_000 });
    assert.match(textOf(await renderer.render(site.url('/'))), /fine/);
  });

  test('whose reader leaves ends as cancelled', async (t) => {
    const site = await openSite(t, { '/': '<script src="/never.js"></script>', '/never.js': () => undefined });
    const leaving = new AbortController();
    const outcome = renderer.render(site.url('/'), { signal: leaving.signal });
    await site.nextAsked('/never.js');
    leaving.abort();
    assert.deepEqual(failureOf(await outcome), { code: 'cancelled' });
  });
});

describe('a renderer', { skip, timeout: 100_000 }, () => {
  test('starts no browser for what needs none', async (t) => {
    const renderer = openRenderer(t);
    const site = await openSite(t, {
      '/moved': { status: 302, headers: { location: '/' } },
      '/missing': { status: 404, body: 'none of it' },
      '/json': { headers: { 'content-type': 'application/json', etag: '"1"' }, body: '{"a":1}' },
      '/empty': { body: '' },
    });
    const moved = await renderer.render(site.url('/moved'));
    assert.equal(moved.kind === 'redirect' && moved.url, site.url('/'));
    const missing = await renderer.render(site.url('/missing'));
    assert.deepEqual(failureOf(missing), { code: 'status', status: 404, excerpt: 'none of it' });
    const json = await renderer.render(site.url('/json'));
    assert.equal(textOf(json), '{"a":1}');
    assert.equal(pageOf(json).validators, undefined);
    assert.equal(textOf(await renderer.render(site.url('/empty'))), '');
    assert.deepEqual(browserPids(), []);
  });

  test('fails the page under way when its browser is killed, and starts another for the next', async (t) => {
    const renderer = openRenderer(t);
    const site = await openSite(t, {
      '/': '<p>fine</p>',
      '/waits': '<script src="/never.js"></script>',
      '/never.js': () => undefined,
    });
    const outcome = renderer.render(site.url('/waits'));
    await site.nextAsked('/never.js');
    const [pid] = browserPids();
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(failureOf(await outcome), { code: 'render_crashed', cause: 'the browser ended' });
    assert.match(textOf(await renderer.render(site.url('/'))), /fine/);
    assert.notDeepEqual(browserPids(), [pid]);
  });

  test('ends a page that takes more memory than it may, and that page only', async (t) => {
    const renderer = openRenderer(t, { limits: { maxProcessBytes: 300 * 1024 * 1024 } });
    const site = await openSite(t, {
      '/': '<p>fine</p>',
      '/greedy': `<script>const all = [];
        setInterval(() => all.length < 40 && all.push(new Uint8Array(20 << 20).fill(1)), 10)</script>`,
    });
    const [greedy, other] = await Promise.all([
      renderer.render(site.url('/greedy'), { actions: [waitFor('never', 60_000)] }),
      renderer.render(site.url('/')),
    ]);
    assert.deepEqual(failureOf(greedy), { code: 'render_crashed', cause: 'the process of the page ended' });
    assert.match(textOf(other), /fine/);
  });

  test('keeps the limits that it sets itself', async (t) => {
    const limits = { renderMs: 4_000, settleMs: 1_000, maxRequests: 3, maxTransferBytes: 1_000_000 };
    const renderer = openRenderer(t, { limits });
    const site = await openSite(t, {
      '/endless': '<script>for (;;);</script>',
      '/restless': `<p></p><script>
        const ask = () => fetch('/data').then(() => document.querySelector('p').append('+'), () => undefined);
        setInterval(ask, 100)</script>`,
      '/data': 'data',
      '/heavy': `<script>fetch('/large').then((r) => r.text())</script>`,
      '/large': 'x'.repeat(1_000_001),
    });
    const endless = await renderer.render(site.url('/endless'));
    assert.deepEqual(failureOf(endless), { code: 'timeout', stage: 'render', afterMs: 4_000 });
    assert.match(textOf(await renderer.render(site.url('/restless'))), /<p>\+\+\+<\/p>/);
    assert.equal(site.asked.filter(({ path }) => path === '/data').length, 3);
    const heavy = await renderer.render(site.url('/heavy'));
    assert.deepEqual(failureOf(heavy), { code: 'too_large', limitBytes: 1_000_000 });
  });

  test('that closes ends its pages as cancelled, those without a slot too, and leaves no process', async (t) => {
    const renderer = openRenderer(t, { pages: 1 });
    const site = await openSite(t, { '/': '<script src="/never.js"></script>', '/never.js': () => undefined });
    const outcomes = [renderer.render(site.url('/')), renderer.render(site.url('/'))];
    await site.nextAsked('/never.js');
    assert.equal(browserPids().length, 1);
    await renderer.close();
    for (const outcome of outcomes) assert.deepEqual(failureOf(await outcome), { code: 'cancelled' });
    assert.deepEqual(browserPids(), []);
  });
});

test('a browser that does not start fails the page, and says why', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const executablePath = join(folder, 'chromium');
  const said = 'error while loading shared libraries: libnss3.so';
  writeFileSync(executablePath, `#!/bin/sh\necho '${said}' >&2\nexit 127\n`, { mode: 0o755 });
  const site = await openSite(t, { '/': 'hello' });
  const outcome = await openRenderer(t, { executablePath }).render(site.url('/'));
  assert.deepEqual(failureOf(outcome), { code: 'render_crashed', cause: `it did not start: ${said}` });
});

test('a renderer without a browser says what to install, and asks nobody', async (t) => {
  const site = await openSite(t, { '/': 'hello' });
  const outcome = await openRenderer(t, { executablePath: '/nowhere/chromium' }).render(site.url('/'));
  assert.deepEqual(failureOf(outcome), {
    code: 'renderer_missing',
    cause: `there is no Chromium at /nowhere/chromium; install one, such as Debian's package "chromium"`,
  });
  assert.equal(site.asked.length, 0);
});
