import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseSource } from '../../../src/definition/load.ts';
import { extract } from '../../../src/extract/extract.ts';
import type { ExtractOutcome } from '../../../src/extract/draft.ts';
import { planOf } from '../../../src/provider/plans.ts';
import { WorkBudget, TooMuchWork } from '../../../src/work-budget.ts';
import { bodyOf, planFor } from '../plan.ts';

function readBy(definition: string, body: string | Buffer, contentType: string): Promise<ExtractOutcome> {
  const parsed = parseSource(`id: site\n${definition}`, 'site.yaml');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const bytes = typeof body === 'string' ? bodyOf(body) : new Uint8Array(body).buffer;
  return extract({ body: bytes, url: 'http://site.test/', contentType, plan: planOf(parsed.value) });
}

async function fieldsBy(...given: Parameters<typeof readBy>): Promise<unknown> {
  const outcome = await readBy(...given);
  return outcome.ok ? outcome.extraction.drafts.map(({ fields }) => fields) : outcome.failure;
}

const jsonLines = 'provider: jsonl\nrecords: { item: { key: id, fields: { id: $.id, name: $.name } } }';

describe('JSON lines', () => {
  test('have a record in each line, whatever the lines end with', async () => {
    const body = '{"id": "a", "name": "A"}\r\n\n{"id": "b"}\n';
    for (const contentType of ['application/x-ndjson', 'application/jsonl; charset=utf-8', 'text/plain', ''])
      assert.deepEqual(await fieldsBy(jsonLines, body, contentType), [{ id: 'a', name: 'A' }, { id: 'b' }]);
  });

  test('of which one is cut are a failure that names the line', async () => {
    const outcome = await readBy(jsonLines, '{"id": "a"}\n{"id": "b', 'application/jsonl');
    assert.ok(!outcome.ok && outcome.failure.code === 'unparseable');
    assert.match(outcome.failure.message, /^in line 2: /);
  });
});

describe('a text', () => {
  const log = 'a=1\r\nb=2\n';

  test('has a record in each line where a definition says so', async () => {
    const definition = `provider: text
records: { row: { key: name, each: "$.lines[*]", fields: { name: { json: $, filters: [{ regex: "^(.)=" }] }, value: { json: $, filters: [{ regex: "=(.*)" }], type: integer } } } }`;
    assert.deepEqual(await fieldsBy(definition, log, 'text/plain'), [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ]);
  });

  test('is one record without that', async () => {
    const definition =
      'provider: text\nrecords: { page: { key: first, fields: { first: "$.lines[0]", all: $.text } } }';
    assert.deepEqual(await fieldsBy(definition, log, 'application/x-log'), [{ first: 'a=1', all: log.trim() }]);
  });

  test('is neither a page nor data', async () => {
    const definition = 'provider: text\nrecords: { page: { key: all, fields: { all: $.text } } }';
    for (const [body, contentType, mediaType] of [
      ['<!doctype html><p>', 'text/plain', 'an HTML page called text/plain'],
      ['\0\x01', 'text/plain', 'binary content called text/plain'],
      ['a', 'image/png', 'image/png'],
    ] as const) {
      const failure = { code: 'wrong_type', mediaType, document: 'text' };
      assert.deepEqual(await fieldsBy(definition, body, contentType), failure);
    }
  });
});

describe('a file of gzip', () => {
  const table = 'provider: csv\nrecords: { row: { key: id, fields: { id: $.id, n: $.n } } }';

  test('is read as what it holds, whatever it is called', async () => {
    const body = gzipSync('id,n\na,1\n');
    for (const contentType of ['application/gzip', 'application/x-gzip', 'application/octet-stream', 'text/csv', ''])
      assert.deepEqual(await fieldsBy(table, body, contentType), [{ id: 'a', n: '1' }]);
  });

  test('may be a sitemap', async () => {
    const body = new Uint8Array(gzipSync('<urlset><url><loc>http://site.test/a</loc></url></urlset>')).buffer;
    const plan = planFor([], { document: 'xml', links: 'sitemap', mayBeEmpty: true });
    const outcome = await extract({ body, url: 'http://site.test/s.xml.gz', contentType: 'application/gzip', plan });
    assert.deepEqual(outcome.ok && outcome.extraction.links, ['http://site.test/a']);
  });

  test('that is cut, or holds more than it may, is a failure', async () => {
    const bomb = gzipSync(Buffer.alloc(60 * 1024 * 1024));
    for (const [body, message] of [
      [gzipSync('id,n\na,1\n').subarray(0, 20), /^it is no gzip: /],
      [bomb, /^it holds more than 52428800 bytes$/],
    ] as const) {
      const outcome = await readBy(table, body, 'application/gzip');
      assert.ok(!outcome.ok && outcome.failure.code === 'unparseable');
      assert.match(outcome.failure.message, message);
    }
  });

  test('is left to a thread where the work is bounded', async () => {
    const budget = new WorkBudget(1_000_000);
    const body = new Uint8Array(gzipSync('<p>')).buffer;
    const reading = extract({ body, url: '', plan: planFor([]) }, { run: (read) => budget.run(read) });
    await assert.rejects(reading, TooMuchWork);
  });
});
