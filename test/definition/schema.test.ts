import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentKinds } from '../../src/extract/document/all.ts';
import * as z from 'zod';
import { politenessKey, Source } from '../../src/definition/source.ts';
import { byteSizeUpTo } from '../../src/schema/byte-size.ts';
import { Duration } from '../../src/schema/duration.ts';
import { jsonSchema } from '../../src/definition/json-schema.ts';
import { nearName } from '../../src/schema/near-name.ts';
import { SourceId } from '../../src/schema/slug.ts';

describe('a duration', () => {
  for (const [text, ms] of [
    ['500ms', 500],
    ['90s', 90_000],
    ['15m', 900_000],
    ['6h', 21_600_000],
    ['1d', 86_400_000],
    ['366d', 31_622_400_000],
  ] as const) {
    test(`reads ${text}`, () => assert.equal(Duration.parse(text), ms));
  }
  for (const value of [
    '0s',
    '-1h',
    '1.5h',
    '15',
    15,
    '15 m',
    '15M',
    '1w',
    '',
    '367d',
    '99999999999d',
    '1e3s',
    '1h30m',
    null,
  ]) {
    test(`refuses ${JSON.stringify(value)}`, () => assert.equal(Duration.safeParse(value).success, false));
  }
});

describe('a size', () => {
  for (const [text, bytes] of [
    ['1B', 1],
    ['512KiB', 524_288],
    ['32MiB', 33_554_432],
    ['1GiB', 1_073_741_824],
  ] as const) {
    test(`reads ${text}`, () => assert.equal(byteSizeUpTo(z, '1 GiB').parse(text), bytes));
  }
  for (const value of ['0B', '32MB', '32', 32, '2GiB', '1.5MiB', '-1B', '32 MiB']) {
    test(`refuses ${JSON.stringify(value)}`, () =>
      assert.equal(byteSizeUpTo(z, '1 GiB').safeParse(value).success, false));
  }
});

describe('the id of a source', () => {
  for (const id of ['', 'A', '-a', 'a_b', 'a/b', '..', 'a b', 'x'.repeat(65)]) {
    test(`is not ${JSON.stringify(id)}`, () => assert.equal(SourceId.safeParse(id).success, false));
  }
});

describe('the ledger of a request', () => {
  const records = { page: { key: 't', fields: { t: { css: 'b' } } } };

  test('is that of its origin unless the definition names one', () => {
    const source = Source.parse({ id: 'a', provider: 'html', records });
    assert.equal(politenessKey(source, 'http://h.test:80/x'), 'http://h.test');
    assert.equal(
      politenessKey({ ...source, politeness: { ...source.politeness, key: 'shared' } }, 'http://h.test/x'),
      'shared',
    );
  });
});

describe('the JSON Schema', () => {
  test('of each kind of file can be read back as a schema', () => {
    for (const kind of ['source', 'projects', 'daemon'] as const) assert.ok(z.fromJSONSchema(jsonSchema(kind)));
  });

  test('of a source knows its keys, its defaults and the closed set of providers', () => {
    const { properties, required, additionalProperties, $defs = {} } = jsonSchema('source');
    const { $ref = '', ...beside } = Object(properties?.['provider']);
    assert.deepEqual(required, ['id']);
    assert.equal(additionalProperties, false);
    assert.deepEqual(
      { ...beside, ...$defs[$ref.replace('#/$defs/', '')] },
      {
        default: 'html',
        type: 'string',
        enum: Object.keys(documentKinds),
      },
    );
    assert.deepEqual(properties?.['tree'], { default: 'fast', type: 'string', enum: ['fast', 'browser'] });
  });

  test('says once what a source says in many places, for editors read it at each change', () => {
    assert.ok(JSON.stringify(jsonSchema('source')).length < 100_000);
  });

  test('lets an object with fields leave its type out', () => {
    const schema = jsonSchema('source');
    const meant = ({ $ref = '', ...beside }: { readonly $ref?: string; readonly const?: unknown }) => ({
      ...schema.$defs?.[$ref.replace('#/$defs/', '')],
      ...beside,
    });
    const objects: unknown[] = [];
    JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
      const { properties, required } = Object(value);
      if (properties?.fields !== undefined && meant(Object(properties.type)).const === 'object') objects.push(required);
      return value;
    });
    assert.ok(objects.length > 0);
    for (const required of objects) assert.deepEqual(required, ['fields']);
  });
});

describe('a near name', () => {
  for (const [wrong, near] of [
    ['evry', 'every'],
    ['EVERY', 'every'],
    ['eevry', 'every'],
    ['idd', 'id'],
    ['x', undefined],
    ['e'.repeat(100), undefined],
  ] as const) {
    test(`of ${wrong.slice(0, 10)} is ${near ?? 'none'}`, () => assert.equal(nearName(wrong, ['id', 'every']), near));
  }
});
