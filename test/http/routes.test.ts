import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { methods } from '../../src/control/methods.ts';
import { findRoutes, routes } from '../../src/http/routes.ts';
import { Role } from '../../src/schema/role.ts';

describe('the routes of the API', () => {
  test('every control method has one, and no two have the same', () => {
    assert.deepEqual(
      routes.map(({ method }) => method),
      Object.keys(methods),
    );
    assert.equal(new Set(routes.map(({ verb, path }) => `${verb} ${path}`)).size, routes.length);
  });

  test('each is found by its path, with the text of its parameter', () => {
    for (const { method, verb, path, key } of routes) {
      const found = findRoutes(path.replace(/\{\w+\}/, 'a%20b'));
      assert.equal(found?.routes.get(verb)?.method, method, path);
      assert.equal(found?.key, key === undefined ? undefined : 'a b', path);
    }
  });

  test('every method declares a role, and a GET is for readers or only lists', () => {
    for (const { method, spec, verb } of routes) {
      assert.ok(Role.safeParse(spec.role).success, method);
      // What viewers keep for themselves is theirs to change, whatever their role.
      const isOwn = /^(?:view|viewing)\.(?:add|delete)$/.test(method);
      assert.equal(verb === 'GET', !isOwn && (spec.role === 'read' || /\.(?:list|get)$/.test(method)), method);
    }
  });

  test('they read as paths of resources', () => {
    const shown = new Map(routes.map(({ method, verb, path }) => [method, `${verb} ${path}`]));
    assert.deepEqual(
      (
        [
          ...(['project.list', 'project.add', 'project.get', 'project.update', 'project.delete'] as const),
          ...([
            'project.rescrape',
            'project.apply',
            'scrape.get',
            'held.list',
            'settings.get',
            'event.subscribe',
          ] as const),
        ] as const
      ).map((method) => shown.get(method)),
      [
        'GET /v1/projects',
        'POST /v1/projects',
        'GET /v1/projects/{id}',
        'PATCH /v1/projects/{id}',
        'DELETE /v1/projects/{id}',
        'POST /v1/projects/{id}/rescrape',
        'POST /v1/project/apply',
        'GET /v1/scrapes/{scrape}',
        'GET /v1/held',
        'GET /v1/settings',
        'GET /v1/events',
      ],
    );
  });

  test('a path that is none, is badly encoded or climbs is not found', () => {
    for (const path of [
      '/',
      '/v1',
      '/v1/projects/',
      '/v1/projects/%E0%A4%A',
      '/v1/projects/*/none',
      '/v1/projects/a/b/c',
    ])
      assert.equal(findRoutes(path), undefined, path);
  });
});
