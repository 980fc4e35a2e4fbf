import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connection } from '../../src/publish/connection.ts';

/** A connection whose openings and closings are told in order. */
function told() {
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const connection = new Connection<string>(
    (address, onEnd) => {
      log.push(`open ${address}`);
      ends.push(onEnd);
      return address === 'bad' ? Promise.reject(new Error('refused')) : Promise.resolve(address);
    },
    async (address) => log.push(`close ${address}`),
  );
  return { connection, log, ends };
}

test('a connection is opened once to an address, and closed for another one', async () => {
  const { connection, log } = told();
  await Promise.all([connection.to('a'), connection.to('a')]);
  await connection.to('b');
  await connection.close();
  assert.deepEqual(log, ['open a', 'open b', 'close a', 'close b']);
});

test('what is left of a connection that has ended is closed, and the next one is opened anew', async () => {
  const { connection, log, ends } = told();
  await connection.to('a');
  ends[0]?.();
  await connection.to('a');
  ends[0]?.();
  assert.deepEqual(log, ['open a', 'open a', 'close a']);
});

test('a connection that could not be opened is tried again', async () => {
  const { connection, log } = told();
  await assert.rejects(connection.to('bad'), /refused/);
  await assert.rejects(connection.to('bad'), /refused/);
  assert.deepEqual(log, ['open bad', 'open bad']);
});
