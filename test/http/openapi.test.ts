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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the specification demands of an operation (OpenAPI 3.1.0, 4.8.10 to 4.8.17), and what we demand: descriptions. */
function* faultsOf(path: string, operation: unknown): Generator<string> {
  assert.ok(isRecord(operation));
  const { description, parameters, requestBody, responses } = operation;
  if (typeof description !== 'string') yield 'no description';
  yield* parameterFaults(path, (Array.isArray(parameters) ? parameters : []).map(resolved));
  if (requestBody !== undefined && !hasContent(requestBody)) yield 'a body without content';
  assert.ok(isRecord(responses) && Object.keys(responses).length > 0, path);
  for (const [status, response] of Object.entries(responses)) yield* responseFaults(status, response);
}

function* parameterFaults(path: string, parameters: readonly Record<string, unknown>[]): Generator<string> {
  const named = parameters.map(({ in: place, name }) => `${String(place)} ${String(name)}`);
  if (new Set(named).size < named.length) yield 'the same parameter twice';
  const inPath = parameters.filter(({ in: place }) => place === 'path');
  const names = inPath.map(({ name }) => `{${String(name)}}`).join();
  if (names !== (path.match(/\{\w+\}/g) ?? []).join()) yield `the parameters of the path are ${names}`;
  if (inPath.some(({ required }) => required !== true)) yield 'a parameter of the path that may be left out';
  for (const { name, description, schema } of parameters)
    if (typeof description !== 'string' || !isRecord(schema)) yield `no description or schema of ${String(name)}`;
}

function* responseFaults(status: string, response: unknown): Generator<string> {
  if (!/^(?:[1-5]\d\d|default)$/.test(status)) yield `"${status}" is no status`;
  if (!isRecord(response) || typeof response['description'] !== 'string') yield `no description of ${status}`;
  else if (status !== '304' && !hasContent(response)) yield `no content of ${status}`;
}

/** A parameter, or what it refers to. */
function resolved(parameter: unknown): Record<string, unknown> {
  assert.ok(isRecord(parameter));
  const found = typeof parameter['$ref'] === 'string' ? at(parameter['$ref'].slice(1)) : parameter;
  assert.ok(isRecord(found));
  return found;
}

function hasContent(body: unknown): boolean {
  return (
    isRecord(body) &&
    isRecord(body['content']) &&
    Object.values(body['content']).every((media) => isRecord(media) && isRecord(media['schema']))
  );
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

  test('is an OpenAPI document by its structure', () => {
    const found: unknown = JSON.parse(text);
    assert.ok(isRecord(found) && isRecord(found['paths']));
    const faults = Object.entries(found['paths']).flatMap(([path, item]) =>
      Object.entries(isRecord(item) ? item : {}).flatMap(([verb, operation]) =>
        Array.from(faultsOf(path, operation), (fault) => `${verb} ${path}: ${fault}`),
      ),
    );
    assert.deepEqual(faults, []);
  });

  test('says what each parameter means', () => {
    assert.equal(
      at('/paths/~1v1~1projects~1{id}/delete/parameters/2/description'),
      'Only tells what would be removed.',
    );
    assert.equal(at('/paths/~1v1~1projects~1{id}/delete/parameters/2/schema/description'), undefined);
    assert.equal(
      at(
        '/paths/~1v1~1tickets~1{ticket}~1snooze/post/requestBody/content/application~1json/schema/properties/forMs/description',
      ),
      'How long nothing is told of the ticket.',
    );
  });

  test('tells the headers that repeat, revalidate and resume', () => {
    const headersOf = (pointer: string) =>
      Array.from(JSON.stringify(at(pointer)).matchAll(/#\/components\/parameters\/(\w+)/g), ([, name]) => name);
    assert.deepEqual(headersOf('/paths/~1v1~1projects/post'), ['IdempotencyKey']);
    assert.deepEqual(headersOf('/paths/~1v1~1projects~1{id}/delete'), ['IdempotencyKey']);
    assert.deepEqual(headersOf('/paths/~1v1~1projects/get'), ['IfNoneMatch']);
    assert.deepEqual(headersOf('/paths/~1v1~1events/get'), ['LastEventId']);
    assert.equal(at('/components/parameters/IdempotencyKey/name'), 'Idempotency-Key');
    assert.ok(at('/paths/~1v1~1projects/get/responses/304') !== undefined);
    assert.ok(at('/paths/~1v1~1projects/get/responses/200/headers/ETag') !== undefined);
    assert.ok(at('/paths/~1v1~1projects/get/responses/200/headers/Link') !== undefined);
    assert.equal(at('/paths/~1v1~1projects~1{id}/get/responses/200/headers/Link'), undefined);
    for (const operation of ['events/get', 'projects/post'])
      assert.equal(at(`/paths/~1v1~1${operation}/responses/304`), undefined);
  });
});
