import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openPool } from './many-pages.ts';
import { bodyOf, keyed, planFor, read } from './plan.ts';

const key = '<p class=key>bottom</p>';
const script = (text: string): string => `<script id=s type="application/ld+json">${text}</script>${key}`;
const objects = (count: number): string => `[${'{},'.repeat(count)}{}]`;
const planIn = (where: unknown) => planFor([keyed({ x: { json: '$.a', in: where } })]);
const linked = planIn('ld+json');

const failure = { code: 'too_many_parts', document: 'json', limit: 1_000_000 };

describe('JSON within a page that no thread could hold', () => {
  test('costs its page and nothing else, wherever it stands', { timeout: 60_000 }, async (context) => {
    const readPooled = await openPool(context);
    const bomb = objects(9_000_000);
    for (const [html, plan] of [
      [script(bomb), linked],
      [`<template>${script(bomb)}</template>`, linked],
      [script(`{"a":${bomb}}`), planIn({ script: '#s' })],
      [script(`STATE = ${bomb}`), planIn({ variable: 'STATE' })],
      [script(`STATE = JSON.parse("${bomb}")`), planIn({ variable: 'STATE' })],
    ] as const) {
      const outcome = await readPooled({ body: bodyOf(html), url: 'http://site.test/', plan });
      assert.deepEqual(outcome.ok ? undefined : outcome.failure, failure);
    }
    assert.equal((await readPooled({ body: bodyOf(key), url: 'http://site.test/', plan: linked })).ok, true);
  });

  test('is counted over all blocks and all places of the page together', async () => {
    const block = script(`{"a":${objects(120_000)}}`);
    assert.equal((await read(block.repeat(4), linked)).ok, true);
    const outcome = await read(block.repeat(5), linked);
    assert.deepEqual(outcome.ok ? undefined : outcome.failure, failure);
    const twice = planFor([keyed({ x: { json: '$.a', in: 'ld+json' }, y: { json: '$.b', in: { script: '#s' } } })]);
    assert.equal((await read(script(`{"a":${objects(240_000)}}`), twice)).ok, true);
    const both = await read(script(`{"a":${objects(260_000)}}`), twice);
    assert.deepEqual(both.ok ? undefined : both.failure, failure);
  });

  test('does not count where no rule looks for it', async () => {
    assert.equal((await read(script(objects(1_000_000)), planFor([keyed({})]))).ok, true);
  });
});
