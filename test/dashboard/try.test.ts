import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import { ControlError } from '../../src/control/error.ts';
import type { Params } from '../../src/control/methods.ts';
import { serveHttp } from '../http/server.ts';
import { digest, withPage } from './stored-page.ts';

const builtIn = {
  id: 'page',
  name: 'Any page',
  provider: 'html',
  status: 'ready' as const,
  builtIn: true as const,
  targets: 0,
  problems: [],
};

describe('the frame of a stored page', () => {
  test('may run no script, load nothing, send no form, and be framed by the dashboard alone', async (t) => {
    const { ask } = await serveHttp(t, withPage('<p>text</p>'));
    const { status, headers, text } = await ask(`/pages/${digest}/frame?source=shop`);
    assert.equal(status, 200);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation$/,
    );
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(text, new RegExp(`href="/sources/shop/try\\?page=${digest}&amp;pick=\\d+">text`));
  });
});

describe('trying a stored page', () => {
  test('keeps the text that was tried, and saves that one', async (t) => {
    const tried: unknown[] = [];
    const { ask, port } = await serveHttp(t, withPage('<p>text</p>', tried));
    const sent = { source: 'shop', digest, text: 'id: shop\r\nname: </textarea><script>alert(1)</script>\r\n' };
    const { headers } = await ask('/act/page.try', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({ ...sent, '.then': `sources/shop/try?page=${digest}` }).toString(),
    });
    const { text } = await ask(String(headers.location));
    const wanted = 'id: shop\nname: </textarea><script>alert(1)</script>\n';
    assert.deepEqual(tried.at(-1), { source: 'shop', digest, text: wanted });
    assert.ok(!text.includes('<script>alert'));
    assert.match(text, /formaction="act\/source\.save\?/);
  });

  test('saves the text in the box, whether or not it was tried', async (t) => {
    const saved: Params<'source.save'>[] = [];
    const { ask, port } = await serveHttp(t, {
      ...withPage('<p>text</p>'),
      'source.save': (params) => {
        saved.push(params);
        return { file: 'shop.yaml', version: 'v', diff: '' };
      },
    });
    const $ = load((await ask(`/sources/shop/try?page=${digest}`)).text);
    const button = $('button').filter((_, each) => $(each).text() === 'Save as definition');
    const form = button.closest('form');
    form.find('textarea').val('id: shop\nevery: 25s\n');
    const fields = form.serializeArray().map(({ name, value }): [string, string] => [name, value]);
    const { headers } = await ask(`/${button.attr('formaction')}`, {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams(fields).toString(),
    });
    assert.deepEqual(saved, [{ id: 'shop', text: 'id: shop\nevery: 25s\n', base: 'b', dryRun: false }]);
    assert.match(String(headers.location), /^\/sources\/shop\?outcome=/);
  });

  test('copies commands that try and save the same text from a file', async (t) => {
    const { ask } = await serveHttp(t, withPage('<p>text</p>'));
    const $ = load((await ask(`/sources/shop/try?page=${digest}`)).text);
    const commands = $('textarea').closest('form').find('button.copy');
    assert.deepEqual(
      commands.get().map((each) => $(each).attr('data-copy')),
      [`heronry try shop --kept ${digest} --sources .`, 'heronry sources save shop shop.yaml'],
    );
  });

  test('does not report success for a text that has problems', async (t) => {
    const problem = { file: 'shop.yaml', line: 1, column: 1, path: 'records', message: 'expected a mapping' };
    const withPages = withPage('<p>text</p>');
    const { ask, port } = await serveHttp(t, {
      ...withPages,
      'page.try': async (params, sight) => {
        const tried = await withPages['page.try']?.(params, sight);
        if (tried === undefined) throw new Error('expected a trial');
        return { ...tried, problems: [problem] };
      },
    });
    const { headers } = await ask('/act/page.try', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({
        source: 'shop',
        digest,
        text: 'id: shop',
        '.then': `sources/shop/try?page=${digest}`,
      }).toString(),
    });
    const $ = load((await ask(String(headers.location))).text);
    assert.equal($('#outcome').attr('class'), 'outcome error');
    assert.match($('#outcome').text(), /^\s*The text has 1 problem\./);
  });

  test('keeps an address that could not be fetched in its field', async (t) => {
    const { ask, port } = await serveHttp(t, {
      'source.peek': () => {
        throw new ControlError('conflict', 'no page came: answered with status 404');
      },
    });
    const { headers } = await ask('/act/source.peek', {
      verb: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${port}` },
      body: new URLSearchParams({ '.from': 'try', url: 'https://shop.example/gone' }).toString(),
    });
    const $ = load((await ask(String(headers.location))).text);
    assert.equal($('input[name=url]').attr('value'), 'https://shop.example/gone');
  });

  test('leads from a page of the built-in source to a new source, as that source has no file', async (t) => {
    const { ask } = await serveHttp(t, {
      ...withPage('<p>text</p>'),
      'source.get': () => builtIn,
      'target.list': () => ({ targets: [] }),
      'ticket.list': () => ({ tickets: [] }),
    });
    const choosing = load((await ask('/sources/page/try')).text);
    assert.equal(choosing('form[action="act/source.peek"] input[name=".then"]').attr('value'), 'try');
    const $ = load((await ask(`/sources/page/try?page=${digest}`)).text);
    assert.equal($('textarea').length, 0);
    const address = $('main a.button').attr('href');
    assert.equal(address, `try?page=${digest}&url=https%3A%2F%2Fshop.example%2F`);
    assert.equal(load((await ask(`/${address}`)).text)('input[name=id]').attr('value'), 'shop');
  });

  test('shows one who may only look what the definition in use reads', async (t) => {
    const { ask } = await serveHttp(t, withPage('<p>text</p>'));
    const { status, text } = await ask(`/sources/shop/try?page=${digest}`, { token: 'read' });
    assert.equal(status, 200);
    assert.doesNotMatch(text, /textarea|act\/source\.save/);
  });
});
