import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { load } from 'cheerio';
import { views } from '../../src/dashboard/views.ts';
import { serveHttp } from '../http/server.ts';
import { pathOf } from './hostile.ts';
import { sampleHandlers } from './samples.ts';

/** A text that breaks out of elements, attributes, scripts and lines, where one lets it. */
const hostile =
  '"\'><script>alert(1)</script><img src=x onerror=alert(1)>\u202Eevil\u2066\n</textarea></title></pre><!--]]>&lt;${1}`javascript:alert(1)';

async function pages(t: TestContext, text: string, items: number) {
  const { ask, errors } = await serveHttp(t, sampleHandlers({ text, items, number: 1_760_000_000_000 }));
  const made = [];
  for (const { path } of views) {
    const address = `/${pathOf(path, 'shop')}`;
    const { status, text: page } = await ask(address);
    assert.deepEqual(errors, [], address);
    assert.equal(status, 200, `${address}: ${page.slice(0, 2_000)}`);
    made.push({ address, page, $: load(page) });
  }
  return made;
}

describe('an action on a page', () => {
  test('has the command that does the same, to be copied', async (t) => {
    for (const { address, $ } of await pages(t, 'shop', 1))
      for (const sent of $('form[action^="act/"], button[formaction^="act/"]')) {
        const beside = sent.tagName === 'form' ? $(sent).children('button.copy') : $(sent).next('button.copy');
        const what = $(sent).attr('action') ?? $(sent).attr('formaction');
        assert.match(beside.attr('data-copy') ?? '', /^heronry [a-z]+/, `${address}: ${what}`);
      }
  });
});

describe('a page, whatever stands in the results that it shows', () => {
  test('has no script, handler, style or frame but its own', async (t) => {
    for (const { address, $ } of await pages(t, hostile, 2)) {
      for (const script of $('script'))
        assert.match($(script).attr('src') ?? 'inline', /^assets\/[a-z]+\.js\?/, address);
      for (const picture of $('img')) assert.match($(picture).attr('src') ?? '', /^pictures\/[\w-]{22}$/, address);
      assert.equal($('object, embed, style, body base, meta[http-equiv]').length, 0, address);
      for (const element of $('*'))
        for (const name of Object.keys($(element).attr() ?? {}))
          assert.ok(!/^on|^style$|^srcdoc$/.test(name), `${address}: attribute ${name}`);
    }
  });

  test('leads only to pages of its own and to addresses of the web, which are not told where from', async (t) => {
    for (const text of [hostile, 'javascript:alert(1)//', 'https://example.org/"onclick="x', 'data:text/html,x']) {
      for (const { address, $ } of await pages(t, text, 1)) {
        for (const link of $('a[href], form[action]')) {
          const { href, action, rel = '' } = $(link).attr() ?? {};
          const to = new URL(href ?? action ?? '', 'http://own/');
          if (to.origin === 'http://own') continue;
          assert.match(to.protocol, /^https?:$/, `${address}: ${href}`);
          assert.match(rel, /noreferrer noopener/, `${address}: ${href}`);
        }
      }
    }
  });

  test('keeps the direction of what stands around a text', async (t) => {
    for (const { address, $ } of await pages(t, hostile, 2)) {
      // What a form sends is the text as it is.
      $('input').remove();
      assert.equal(/.{40}[\u202A-\u202E\u2066-\u2069]/s.exec($.html())?.[0], undefined, address);
    }
  });

  test('stays within bounds where a text is a megabyte long', async (t) => {
    for (const { address, page } of await pages(t, 'x'.repeat(1_000_000), 1))
      assert.ok(page.length < 4_000_000, `${address}: ${page.length}`);
  });

  test('is complete where there is nothing to show', async (t) => {
    for (const { address, $ } of await pages(t, '', 0)) assert.equal($('h1').length, 1, address);
  });
});

describe('the page of a request that is refused, whatever its path', () => {
  test('leads only to pages of its own', async (t) => {
    const { ask } = await serveHttp(t);
    for (const path of ['/javascript:alert(1)//', '///example.org/', '/data:text/html,x', '/https://example.org']) {
      const { status, text } = await ask(path);
      assert.equal(status, 404, path);
      for (const link of load(text)('a[href]'))
        assert.equal(new URL(link.attribs['href'] ?? '', 'http://own/').origin, 'http://own', path);
    }
  });
});
