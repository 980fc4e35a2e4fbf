import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ControlError } from '../../src/control/error.ts';
import type { RecordView } from '../../src/view/record.ts';
import { serveHttp } from '../http/server.ts';

function record(key: string, fields: Record<string, RecordView['fields'][string]['value']>): RecordView {
  return {
    record: 1,
    id: `r${key}`,
    source: 'shop',
    type: 'offer',
    key,
    target: 1,
    url: 'https://shop.example/',
    firstSeenAt: 0,
    updatedAt: 1_000,
    sequence: 1,
    lastScrape: 1,
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, { value, observedAt: 0, verifiedAt: 0 }]),
    ),
  };
}

const start = 'shop,offer,';
const end = ',https://shop.example/,1970-01-01T00:00:00.000Z,1970-01-01T00:00:01.000Z';

describe('the file of the records of a project', () => {
  test('is a table of all its records, whatever slices they are read in', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.records': ({ after }) =>
        after === undefined
          ? { records: [record('1', { price: { amount: '12.50', currency: 'EUR' } })], next: 'more' }
          : { records: [record('2', { name: 'Lamp, "big"' })] },
    });
    const { status, headers, text } = await ask('/projects/lamp/records.csv');
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(headers['content-disposition'], 'attachment; filename="lamp.csv"');
    assert.deepEqual(text.split('\r\n'), [
      '_source,_type,_key,_url,_firstSeenAt,_updatedAt,price,price_currency,name',
      `${start}1${end},12.50,EUR,`,
      `${start}2${end},,,"Lamp, ""big"""`,
      '',
    ]);
  });

  test('has no formula of a site, while numbers stay numbers', async (t) => {
    const texts = ['=HYPERLINK("https://evil.example")', '+1+1', '-2-3', '@SUM(A1)', '\t=1', '\r=1', '-12.5'];
    const { ask } = await serveHttp(t, {
      'project.records': () => ({ records: texts.map((text) => record(text, { text })) }),
    });
    const { text } = await ask('/projects/lamp/records.csv');
    for (const each of texts.slice(0, -1)) {
      const defused = `'${each.replaceAll('"', '""')}`;
      assert.equal(text.split(defused).length, 3, each);
    }
    assert.match(text, /,-12\.5\r\n/);
  });

  test('of a project that there is not, or that a caller does not see, is refused', async (t) => {
    const { ask } = await serveHttp(t, {
      'project.records': ({ id }) => {
        throw new ControlError('not_found', `no project "${id}"`);
      },
    });
    assert.equal((await ask('/projects/none/records.csv')).status, 404);
    assert.equal((await ask('/projects/none/records.csv', { token: undefined })).status, 401);
    assert.equal((await ask('/projects/none/records.csv', { verb: 'POST' })).status, 405);
  });

  test('says in a last row which records it has left out', async (t) => {
    const slice = Array.from({ length: 50_000 }, () => record('1', {}));
    const { ask } = await serveHttp(t, { 'project.records': () => ({ records: slice, next: 'more' }) });
    const rows = (await ask('/projects/lamp/records.csv')).text.split('\r\n');
    assert.equal(rows.length, 100_003);
    assert.equal(rows.at(-2), '"Left out: the records after the first 100,000.",,,,,');
  });

  test('says in a last row which fields it has left out', async (t) => {
    const names = Array.from({ length: 502 }, (_, place) => `f${place}`);
    const { ask } = await serveHttp(t, {
      'project.records': () => ({ records: [record('1', Object.fromEntries(names.map((name) => [name, 1])))] }),
    });
    const [head = '', , last, end] = (await ask('/projects/lamp/records.csv')).text.split('\r\n');
    assert.equal(head.split(',').length, 506);
    assert.equal(last?.replace(/,*$/, ''), '"Left out: the fields f500, f501."');
    assert.equal(end, '');
  });

  test('says in a last row which fields came about while it was read', async (t) => {
    let calls = 0;
    const { ask } = await serveHttp(t, {
      'project.records': () => ({ records: [record('1', (calls += 1) === 1 ? { a: 1 } : { a: 1, b: 2 })] }),
    });
    const rows = (await ask('/projects/lamp/records.csv')).text.split('\r\n');
    assert.deepEqual(rows.slice(1), [`${start}1${end},1`, 'Left out: the field b.,,,,,,', '']);
  });

  test('that its reader gives up ends without a failure', async (t) => {
    const { promise: waits, resolve } = Promise.withResolvers<AbortSignal>();
    const long = record('1', { text: 'x'.repeat(1_000_000) });
    const { port, errors } = await serveHttp(t, {
      'project.records': (_params, { signal }) => {
        resolve(signal);
        return { records: Array.from({ length: 100 }, () => long) };
      },
    });
    const request = get({ port, path: '/projects/lamp/records.csv', headers: { authorization: 'Bearer read' } });
    const [response]: IncomingMessage[] = await once(request, 'response');
    response?.pause();
    const signal = await waits;
    const aborted = once(signal, 'abort');
    request.destroy();
    await aborted;
    await setImmediate();
    assert.deepEqual(errors, []);
  });
});
