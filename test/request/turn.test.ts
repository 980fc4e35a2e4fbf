import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { strangerAt } from '../../src/definition/source.ts';
import type { RunStep, StepOutcome } from '../../src/engine/step.ts';
import { requestOf } from '../../src/provider/requests.ts';
import { createExchangeInTurn, type GrantCheck } from '../../src/request/turn.ts';
import type { Circuits, FirstTurn, Gate, Grant, RequestWish } from '../../src/request/gate.ts';
import { firstInLine, type RequestIntent } from '../../src/request/intent.ts';

const url = 'http://h.test/';
const came: StepOutcome = { kind: 'redirect', location: `${url}b`, at: 0, elapsedMs: 1, bytes: 0, status: 302 };
const never = new AbortController().signal;

const noSecrets = () => assert.fail('no secrets are looked up');

/** Circuits that nothing asks. */
const shut: Circuits = {
  ended: assert.fail,
  of: () => assert.fail('no circuit is asked'),
};

/** An exchange whose gate grants at once and writes down what happens; its page is read as is said. */
function exchangeAt(
  happened: string[],
  read: () => Promise<StepOutcome> = () => Promise.resolve(came),
  onTake: (wish: RequestWish) => void = () => {},
  runStep: RunStep = async (_step, _signal, onSent, onCame) => {
    onSent();
    onCame?.({ at: 0, elapsedMs: 1, bytes: 0, status: 200 });
    return read();
  },
  acknowledge?: (receipt: string) => void,
) {
  const back = new Set<Grant>();
  const gate: Gate = {
    async take(wish, _signal, check) {
      const { key, prepare } = wish;
      onTake(wish);
      happened.push(`offer ${key}`);
      await prepare?.();
      const verdict = check?.() ?? 'allowed';
      if (verdict === 'allowed') return { lease: { key, number: 1 }, sent: () => void happened.push('sent') };
      happened.push('unused');
      return verdict;
    },
    done(grant, { kind }) {
      if (!back.has(grant)) happened.push(`done ${kind}`);
      back.add(grant);
    },
  };
  return createExchangeInTurn({
    clock: new VirtualClock(),
    hosts: { gate, circuits: shut, expectedWait: () => Promise.resolve({ hold: undefined, waiting: 0 }) },
    secrets: { find: noSecrets, remembered: noSecrets },
    daemon: { data: '', bot: { name: 'Heronry', onlyLoopback: false }, warn: assert.fail },
    runStep,
    ...(acknowledge && { acknowledge }),
  });
}

function intent(): RequestIntent {
  const source = strangerAt(url);
  return { step: { request: requestOf(source, url) }, source, dueAt: 0 };
}

