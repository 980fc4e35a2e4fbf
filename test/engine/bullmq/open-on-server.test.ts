import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { queuesOf } from '../../../src/daemon/configured.ts';
import { VirtualClock } from '../../../src/clock.ts';
import { openOnServer, plainError, plainWarn } from '../../../src/engine/bullmq/open-on-server.ts';
import { Opened } from '../../../src/engine/bullmq/queue-server.ts';
import { secretsFrom } from '../../../src/session/secret-store.ts';

test('an error of the connection is told without the command that failed, which may hold the password', () => {
  const error = Object.assign(new Error('WRONGPASS'), { command: { name: 'hello', args: ['AUTH', 'me', 'hunter2'] } });
  assert.equal(plainError(error).message, 'WRONGPASS');
  assert.doesNotMatch(inspect(plainError(error)), /hunter2/);
});

test('a secret that is no address is told by its name alone', async () => {
  const findSecrets = secretsFrom({ environment: { HERONRY_SECRET_QUEUE: 'redis://:ab/hunter2@host:6379' } });
  const queues = queuesOf({ url: { secret: 'QUEUE' }, cluster: 'c' }, findSecrets, new Uint8Array(32));
  await assert.rejects(queues.address(), (error) => {
    assert.doesNotMatch(inspect(error), /hunter2/);
    return error instanceof Error && error.message === 'the secret QUEUE is no URL';
  });
});

describe('warnings about the queues', () => {
  function open() {
    const clock = new VirtualClock(0);
    const told: string[] = [];
    const ending = new AbortController();
    const warn = plainWarn({
      ...{ clock, ending: ending.signal },
      warn: (what, error) => void told.push(`${clock.monotonic()} ${what}: ${String(error)}`),
    });
    return { clock, told, warn, ending };
  }

  test('of one kind are told once a second at most, and those of other kinds after them, not one of which is dropped', () => {
    const { clock, told, warn } = open();
    for (const what of ['a', 'a', 'b', 'a', 'c', 'b']) warn(what, new Error(what));
    assert.deepEqual(told, ['0 a: Error: a']);
    clock.advance(10_000);
    assert.deepEqual(told, ['0 a: Error: a', '1000 b: Error: b', '2000 c: Error: c']);
    warn('a', new Error('again'));
    assert.equal(told.at(-1), '10000 a: Error: again');
  });

  test('in the same words are told once a minute', () => {
    const { clock, told, warn } = open();
    for (let second = 0; second < 120; second += 5) {
      warn('full', new Error('OOM'));
      clock.advance(5_000);
    }
    assert.deepEqual(told, ['0 full: Error: OOM', '60000 full: Error: OOM']);
  });

  test('without an error are a sentence alone', () => {
    const { told, warn } = open();
    warn('waits');
    assert.deepEqual(told, ['0 waits: undefined']);
  });

  test('keep nothing from ending: what waits then is dropped', () => {
    const { clock, told, warn, ending } = open();
    for (const what of ['a', 'b']) warn(what, new Error(what));
    ending.abort();
    warn('c', new Error('c'));
    clock.advance(1_000);
    assert.deepEqual(told, ['0 a: Error: a']);
    warn('d', new Error('d'));
    assert.equal(told.at(-1), '1000 d: Error: d');
  });
});

test('what waits for the address of a server, which does not come, ends with its signal', async () => {
  const ending = new AbortController();
  const reach = {
    address: () => new Promise<never>(() => undefined),
    ...{ migrate: false, monotonic: () => 0, warn: () => assert.fail('warned') },
  };
  const opening = openOnServer(reach, () => assert.fail('opened'), ending.signal);
  ending.abort(new Error('the engine ended'));
  await assert.rejects(opening, /the engine ended/);
});

describe('what is open on a server', () => {
  function closable() {
    const events = new EventEmitter();
    let closed = 0;
    return Object.assign(events, {
      times: () => closed,
      async close() {
        closed += 1;
        events.emit('closed');
      },
    });
  }

  test('is closed with it, but for workers that were closed before', async () => {
    const opened = new Opened(() => undefined);
    const [before, after, queue] = [closable(), closable(), closable()];
    opened.addWorker(before);
    opened.addWorker(after);
    opened.add(queue);
    await before.close();
    await opened.close();
    assert.deepEqual([before.times(), after.times(), queue.times()], [1, 1, 1]);
  });

  test('is closed at once where it was opened too late', async () => {
    const opened = new Opened(() => undefined);
    await opened.close();
    const late = closable();
    opened.add(late);
    assert.equal(late.times(), 1);
  });
});
