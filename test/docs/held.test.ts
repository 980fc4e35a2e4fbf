import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { guardsOf } from '../../src/definition/source-guards.ts';
import { parseSource } from '../../src/definition/load.ts';
import { Event } from '../../src/event/catalogue.ts';

const guide = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'held.md'), 'utf8');

test('the definition in the guide on held values loads, with the guards that it tells of', () => {
  const [, text = ''] = /```yaml\n([^]*?)```/.exec(guide) ?? [];
  const parsed = parseSource(text, 'shop.yaml');
  assert.ok(parsed.ok, JSON.stringify(parsed));
  assert.deepEqual(guardsOf(parsed.value), {
    missing: true,
    empty: true,
    unusual: true,
    fields: {
      product: {
        price: { jump: { part: 0.8 } },
        stock: { confirm: { times: 2, of: 3 } },
        badge: { empty: false },
      },
    },
  });
  const late = parseSource(text.replace('times: 2', 'times: 4').replace('of: 3', 'of: 4'), 'shop.yaml');
  assert.ok(!late.ok && late.problems[0]?.message.includes('the objective of the field, 18h'));
});

test('the events in the guide on held values are those that there are', () => {
  const told = new Set(Array.from(guide.matchAll(/`(value\.\w+)`/g), ([, type]) => type));
  const known = Event.options.map(({ shape }) => shape.type.value).filter((type) => type.startsWith('value.'));
  assert.deepEqual(told, new Set(known));
});
