import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lineLimitBytes } from '../../src/control/message.ts';
import { line, rawClient, serve } from './daemon.ts';

const ping = line('still there', 'daemon.ping');

const refusals: readonly { what: string; sent: string; id: unknown; code: number; data: string; says: RegExp }[] = [
  {
    what: 'a line that is not JSON',
    sent: 'GET / HTTP/1.1\n',
    id: null,
    code: -32700,
    data: 'not_json',
    says: /one JSON-RPC request per line/,
  },
  {
    what: 'JSON nested beyond reason',
    sent: `${'['.repeat(500_000)}\n`,
    id: null,
    code: -32600,
    data: 'invalid_request',
    says: /at most 64 levels of nesting/,
  },
  {
    what: 'parameters nested beyond reason',
    sent: `{"jsonrpc":"2.0","id":1,"method":"project.add","params":${'{"a":'.repeat(130_000)}1${'}'.repeat(130_000)}}\n`,
    id: null,
    code: -32600,
    data: 'invalid_request',
    says: /at most 64 levels of nesting/,
  },
  {
    what: 'bytes that are no text',
    sent: '\u0000\u0001\u0002\n',
    id: null,
    code: -32700,
    data: 'not_json',
    says: /no JSON/,
  },
  {
    what: 'a batch',
    sent: `[${ping.trim()}]\n`,
    id: null,
    code: -32600,
    data: 'invalid_request',
    says: /batches are not served/,
  },
  { what: 'a number', sent: '7\n', id: null, code: -32600, data: 'invalid_request', says: /expected an object, got 7/ },
  {
    what: 'null',
    sent: 'null\n',
    id: null,
    code: -32600,
    data: 'invalid_request',
    says: /expected an object, got null/,
  },
  {
    what: 'another protocol version',
    sent: '{"jsonrpc":"1.0","id":4,"method":"daemon.ping"}\n',
    id: 4,
    code: -32600,
    data: 'invalid_request',
    says: /jsonrpc: expected "2.0"/,
  },
  {
    what: 'a method that is no text',
    sent: '{"jsonrpc":"2.0","id":5,"method":9}\n',
    id: 5,
    code: -32600,
    data: 'invalid_request',
    says: /method: expected a string/,
  },
  {
    what: 'an id that is an object',
    sent: '{"jsonrpc":"2.0","id":{},"method":"daemon.ping"}\n',
    id: null,
    code: -32600,
    data: 'invalid_request',
    says: /id: expected/,
  },
  {
    what: 'an unknown method',
    sent: line(6, 'weather.tell'),
    id: 6,
    code: -32601,
    data: 'unknown_method',
    says: /^unknown method "weather.tell"$/,
  },
  {
    what: 'a mistyped method',
    sent: line(7, 'project.archve'),
    id: 7,
    code: -32601,
    data: 'unknown_method',
    says: /did you mean "project.archive"\?/,
  },
  {
    what: 'a method with two letters swapped',
    sent: line(7, 'tere.get'),
    id: 7,
    code: -32601,
    data: 'unknown_method',
    says: /did you mean "tree.get"\?/,
  },
  {
    what: 'a name that every object has',
    sent: line(8, 'constructor'),
    id: 8,
    code: -32601,
    data: 'unknown_method',
    says: /unknown method/,
  },
  {
    what: 'a mistyped event type',
    sent: line(9, 'event.subscribe', { types: ['scrape.*', 'record.chnged'] }),
    id: 9,
    code: -32602,
    data: 'invalid_params',
    says: /types\[1\]: expected an event type such as .+, got "record.chnged"; did you mean "record.changed"\?/,
  },
  {
    what: 'the begin of no event type',
    sent: line(9, 'event.subscribe', { types: ['scrap.*'] }),
    id: 9,
    code: -32602,
    data: 'invalid_params',
    says: /types\[0\]: expected an event type such as .+, got "scrap\.\*"/,
  },
  {
    what: 'parameters that miss one',
    sent: line(9, 'project.get', {}),
    id: 9,
    code: -32602,
    data: 'invalid_params',
    says: /^project.get: id: /,
  },
  {
    what: 'parameters in a list',
    sent: line(10, 'project.get', ['a']),
    id: 10,
    code: -32602,
    data: 'invalid_params',
    says: /expected a mapping/,
  },
  {
    what: 'an unknown parameter',
    sent: line(11, 'project.get', { id: 'a', force: true }),
    id: 11,
    code: -32602,
    data: 'invalid_params',
    says: /"force"/,
  },
  {
    what: 'a parameter whose value would vanish',
    sent: '{"jsonrpc":"2.0","id":13,"method":"source.try","params":{"id":"a","params":{"x":"1","\\u005f_proto__":"2"}}}\n',
    id: 13,
    code: -32602,
    data: 'invalid_params',
    says: /^source\.try: params\.__proto__: expected a name that is not reserved$/,
  },
  {
    what: 'an address with a password',
    sent: line(14, 'source.try', { id: 'a', url: 'http://me:secret@site.test/' }),
    id: 14,
    code: -32602,
    data: 'invalid_params',
    says: /^source\.try: url: expected an http or https URL without user name and password: [^:]*$/,
  },
  {
    what: 'an address that is too long',
    sent: line(15, 'source.try', { id: 'a', url: `http://site.test/${'x'.repeat(2_067)}` }),
    id: 15,
    code: -32602,
    data: 'invalid_params',
    says: /at most 2083 characters, got 2084$/,
  },
  {
    what: 'an interval that is too short',
    sent: line(16, 'settings.set', { everyMs: 999 }),
    id: 16,
    code: -32602,
    data: 'invalid_params',
    says: /^settings\.set: everyMs: expected a duration of 1s at least \(1000 ms\), got 999$/,
  },
  {
    what: 'a time limit beyond a year',
    sent: line(17, 'settings.set', { timeLimitMs: 366 * 86_400_000 + 1 }),
    id: 17,
    code: -32602,
    data: 'invalid_params',
    says: /timeLimitMs: expected a duration of 366d at most/,
  },
  {
    what: 'an instant as a date',
    sent: line(18, 'audit.list', { since: '2026-11-01' }),
    id: 18,
    code: -32602,
    data: 'invalid_params',
    says: /^audit\.list: since: expected milliseconds since 1970, got "2026-11-01"$/,
  },
  {
    what: 'a call that nothing serves yet',
    sent: line(12, 'tree.get'),
    id: 12,
    code: -32053,
    data: 'not_ready',
    says: /not served here/,
  },
];

