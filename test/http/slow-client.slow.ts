import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { serveHttp } from './server.ts';

/** What clients send that do not finish, and the seconds that they have. */
const unfinished: readonly (readonly [what: string, sent: string, seconds: number])[] = [
  ['nothing', '', 10],
  ['a part of its headers', 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n', 10],
  [
    'a part of its body',
    'POST /v1/daemon/shutdown HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer admin\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    60,
  ],
];

describe('a client that sends', { concurrency: true }, () => {
  for (const [what, sent, seconds] of unfinished) {
    test(`${what} is hung up on after ${seconds} s`, async (t) => {
      const { port } = await serveHttp(t);
      const socket = connect(port, '127.0.0.1');
      const begunAt = performance.now();
      socket.on('error', () => undefined);
      socket.resume().write(sent);
      await once(socket, 'close');
      const took = (performance.now() - begunAt) / 1_000;
      assert.ok(took > seconds - 1 && took < seconds + 4, `took ${took} s`);
    });
  }
});
