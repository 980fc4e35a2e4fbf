import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inlineBytes, isReadInline } from '../../src/engine/inline.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import type { RecordPlan } from '../../src/extract/rule/plan.ts';
import { bodyOf, keyed, planFor } from '../extract/plan.ts';

function isInline(plan: ExtractPlan, bytes = inlineBytes): boolean {
  const body = bodyOf('x'.repeat(bytes));
  const page = {
    url: 'http://site.test/',
    status: 200,
    headers: {},
    body,
    observedAt: 0,
    elapsedMs: 0,
    encodedBytes: bytes,
  };
  return isReadInline(page, { source: 'shop', plan, limitMs: 1_000 });
}

function planWith(field: object, rest: Partial<RecordPlan> = {}, more: Partial<ExtractPlan> = {}): ExtractPlan {
  return planFor([keyed({ field }, rest)], more);
}

describe('a page is read on the main thread', () => {
  test('when it is small, and on a thread when it is not', () => {
    assert.ok(isInline(planWith({})));
    assert.ok(!isInline(planWith({}), inlineBytes + 1));
  });

  test('when its plan has selectors, attributes, meta tags, lists of text and JSON by steps', () => {
    assert.ok(isInline(planWith({ css: 'ul.a > li[data-x="y"] b', type: 'array', of: { type: 'text' } })));
    assert.ok(isInline(planWith({ meta: 'og:title' })));
    assert.ok(
      isInline(
        planWith({ json: '$.items[0].name' }, { each: { by: 'json', path: '$.list[*]' } }, { document: 'json' }),
      ),
    );
  });

  test('unless it has so many tags that reading them by so many places may take long', () => {
    const body = bodyOf('<b>'.repeat(1_300));
    const page = {
      url: 'http://site.test/',
      status: 200,
      headers: {},
      body,
      observedAt: 0,
      elapsedMs: 0,
      encodedBytes: 1,
    };
    assert.ok(!isReadInline(page, { source: 'shop', plan: planWith({}), limitMs: 1_000 }));
    assert.ok(
      isReadInline(
        { ...page, body: bodyOf('<b>'.repeat(300)) },
        { source: 'shop', plan: planWith({}), limitMs: 1_000 },
      ),
    );
  });

  for (const [name, field] of [
    ['XPath', { xpath: '//a[//b]' }],
    ['a pseudo-class', { css: 'p:has(b)' }],
    ['later siblings', { css: 'p ~ b' }],
    ['a descent', { json: '$..name' }],
    ['a filter of a path', { json: '$.list[?@.a==1]' }],
    ['a pattern', { css: 'p', filters: [{ regex: '(a{500}){2}' }] }],
    ['objects', { css: 'p', type: 'object', fields: { a: 'b' } }],
  ] as const) {
    test(`never when a small page could make it long: by ${name}`, () => {
      assert.ok(!isInline(planWith(field)));
    });
  }

  test("never with the browser's tree, nor when each of many places in markup is searched", () => {
    assert.ok(!isInline(planWith({}, {}, { tree: 'browser' })));
    assert.ok(!isInline(planWith({}, { each: { by: 'css', css: 'li' } })));
  });
});
