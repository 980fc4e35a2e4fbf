import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { withoutInterim } from '../../../src/fetch/wire/interim.ts';

const response = 'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\nHTTP/1.1 100 ';

/** What is read of a response that comes in pieces. */
function readOf(pieces: readonly string[]): string {
  const waiting = pieces.map((piece) => Buffer.from(piece));
  const socket = Object.assign(new Socket(), { read: () => waiting.shift() ?? null, write: () => true });
  const { read, write } = withoutInterim(socket);
  write('GET / HTTP/1.1\r\nhost: shop.example\r\n\r\n');
  return pieces.map(() => read.call(socket)?.toString() ?? '').join('');
}

test('interim responses are left out however they are cut into pieces, and a body that looks like one is not', () => {
  const sent = `HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.0 103 Hints\r\n\r\n${response}`;
  assert.equal(readOf([sent]), response);
  assert.equal(readOf(Array.from(sent)), response);
  for (let at = 1; at < sent.length; at += 1) assert.equal(readOf([sent.slice(0, at), sent.slice(at)]), response);
});
