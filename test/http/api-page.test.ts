import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'cheerio';
import { routes } from '../../src/http/routes.ts';
import { serveHttp } from './server.ts';

test('a page describes every method of the API: its path, role, parameters and a call', async (t) => {
  const { ask, port } = await serveHttp(t);
  const { status, text } = await ask('/docs/api', { token: 'read' });
  assert.equal(status, 200);
  const $ = load(text);
  const told = $('article').toArray();
  assert.deepEqual(new Set(told.map((each) => $(each).attr('id'))), new Set(routes.map(({ method }) => method)));
  const add = $('[id="project.add"]').text();
  assert.match(add, /POST \/v1\/projects/);
  assert.match(add, /Role: operate/);
  assert.match(add, /targets\s*object\[\]\s*body\s*yes/);
  assert.match(add, new RegExp(`-d '\\{"targets":\\[\\{.*\\}\\]\\}' 'http://127\\.0\\.0\\.1:${port}/v1/projects'`));
  assert.match($('[id="project.diff"]').text(), /'http:\/\/127\.0\.0\.1:\d+\/v1\/projects\/ID\/diff\?from=FROM'/);
  assert.match($('#errors').text(), /too_many_failures\s*429/);
  for (const link of $('a[href^="docs/api#"]')) {
    const id = $(link).attr('href')?.split('#')[1] ?? '';
    assert.equal($(`[id="${id}"]`).length, 1, id);
  }
  assert.equal((await ask('/docs/api', { token: undefined })).status, 401);
});
