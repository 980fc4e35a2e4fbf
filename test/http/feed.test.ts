import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import { ControlError } from '../../src/control/error.ts';
import type { Params } from '../../src/control/methods.ts';
import { assertHarmless, hostile } from '../dashboard/hostile.ts';
import { serveHttp } from './server.ts';

const changed = {
  id: 7,
  version: 1 as const,
  at: 2_000,
  type: 'record.changed' as const,
  projects: ['lamp'],
  source: 'shop',
  target: 1,
  data: { type: 'offer', key: `1${hostile}]]>&\u0000\uD800`, fields: { price: { old: '10', new: `12 <${hostile}` } } },
};

function basic(token: string) {
  return { token: undefined, headers: { authorization: `Basic ${Buffer.from(`any:${token}`).toString('base64')}` } };
}

describe('a feed', () => {
  test('has the newest changes of the projects with a label, as Atom', async (t) => {
    const asked: Params<'event.recent'>[] = [];
    const { ask, port } = await serveHttp(t, {
      'event.recent': (params) => {
        asked.push(params);
        return params.before === undefined
          ? { events: [changed], next: 7 }
          : { events: [{ ...changed, id: 3, at: 1_000 }] };
      },
    });
    const { status, headers, text } = await ask('/feeds/labels/a%20%26%20b.atom', basic('read'));
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8');
    assert.deepEqual(
      asked.map(({ label, before, limit }) => [label, before, limit]),
      [
        ['a & b', undefined, 50],
        ['a & b', 7, 49],
      ],
    );
    assertHarmless(text);
    const $ = load(text, { xml: true });
    assert.equal($('feed').attr('xmlns'), 'http://www.w3.org/2005/Atom');
    assert.equal($('feed > updated').text(), '1970-01-01T00:00:02.000Z');
    assert.equal($('feed > title').text(), 'Label a & b');
    const ids = $('id').toArray();
    assert.equal(new Set(ids.map((id) => $(id).text())).size, 3);
    for (const id of ids) assert.ok(URL.canParse($(id).text()));
    assert.equal($('entry').length, 2);
    assert.match($('entry > title').first().text(), /^lamp: offer 1">/);
    assert.match($('entry > content').first().text(), /^Source: shop\nprice: 10 → 12 <">/);
    assert.equal($('entry > link').first().attr('href'), `http://127.0.0.1:${port}/projects/lamp#changes`);
    for (const character of ['\u0000', '\uD800', '\u202E']) assert.ok(!text.includes(character));
  });

  test('of a project names that one, also where others track the same page', async (t) => {
    const { ask, port } = await serveHttp(t, {
      'project.get': ({ id }) => ({
        id,
        name: id,
        labels: [],
        multiplier: 1,
        status: 'active',
        createdAt: 1,
        targets: [],
      }),
      'event.recent': () => ({ events: [{ ...changed, projects: ['bulb', 'lamp'] }] }),
    });
    const $ = load((await ask('/feeds/projects/lamp.atom', basic('read'))).text, { xml: true });
    assert.match($('entry > title').text(), /^lamp: offer /);
    const page = `http://127.0.0.1:${port}/projects/lamp`;
    assert.equal($('entry > link').attr('href'), `${page}#changes`);
    assert.equal($('feed > link[rel=alternate]').attr('href'), page);
  });

  test('writes money as people do', async (t) => {
    const money = (amount: string) => ({ amount, currency: 'EUR' });
    const data = { type: 'offer', key: '1', fields: { price: { old: money('34.00'), new: money('37.00') } } };
    const { ask } = await serveHttp(t, { 'event.recent': () => ({ events: [{ ...changed, data }] }) });
    assert.match((await ask('/feeds/labels/x.atom', basic('read'))).text, /price: 34\.00 EUR → 37\.00 EUR/);
  });

  test('says so where the log goes on behind what was looked at for it', async (t) => {
    let calls = 0;
    const { ask } = await serveHttp(t, {
      'event.recent': ({ label }) => {
        calls += 1;
        if (label === 'short') return { events: [changed] };
        if (label === 'full') return { events: Array.from({ length: 50 }, () => changed), next: 7 };
        return { events: [], next: 7 };
      },
    });
    const { text } = await ask('/feeds/labels/busy.atom', basic('read'));
    assert.equal(calls, 2);
    assert.match(
      load(text, { xml: true })('feed > subtitle').text(),
      /^Older changes are left out: only the newest 20,000 /,
    );
    for (const label of ['short', 'full']) {
      const whole = await ask(`/feeds/labels/${label}.atom`, basic('read'));
      assert.doesNotMatch(whole.text, /<subtitle>/);
    }
  });

  test('is answered by 304 while nothing has changed', async (t) => {
    const { ask } = await serveHttp(t, { 'event.recent': () => ({ events: [changed] }) });
    const { headers } = await ask('/feeds/labels/x.atom', basic('read'));
    const sent = basic('read');
    const again = await ask('/feeds/labels/x.atom', {
      ...sent,
      headers: { ...sent.headers, 'if-none-match': String(headers.etag) },
    });
    assert.equal(again.status, 304);
  });

  test('asks for a name and a password, of which the token is the password, and so for nothing else', async (t) => {
    const { ask } = await serveHttp(t, { 'event.recent': () => ({ events: [] }) });
    const unknown = await ask('/feeds/labels/x.atom', { token: undefined, headers: { accept: 'text/html' } });
    assert.deepEqual([unknown.status, unknown.headers['www-authenticate']], [401, 'Basic realm="heronry"']);
    assert.equal((await ask('/feeds/labels/x.atom', basic('none'))).status, 401);
    assert.equal((await ask('/feeds/labels/x.atom', { token: 'read' })).status, 200);
    for (const path of ['/v1/projects', '/projects', '/openapi.json'])
      assert.equal((await ask(path, basic('admin'))).status, 401, path);
  });

  test('of a project that a caller does not see is none', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.get': ({ id }) => {
        throw new ControlError('not_found', `no project "${id}"`);
      },
    });
    for (const path of ['projects/none', 'projects/a%2fb', 'labels/%ff', 'sources/x'])
      assert.equal((await ask(`/feeds/${path}.atom`, basic('read'))).status, 404, path);
    assert.equal((await ask('/feeds/labels/x.atom', { ...basic('admin'), verb: 'POST' })).status, 405);
  });
});
