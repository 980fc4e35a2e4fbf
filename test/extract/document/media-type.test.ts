import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foreignMediaType } from '../../../src/extract/body.ts';

type Row = readonly [
  document: 'html' | 'xml' | 'json' | 'csv',
  contentType: string | undefined,
  body: string,
  foreign: string | undefined,
];

const rows: readonly Row[] = [
  ['html', 'text/html; charset=utf-8', 'hello', undefined],
  ['html', undefined, ' <p>', undefined],
  ['html', 'application/json', '{}', 'application/json'],
  ['html', 'text/plain', 'hello', 'text/plain'],
  ['xml', 'application/rss+xml', '<rss/>', undefined],
  ['xml', 'text/xml', '<?xml version="1.0"?><a/>', undefined],
  ['xml', 'text/html', '<?xml version="1.0"?><rss/>', undefined],
  ['xml', 'text/html', '<!DOCTYPE html><html>', 'text/html'],
  ['xml', 'application/xml', '<html><body>', 'an HTML page called application/xml'],
  ['xml', undefined, '\u00ef\u00bb\u00bf<urlset>', undefined],
  ['xml', undefined, 'nothing', 'text without a tag'],
  ['xml', 'image/png', '<a/>', 'image/png'],
  ['json', 'application/json', '{}', undefined],
  ['json', 'application/vnd.api+json', '{}', undefined],
  ['json', 'application/json', '<html>', 'an HTML page called application/json'],
  ['json', 'text/html', '{"a":1}', undefined],
  ['json', 'text/html', '<p>', 'text/html'],
  ['json', 'text/javascript', '[1]', undefined],
  ['json', undefined, 'callback({})', 'text that is no JSON'],
  ['json', 'text/plain', 'null', undefined],
  ['json', 'application/json', '\u0000\u0001', 'binary content called application/json'],
  ['csv', 'text/csv', 'a,b', undefined],
  ['csv', 'text/plain', 'a,b', undefined],
  ['csv', 'application/vnd.ms-excel', 'a;b', undefined],
  ['csv', 'application/vnd.ms-excel', 'PK\u0003\u0004', 'binary content called application/vnd.ms-excel'],
  ['csv', 'text/html', '<p>', 'text/html'],
  ['csv', 'text/csv', '<!doctype html>', 'an HTML page called text/csv'],
  ['csv', undefined, '<p>', 'text that is no table'],
];

describe('what a body is', () => {
  for (const [document, contentType, body, foreign] of rows) {
    test(`${JSON.stringify(body)} called "${contentType}" is ${foreign === undefined ? document : `no ${document} but ${foreign}`}`, () => {
      assert.equal(foreignMediaType(Buffer.from(body, 'latin1'), contentType, document), foreign);
    });
  }

  test('UTF-16 is read through', () => {
    assert.equal(foreignMediaType(Buffer.from('\ufeff{"a":1}', 'utf16le'), undefined, 'json'), undefined);
  });
});
