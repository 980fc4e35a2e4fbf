import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { load } from 'cheerio';
import { navigation } from '../../src/dashboard/navigation.ts';
import type { Caller } from '../../src/http/exchange.ts';
import { serveHttp } from '../http/server.ts';
import { sampleHandlers } from './samples.ts';

const callers: readonly Caller[] = [
  { id: 'read', label: 'Read', role: 'read' },
  { id: 'labels', label: 'Labels', role: 'read', labels: ['acme'] },
  { id: 'operate-labels', label: 'Operate, by labels', role: 'operate', labels: ['acme'] },
  { id: 'author', label: 'Author', role: 'author' },
  { id: 'sources', label: 'Author of sources', role: 'author', sources: ['shop'] },
  { id: 'operate', label: 'Operate', role: 'operate' },
  { id: 'admin', label: 'Admin', role: 'admin' },
];

const callerOf = (token: string) => callers.find(({ id }) => id === token);

function serve(t: TestContext) {
  return serveHttp(t, sampleHandlers({ text: 'shop', items: 1, number: 1_760_000_000_000 }), {
    callerOf,
    subjects: { labelsOf: () => ['acme'], sourcesOf: () => undefined },
  });
}

describe('the navigation', () => {
  for (const { id } of callers)
    test(`leads to all sections that a viewer may open and to no other: ${id}`, async (t) => {
      const { ask } = await serve(t);
      const opened: string[] = [];
      for (const { path } of navigation) {
        const { status } = await ask(`/${path}`, { token: id });
        assert.ok([200, 303, 403].includes(status), `/${path}: ${status}`);
        if (status === 200) opened.push(path === '' ? './' : path);
      }
      const $ = load((await ask('/projects', { token: id })).text);
      assert.deepEqual(
        Array.from($('nav.sections a'), (link) => $(link).attr('href')),
        opened,
      );
    });

  test('has a key of its own for each section, a letter of its name, which the help shows', async (t) => {
    const keys = new Map(navigation.map(({ name, key }) => [key, name]));
    assert.equal(keys.size, navigation.length);
    // `g` begins a sequence.
    assert.ok(!keys.has('g'));
    for (const [key, name] of keys) assert.ok(name.toLowerCase().includes(key), name);
    const { ask } = await serve(t);
    const $ = load((await ask('/', { token: 'admin' })).text);
    const text = (found: ReturnType<typeof $>): string => found.text().replaceAll(/\s+/g, ' ').trim();
    assert.deepEqual(
      Array.from($('nav.sections a'), (link) => [$(link).attr('data-key'), text($(link))]),
      [...keys],
    );
    assert.deepEqual(
      Array.from($('#keys[popover] dl > div'), (line) => [text($(line).find('dt')), text($(line).find('dd'))]).slice(2),
      Array.from(keys, ([key, name]) => [`g ${key}`, name]),
    );
    assert.equal($('button[popovertarget=keys][hidden]').length, 1);
  });

  test('begins with the first section that the viewer may open', async (t) => {
    const { ask } = await serve(t);
    const { status, headers } = await ask('/', { token: 'labels' });
    assert.deepEqual([status, headers.location], [303, '/projects']);
    assert.equal((await ask('/', { token: 'read' })).status, 200);
  });

  test('stays on the page of a request that is refused, where the viewer is known', async (t) => {
    const { ask } = await serve(t);
    for (const [path, token, code] of [
      ['/audit', 'labels', 403],
      ['/no-such-page', 'read', 404],
      ['/act/project.archive', 'read', 405],
    ] as const) {
      const { status, text } = await ask(path, { token });
      const $ = load(text);
      assert.equal(status, code, path);
      assert.equal($('[role=alert]').length, 1, path);
      assert.ok($('nav.sections a[href=projects]').length > 0, path);
      assert.equal($('nav.sections a[href=audit]').length, 0, path);
    }
    const { status, text } = await ask('/no-such-page', { token: 'nobody' });
    assert.equal(status, 401);
    assert.equal(load(text)('nav').length, 0);
  });
});
