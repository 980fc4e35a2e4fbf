import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { strangerAt } from '../../src/definition/source.ts';
import type { StepOutcome } from '../../src/engine/step.ts';
import { requestOf } from '../../src/provider/requests.ts';
import type { RequestIntent } from '../../src/request/intent.ts';
import { SentCredentials } from '../../src/request/sent-credentials.ts';
import { WatchedExchange } from '../../src/request/watch-steps.ts';
import type { StepEnd, StepFacts } from '../../src/view/watched-step.ts';

const clock = new VirtualClock(7_000);
const secret = 'a-long-session-token';
const failure: StepOutcome = {
  ...{ kind: 'failed', at: 0, elapsedMs: 1, bytes: 3, status: 500 },
  failure: { code: 'status', message: `the answer repeats ${secret}`, excerpt: 'the page' },
};

/** An exchange of an intent that differs so, with what is told of it. */
function watchedExchange(more: Partial<RequestIntent> = {}, url = `https://h.test/a?s=${secret}`) {
  const told: { facts?: StepFacts; readonly waits: boolean[]; readonly workers: string[]; end?: StepEnd } = {
    waits: [],
    workers: [],
  };
  const source = strangerAt('https://h.test/');
  const intent: RequestIntent = { step: { request: requestOf(source, url) }, source, dueAt: 0, ...more };
  const caller = new AbortController();
  const watcher = {
    begun(facts: StepFacts) {
      told.facts = facts;
      return {
        waits: (isWaiting: boolean) => void told.waits.push(isWaiting),
        takenBy: (worker: string) => void told.workers.push(worker),
        ended: (end: StepEnd) => void (told.end = end),
      };
    },
  };
  return { told, caller, exchange: new WatchedExchange(watcher, intent, caller.signal, clock) };
}

describe('a step that is watched', () => {
  test('is told without the secrets of its scrape, and without the page', () => {
    const sent = new SentCredentials();
    sent.note({ cookie: `session=${secret}` });
    const { told, exchange } = watchedExchange({ sent, scrape: 4, target: 3 });
    assert.equal(told.facts?.url(), 'https://h.test/a?s=…');
    assert.equal(exchange.ended(failure), failure);
    assert.deepEqual(told.end, {
      ...{ state: 'failed', bytes: 3, status: 500 },
      failure: { code: 'status', message: 'the answer repeats [secret cookie]' },
    });
    const broken = new Error(`broke with ${secret}`);
    assert.throws(() => watchedExchange({ sent, scrape: 4 }).exchange.broke(broken), broken);
  });

  test('of a log-in is told without the query of its address', () => {
    assert.equal(watchedExchange({ kind: 'login' }).told.facts?.url(), 'https://h.test/a');
  });

  test('waits, and has its turn, as its request does', () => {
    const heard: boolean[] = [];
    const { told, exchange } = watchedExchange({ waits: (isWaiting) => void heard.push(isWaiting) });
    exchange.intent.waits?.(false);
    exchange.intent.waits?.(true);
    assert.deepEqual(
      [told.waits, heard],
      [
        [false, true],
        [false, true],
      ],
    );
  });

  test('is told who runs it, as its request is', () => {
    const heard: string[] = [];
    const { told, exchange } = watchedExchange({ takenBy: (worker) => void heard.push(worker) });
    exchange.intent.takenBy?.('w1');
    assert.deepEqual([told.workers, heard], [['w1'], ['w1']]);
  });

  test('that no scrape makes can be cut: its outcome is a failure, and its caller goes on', () => {
    const { told, exchange } = watchedExchange();
    told.facts?.cut?.('by ada');
    assert.equal(exchange.signal.aborted, true);
    const revoked = {
      ...{ kind: 'failed', at: 7_000, elapsedMs: 0, bytes: 0 },
      failure: { code: 'revoked', message: 'by ada' },
    };
    assert.deepEqual(exchange.broke(exchange.signal.reason), revoked);
    assert.equal(told.end?.state, 'revoked');
    // What came before it could be cut counts.
    const came: StepOutcome = { kind: 'redirect', location: 'https://h.test/b', at: 0, elapsedMs: 1, bytes: 0 };
    const late = watchedExchange();
    late.told.facts?.cut?.('by ada');
    assert.equal(late.exchange.ended(came), came);
    assert.equal(late.told.end?.state, 'done');
  });

  test('of a scrape ends with the scrape alone', () => {
    const { told, caller, exchange } = watchedExchange({ scrape: 4 });
    assert.equal(told.facts?.cut, undefined);
    caller.abort(new Error('the scrape is cancelled'));
    assert.throws(() => exchange.broke(caller.signal.reason), /the scrape is cancelled/);
    assert.deepEqual(told.end, {
      state: 'revoked',
      failure: { code: 'revoked', message: 'the scrape is cancelled' },
    });
  });

  test('is lost with its worker process, and says which one ran it', () => {
    const lost = watchedExchange();
    lost.exchange.ended({ ...failure, failure: { code: 'worker_lost', message: 'lost' } });
    assert.equal(lost.told.end?.state, 'lost');
    const ran = watchedExchange();
    ran.exchange.ended({ ...failure, ran: { worker: 'w1', waitedMs: 1, ranMs: 2 } });
    assert.equal(ran.told.end?.worker, 'w1');
  });
});
