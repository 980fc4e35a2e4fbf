import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { methods } from '../../src/control/methods.ts';
import type { MethodSpec } from '../../src/control/methods/method.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Yields the path of each property that a caller may send, at every depth, with its schema. */
function* sentIn(schema: Schema, path: readonly string[] = []): Generator<readonly [path: string, schema: Schema]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (typeof property !== 'object') continue;
    yield [[...path, name].join('.'), property];
    yield* sentIn(property, [...path, name]);
  }
  const inner = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flat();
  for (const each of inner) if (typeof each === 'object') yield* sentIn(each, path);
}

describe('the table of methods', () => {
  for (const [name, { doc, params }] of Object.entries<MethodSpec>(methods)) {
    test(`says what ${name} does, and what each of its parameters means`, () => {
      const sent = [...sentIn(z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }))];
      const vague = sent.filter(([, { description }]) => !isSentence(description)).map(([path]) => path);
      assert.ok(isSentence(doc), doc);
      assert.deepEqual(vague, [], 'expected `.describe(…)` with a sentence');
    });
  }

  test('lets callers send what has parts of its own', () => {
    const paths = Array.from(sentIn(z.toJSONSchema(methods['project.add'].params, { io: 'input' })), ([path]) => path);
    for (const path of ['targets.url', 'objectives.fields.warnAfterMs', 'metrics.of', 'sinks.sink', 'tokens.cap'])
      assert.ok(paths.includes(path), path);
  });
});

function isSentence(text: string | undefined): boolean {
  return text !== undefined && /^[A-Z`].*\.$/s.test(text);
}