describe('control server, badly asked', () => {
  for (const { what, sent, id, code, data, says } of refusals) {
    test(`${what} is answered ${code}, and the client is served on`, async (t) => {
      const { path } = await serve(t);
      const client = await rawClient(t, path);
      client.send(sent + ping);
      const refusal = await client.next();
      assert.ok(refusal?.error);
      assert.equal(refusal.id, id);
      assert.equal(refusal.error.code, code);
      assert.equal(refusal.error.data.code, data);
      assert.match(refusal.error.message, says);
      assert.equal((await client.next())?.id, 'still there');
    });
  }

  test('every parameter that is wrong is listed with its path', async (t) => {
    const { path } = await serve(t);
    const client = await rawClient(t, path);
    client.send(line(1, 'project.add', { id: '-x', multiplier: 0, targets: [{ source: 'crowd', url: 'ftp://x' }] }));
    const refusal = await client.next();
    assert.deepEqual(
      refusal?.error?.data.issues?.map(({ path }) => path),
      ['id', 'multiplier', 'targets[0].url'],
    );
  });

  test('a line over the limit is refused before it ends, skipped, and the client is served on', async (t) => {
    const { path } = await serve(t);
    const client = await rawClient(t, path);
    client.send('x'.repeat(lineLimitBytes + 1));
    const refusal = await client.next();
    assert.equal(refusal?.error?.code, -32600);
    assert.equal(refusal.error.data.code, 'line_too_long');
    client.send(`${'x'.repeat(3 * lineLimitBytes)}\n${ping}`);
    assert.equal((await client.next())?.id, 'still there');
  });

  test('a line of just the limit is served', async (t) => {
    const { path } = await serve(t);
    const client = await rawClient(t, path);
    const short = line(1, 'daemon.ping').trim();
    client.send(`${short}${' '.repeat(lineLimitBytes - short.length)}\n`);
    assert.deepEqual(await client.next(), { jsonrpc: '2.0', id: 1, result: {} });
  });

  test('64 levels of nesting are served, and brackets in texts are no levels', async (t) => {
    const { path } = await serve(t, { 'project.get': () => Promise.reject(new Error('unused')) });
    const client = await rawClient(t, path);
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    const sent = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"project.get","params":${params}}\n`;
    for (const [params, code] of [
      [nested(63), 'invalid_params'],
      [nested(64), 'invalid_request'],
      [JSON.stringify({ id: `"${'[{'.repeat(100)}\\"` }), 'invalid_params'],
      [`{"id":"\\\\","a":${nested(63)}}`, 'invalid_request'],
    ] as const) {
      client.send(sent(params));
      assert.equal((await client.next())?.error?.data.code, code, params);
    }
  });

  test('blank lines are not answered', async (t) => {
    const { path } = await serve(t);
    const client = await rawClient(t, path);
    client.send(`\n\r\n  \n${ping}\n`);
    assert.equal((await client.next())?.id, 'still there');
  });

  test('half a line and a hang-up leaves the others served', async (t) => {
    const { path } = await serve(t);
    const rude = await rawClient(t, path);
    const other = await rawClient(t, path);
    await new Promise((resolve) => rude.socket.write(ping.slice(0, 20), resolve));
    rude.socket.destroy();
    other.send(ping);
    assert.equal((await other.next())?.id, 'still there');
  });

  test('a last line without an end is refused and not carried out', async (t) => {
    let stops = 0;
    const { path } = await serve(t, { 'daemon.shutdown': () => ({ pid: (stops += 1) }) });
    const client = await rawClient(t, path);
    client.socket.end(line(1, 'daemon.shutdown').trim());
    assert.match((await client.next())?.error?.message ?? '', /the last line has no end/);
    assert.equal(await client.next(), undefined);
    assert.equal(stops, 0);
  });

  test('a line that comes byte by byte is served', async (t) => {
    const { path } = await serve(t);
    const client = await rawClient(t, path);
    client.socket.setNoDelay(true);
    for (const byte of line('ü', 'daemon.ping')) {
      await new Promise((resolve) => client.socket.write(byte, resolve));
    }
    assert.equal((await client.next())?.id, 'ü');
  });

  test('a handler that breaks is answered -32603 without its secrets, and reported', async (t) => {
    const broken = new Error('password 1234');
    const server = await serve(t, { 'tree.get': () => Promise.reject(broken) });
    const client = await rawClient(t, server.path);
    client.send(line(1, 'tree.get'));
    const refusal = await client.next();
    assert.deepEqual(refusal?.error, { code: -32603, message: 'tree.get: internal error', data: { code: 'internal' } });
    assert.deepEqual(server.errors, [broken]);
  });

  test('a request without an id is carried out and not answered', async (t) => {
    let calls = 0;
    const { path } = await serve(t, { 'source.list': () => ({ sources: [], calls: (calls += 1) }) });
    const client = await rawClient(t, path);
    client.send(line(undefined, 'source.list') + ping);
    assert.equal((await client.next())?.id, 'still there');
    assert.equal(calls, 1);
  });
});
