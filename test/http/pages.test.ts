import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ControlError } from '../../src/control/error.ts';
import { serveHttp } from './server.ts';

/** What a form of the dashboard sends with its fields. */
function form(port: number, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return {
    verb: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: `http://127.0.0.1:${port}`,
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  };
}

const archived = {
  id: 'lamp',
  name: 'Lamp',
  labels: [],
  multiplier: 1,
  status: 'archived' as const,
  createdAt: 1,
  targets: [],
};

const nothing = { projects: [], total: { count: 0, isExact: true } };

describe('the pages of the dashboard', () => {
  test('a page may load and frame nothing of another origin, and is kept by nobody', async (t) => {
    const { ask } = await serveHttp(t, { 'project.search': () => nothing });
    const { status, headers, text } = await ask('/projects');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.match(String(headers['content-security-policy']), /default-src 'none'; style-src 'self'; script-src 'self'/);
    assert.match(text, /No project is tracked yet/);
  });

  test('what a person or a site has written is text on a page', async (t) => {
    const hostile = '"><script>alert(1)</script>\u202Eabc';
    const { ask } = await serveHttp(t, {
      'project.search': () => ({
        projects: [{ ...archived, name: hostile, labels: [hostile] }],
        total: { count: 1, isExact: true },
      }),
    });
    const { text } = await ask('/projects');
    assert.ok(!text.includes('<script>alert'));
    assert.ok(!text.includes('\u202E'));
    assert.match(text, /<bdi>&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt; abc<\/bdi>/);
  });

  test('a form has its method called, and leads on to the page that says what came of it', async (t) => {
    const seen: unknown[] = [];
    const { ask, port, audited } = await serveHttp(t, {
      'project.archive': (params) => {
        seen.push(params);
        return archived;
      },
      'project.search': () => nothing,
    });
    const sent = form(port, { id: 'lamp', '.then': 'projects?q=x', '.from': 'projects', '.done': 'Archived.' });
    const { status, headers } = await ask('/act/project.archive', sent);
    assert.equal(status, 303);
    assert.match(String(headers.location), /^\/projects\?q=x&outcome=/);
    assert.deepEqual(seen, [{ id: 'lamp' }]);
    assert.match((await ask(String(headers.location))).text, /role="status">\s*<div><bdi>Archived\.<\/bdi><\/div>/);
    assert.deepEqual(
      audited.map(({ method, subject, outcome }) => [method, subject, outcome]),
      [['project.archive', 'lamp', 'done']],
    );
  });

  test('what a method says against a form is shown on the page that has the form', async (t) => {
    const { ask, port } = await serveHttp(t, {
      'project.archive': () => {
        throw new ControlError('not_found', 'no project "lamp"');
      },
      'project.search': () => nothing,
    });
    const sent = form(port, { id: 'lamp', '.then': 'projects/lamp', '.from': 'projects', '.done': 'Archived.' });
    const { headers } = await ask('/act/project.archive', sent);
    const { text } = await ask(String(headers.location));
    assert.match(text, /role="alert">\s*<div><bdi>no project &quot;lamp&quot;<\/bdi><\/div>/);
  });

  test('what came of an action is shown to nobody else', async (t) => {
    const { ask, port } = await serveHttp(t, {
      'project.archive': () => archived,
      'project.search': () => nothing,
    });
    const { headers } = await ask('/act/project.archive', form(port, { id: 'lamp', '.done': 'Archived.' }));
    const { text } = await ask(String(headers.location).replace('/?', '/projects?'), { token: 'operate' });
    assert.ok(!text.includes('Archived.'));
  });

  for (const [what, headers] of [
    ['of another site', { origin: 'https://example.org' }],
    ['without an origin', { origin: '' }],
    ['of a sandboxed page', { origin: 'null' }],
  ] as const) {
    test(`a form ${what} is refused`, async (t) => {
      const { ask, port } = await serveHttp(t);
      const { status } = await ask('/act/project.archive', form(port, { id: 'lamp' }, headers));
      assert.equal(status, 403);
    });
  }

  test('a form leads to no other site, whatever it says', async (t) => {
    const { ask, port } = await serveHttp(t, { 'project.archive': () => archived });
    for (const then of [
      '//example.org/',
      'https://example.org/',
      '/\\example.org',
      '\\\\example.org',
      'javascript:alert(1)',
    ]) {
      const { headers } = await ask('/act/project.archive', form(port, { id: 'lamp', '.then': then }));
      const location = new URL(String(headers.location), `http://127.0.0.1:${port}`);
      assert.equal(location.origin, `http://127.0.0.1:${port}`, then);
    }
  });

  test('a form of a caller whose role is too low is refused', async (t) => {
    const { ask, port } = await serveHttp(t);
    const { status, text } = await ask('/act/project.archive', { ...form(port, { id: 'lamp' }), token: 'read' });
    assert.equal(status, 403);
    assert.match(text, /expected a token of role operate, got one of role read/);
  });

  test('a viewer sees no action that would be refused', async (t) => {
    const { ask } = await serveHttp(t, { 'project.search': () => nothing });
    assert.match((await ask('/projects')).text, /act\/project\.add/);
    assert.doesNotMatch((await ask('/projects', { token: 'read' })).text, /act\/project\.add/);
  });

  test('the files that pages load are kept by browsers under the address that names their content', async (t) => {
    const { ask } = await serveHttp(t, { 'project.search': () => nothing });
    const { text } = await ask('/projects');
    const paths = Array.from(text.matchAll(/(?:src|href)="(assets\/[^"#]+)/g), ([, path]) => String(path));
    assert.ok(paths.length >= 4);
    for (const path of paths) {
      const { status, headers } = await ask(`/${path}`, { token: undefined });
      assert.equal(status, 200, path);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['x-content-type-options'], 'nosniff');
    }
  });

  test('no file beside those is served', async (t) => {
    const { ask } = await serveHttp(t);
    for (const path of [
      '/assets/../package.json',
      '/assets/%2e%2e/package.json',
      '/assets/tsconfig.json',
      '/assets/__proto__',
    ])
      assert.equal((await ask(path, { token: undefined })).status, 401, path);
  });

  test('an unknown page is a page that says so', async (t) => {
    const { ask } = await serveHttp(t);
    const { status, headers, text } = await ask('/nothing/here');
    assert.equal(status, 404);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(text, /no such page: nothing\/here/);
  });

  test('is compressed where the browser takes that, but with what an action came to', async (t) => {
    const projects = Array.from({ length: 20 }, (_, number) => ({ ...archived, id: `lamp-${number}` }));
    const { port, ask } = await serveHttp(t, {
      'project.search': () => ({ projects, total: { count: projects.length, isExact: true } }),
      'project.archive': () => archived,
    });
    const headers = { authorization: 'Bearer admin', 'accept-encoding': 'br, gzip' };
    const page = await fetch(`http://127.0.0.1:${port}/projects`, { headers });
    assert.equal(page.headers.get('content-encoding'), 'gzip');
    assert.equal(page.headers.get('vary'), 'accept-encoding');
    assert.match(await page.text(), /lamp-19/);
    const plain = await fetch(`http://127.0.0.1:${port}/projects`, {
      headers: { ...headers, 'accept-encoding': 'gzip;q=0' },
    });
    assert.equal(plain.headers.get('content-encoding'), null);
    const acted = await ask('/act/project.archive', form(port, { id: 'lamp', '.then': 'projects' }));
    const shown = await fetch(`http://127.0.0.1:${port}${String(acted.headers.location)}`, { headers });
    assert.equal(shown.headers.get('content-encoding'), null);
  });
});
