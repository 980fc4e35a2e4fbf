import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { templateOf } from '../../src/frontier/template.ts';

describe('the template of a URL', () => {
  const table: readonly (readonly [what: string, path: string, template: string])[] = [
    ['has places for numbers', '/p/123', '/p/{n}'],
    ['has places for numbers within a name', '/p/lamp-12', '/p/lamp-{n}'],
    ['has places for months', '/calendar/2026-05', '/calendar/{date}'],
    ['has places for days', '/on/2026-05-31', '/on/{date}'],
    ['has places for days the other way round', '/on/31.05.2026', '/on/{date}'],
    ['has places for ids of hex digits', '/x/0123456789abcdef', '/x/{id}'],
    ['has places for uuids', '/x/550e8400-e29b-41d4-a716-446655440000', '/x/{id}'],
    ['has places for ids of all letters', '/watch/dQw4w9WgXcQ', '/watch/{id}'],
    ['has places for titles', '/x/how-to-fold-a-heron.html', '/x/{slug}.html'],
    ['keeps plain words', '/shop/new-arrivals/', '/shop/new-arrivals/'],
    ['has the names of arguments in order, each once', '/c?page=2&colour=red&page=3', '/c?colour&page'],
    ['has places for numbers in names of arguments', '/c?f[1]=a&f[2]=b', '/c?f[{n}]'],
    ['tells a few names of many', '/c?a&b&c&d&e&f&g', '/c?a&b&c&d&e&…'],
    ['folds a part that comes again', '/a/a/a/a', '/a+'],
    ['folds parts that come again together', '/x/a/b/a/b/a/b', '/x/(a/b)+'],
    ['folds parts that come again together with a number', '/a/1/b/1/a/2/b/2', '/(a/{n}/b/{n})+'],
    ['leaves out what lies deep', '/a/b/c/d/e/f/g/h', '/a/b/c/d/e/f/…'],
  ];
  for (const [what, path, template] of table)
    test(`${what}: ${path}`, () => assert.equal(templateOf(`http://h.test${path}`), `h.test${template}`));

  test('stays the same while a path grows without end', () => {
    const templates = Array.from({ length: 50 }, (_, index) => templateOf(`http://h.test${'/a/b'.repeat(index + 2)}`));
    assert.equal(new Set(templates).size, 1);
  });

  test('is never longer than 120 characters', () =>
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, size: 'large' }), (url) =>
        assert.ok(templateOf(url).length <= 120),
      ),
    ));
});