describe('an exchange', () => {
  test('that comes before every other is offered with the instant at which it was asked for', async () => {
    const asked: (number | undefined)[] = [];
    const exchange = exchangeAt([], undefined, ({ askedAt }) => asked.push(askedAt));
    await exchange({ ...intent(), dueAt: firstInLine }, { crawlDelayMs: () => undefined }, never);
    await exchange({ ...intent(), dueAt: 5 }, { crawlDelayMs: () => undefined }, never);
    assert.deepEqual(asked, [new VirtualClock().now(), undefined]);
  });

  test('acknowledges what it brought, unless a scrape is to write it first', async () => {
    const receipts: string[] = [];
    let number = 0;
    const read = async (): Promise<StepOutcome> => ({ ...came, receipt: `${(number += 1)}` });
    const exchange = exchangeAt([], read, undefined, undefined, (receipt) => receipts.push(receipt));
    for (const kind of ['robots', 'page', undefined, 'pulse'] as const)
      await exchange({ ...intent(), ...(kind && { kind }) }, { crawlDelayMs: () => undefined }, never);
    assert.deepEqual(receipts, ['1', '4']);
  });

  test('gives its turn back unused where the page comes of a request that was made before', async () => {
    const happened: string[] = [];
    const earlier = { ...came, isOfEarlierTurn: true } as const;
    const exchange = exchangeAt(happened, undefined, undefined, () => Promise.resolve(earlier));
    assert.equal(await exchange(intent(), { crawlDelayMs: () => undefined }, never), earlier);
    assert.deepEqual(happened, [`offer ${new URL(url).origin}`, 'done unused']);
  });

  test('takes its turn, is sent, and gives the turn back with what came of it', async () => {
    const happened: string[] = [];
    const outcome = await exchangeAt(happened)(intent(), { crawlDelayMs: () => undefined }, never);
    assert.equal(outcome, came);
    assert.deepEqual(happened, ['offer http://h.test', 'sent', 'done answered']);
  });

  test('gives its turn back when the response has come, before its page is read', async () => {
    const happened: string[] = [];
    const reading = Promise.withResolvers<StepOutcome>();
    const begun = Promise.withResolvers<void>();
    const read = (): Promise<StepOutcome> => {
      happened.push('reads');
      begun.resolve();
      return reading.promise;
    };
    const exchange = exchangeAt(happened, read)(intent(), { crawlDelayMs: () => undefined }, never);
    await begun.promise;
    assert.deepEqual(happened, ['offer http://h.test', 'sent', 'done answered', 'reads']);
    const failure = { code: 'extract_timeout', message: 'too slow' };
    reading.resolve({ kind: 'failed', failure, at: 0, elapsedMs: 1, bytes: 0, status: 200 });
    const outcome = await exchange;
    assert.ok(!('refused' in outcome) && outcome.kind === 'failed');
    assert.deepEqual(happened, ['offer http://h.test', 'sent', 'done answered', 'reads']);
  });

  test('that nobody waits for any more offers nothing', async () => {
    const happened: string[] = [];
    const left = AbortSignal.abort(new Error('left'));
    await assert.rejects(exchangeAt(happened)(intent(), { crawlDelayMs: () => undefined }, left), /left/);
    assert.deepEqual(happened, []);
  });

  test('has its check brought up to date before its turn is granted', async () => {
    const happened: string[] = [];
    const check: GrantCheck = {
      verdict: () => 'allowed',
      prepare: () => Promise.resolve(happened.push('prepare')),
    };
    await exchangeAt(happened)(intent(), { crawlDelayMs: () => undefined, check }, never);
    assert.deepEqual(happened, ['offer http://h.test', 'prepare', 'sent', 'done answered']);
  });

  test('uses the turn with which its scrape began, once, and only for the host of that turn', async () => {
    const happened: string[] = [];
    const exchange = exchangeAt(happened);
    const firstTurnOf = (key: string): FirstTurn => {
      let isFree = true;
      return {
        key,
        dueAt: 0,
        isLate: () => false,
        take: () =>
          isFree
            ? ((isFree = false), { lease: { key, number: 2 }, sent: () => void happened.push('first sent') })
            : undefined,
        giveBack: () => void (isFree && happened.push('given back')),
        decline: assert.fail,
      };
    };
    const first = firstTurnOf('http://h.test');
    await exchange({ ...intent(), first }, { crawlDelayMs: () => undefined }, never);
    await exchange({ ...intent(), first }, { crawlDelayMs: () => undefined }, never);
    assert.deepEqual(happened.splice(0), [
      'first sent',
      'done answered',
      'offer http://h.test',
      'sent',
      'done answered',
    ]);
    await exchange({ ...intent(), first: firstTurnOf('http://other.test') }, { crawlDelayMs: () => undefined }, never);
    assert.deepEqual(happened, ['given back', 'offer http://h.test', 'sent', 'done answered']);
  });

  test('that its check refuses when the turn comes is not sent', async () => {
    const happened: string[] = [];
    const refused = { code: 'robots_disallowed', message: 'no' };
    const check: GrantCheck = { verdict: () => refused, prepare: () => undefined };
    const outcome = await exchangeAt(happened)(intent(), { crawlDelayMs: () => undefined, check }, never);
    assert.deepEqual(outcome, { refused });
    assert.deepEqual(happened, ['offer http://h.test', 'unused']);
  });
});
