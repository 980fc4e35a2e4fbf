import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { methods } from '../../src/control/methods.ts';
import { openApi } from '../../src/http/openapi.ts';

const text = JSON.stringify(openApi('1.2.3'));

/** The value at a JSON pointer of the description. */
function at(pointer: string): unknown {
  let found: unknown = JSON.parse(text);
  for (const name of pointer.split('/').slice(1)) {
    if (typeof found !== 'object' || found === null) return undefined;
    const entry = Object.entries(found).find(([key]) => key === name.replaceAll('~1', '/'));
    found = entry?.[1];
  }
  return found;
}

describe('the description of the API', () => {
  test('has an operation for every control method', () => {
    const ids = Array.from(text.matchAll(/"operationId":"([^"]+)"/g), ([, id]) => id);
    assert.equal(ids.length, Object.keys(methods).length);
    assert.deepEqual(new Set(ids), new Set(Object.keys(methods)));
    assert.equal(at('/openapi'), '3.1.0');
    assert.equal(at('/info/version'), '1.2.3');
  });

  test('leads nowhere that is not in it', () => {
    const references = new Set(Array.from(text.matchAll(/"\$ref":"([^"]+)"/g), ([, reference]) => reference ?? ''));
    assert.ok(references.size > 50);
    assert.deepEqual(
      [...references].filter((reference) => !reference.startsWith('#/') || at(reference.slice(1)) === undefined),
      [],
    );
  });

  test('tells the parameters of path, query and body', () => {
    assert.deepEqual(at('/paths/~1v1~1tickets~1{ticket}~1snooze/post/parameters/0/name'), 'ticket');
    assert.deepEqual(
      at('/paths/~1v1~1tickets~1{ticket}~1snooze/post/requestBody/content/application~1json/schema/required'),
      ['forMs'],
    );
    assert.equal(at('/paths/~1v1~1projects~1{id}/delete/parameters/1/in'), 'query');
    assert.ok(at('/paths/~1v1~1events/get/responses/200/content/text~1event-stream') !== undefined);
  });
});
