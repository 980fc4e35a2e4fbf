import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { StepIndex } from '../../src/store/step-index.ts';
import { temporaryStore } from './fixture.ts';

async function indexOf(t: TestContext, keep: number) {
  const { store } = await temporaryStore(t);
  const clock = new VirtualClock(1_000_000);
  const index = new StepIndex({ clock, store: () => store, keep, hasWorkers: false, failed: assert.fail });
  return { store, clock, index };
}

function stepOf(path: string) {
  return {
    kind: 'page',
    source: 'shop',
    method: 'GET',
    inDaemon: false,
    url: () => `https://shop.example/${path}`,
  } as const;
}

describe('the index of steps', () => {
  test('keeps the newest, and does not grow over 100,000 tasks and more [S44]', async (t) => {
    const keep = 100_000;
    const { store, index } = await indexOf(t, keep);
    const steps = 120_000;
    for (let number = 1; number <= steps; number += 1) {
      const step = index.begun(stepOf(String(number)));
      step.waits(false);
      step.ended({ state: 'done', bytes: 5_000, status: 200, records: 1 });
      if (number % 1_000 === 0) await index.flush();
    }
    assert.equal(store.stepIndex.count(), keep);
    assert.equal(index.get(steps)?.url, `https://shop.example/${steps}`);
    assert.equal(index.get(steps - keep), undefined);
    assert.equal(index.get(steps - keep + 1)?.state, 'done');
  });

  test('writes a step with all that is known of it, a second after its end at the latest', async (t) => {
    const { store, clock, index } = await indexOf(t, 10);
    const facts = { ...stepOf('a'), target: 3, scrape: 4 };
    const step = index.begun(facts);
    clock.advance(100);
    step.waits(false);
    clock.advance(50);
    const failure = { code: 'internal_error', message: 'it broke \ud800' };
    step.ended({ state: 'failed', status: 500, bytes: 7, failure, stack: 'Error: it broke' });
    const ended = {
      ...{ id: '1', state: 'failed', type: 'page', source: 'shop', method: 'GET', url: 'https://shop.example/a' },
      ...{ target: 3, scrape: 4, queuedAt: 1_000_000, startedAt: 1_000_100, endedAt: 1_000_150, turns: 1 },
      ...{ worker: 'daemon', status: 500, bytes: 7, failure: { ...failure, message: 'it broke \ufffd' } },
      stack: 'Error: it broke',
    };
    assert.deepEqual([...index.rows()], [ended]);
    assert.equal(store.stepIndex.get(1), undefined);
    clock.advance(1_000);
    await index.flush();
    assert.deepEqual(store.stepIndex.get(1), ended);
    assert.deepEqual([...index.rows()], [ended]);
  });

  test('lists what waits, runs and has ended by when it began, each once, and goes on behind any of them', async (t) => {
    const { index } = await indexOf(t, 10);
    const [first, second, third, fourth] = ['1', '2', '3', '4'].map((path) => index.begun(stepOf(path)));
    second?.ended({ state: 'revoked' });
    await index.flush();
    third?.ended({ state: 'revoked' });
    first?.waits(false);
    const states = (before?: number) => Array.from(index.rows(before), ({ id, state }) => `${id} ${state}`);
    assert.deepEqual(states(), ['4 waiting', '3 revoked', '2 revoked', '1 running']);
    assert.deepEqual(states(3), ['2 revoked', '1 running']);
    assert.deepEqual(
      Array.from(index.live(), ({ id }) => id),
      ['4', '1'],
    );
    fourth?.waits(false);
    first?.waits(true);
    assert.deepEqual(
      Array.from(index.live(), ({ state, turns }) => [state, turns]),
      [
        ['running', 1],
        ['waiting', 1],
      ],
    );
    assert.equal(await index.remove([2, 3]), 2);
    assert.deepEqual(states(), ['4 running', '1 waiting']);
  });

  test('says who runs a step: the daemon, or on worker processes nobody until one has', async (t) => {
    const { store } = await temporaryStore(t);
    const clock = new VirtualClock();
    const index = new StepIndex({ clock, store: () => store, keep: 10, hasWorkers: true, failed: assert.fail });
    const [elsewhere, here, lost] = [stepOf('a'), { ...stepOf('b'), inDaemon: true }, stepOf('c')].map((facts) =>
      index.begun(facts),
    );
    for (const step of [elsewhere, here, lost]) step?.waits(false);
    const workers = () => Array.from(index.rows(), ({ worker }) => worker).reverse();
    assert.deepEqual(workers(), [undefined, 'daemon', undefined]);
    elsewhere?.ended({ state: 'done', worker: 'w1' });
    lost?.ended({ state: 'lost' });
    assert.deepEqual(workers(), ['w1', 'daemon', undefined]);
  });

  test('says which worker process runs a step, until its turn is over, and with which it was lost', async (t) => {
    const { store } = await temporaryStore(t);
    const clock = new VirtualClock();
    const index = new StepIndex({ clock, store: () => store, keep: 10, hasWorkers: true, failed: assert.fail });
    const step = index.begun(stepOf('a'));
    const worker = () => index.get(1)?.worker;
    step.waits(false);
    step.takenBy('w1');
    assert.equal(worker(), 'w1');
    step.waits(true);
    assert.equal(worker(), undefined);
    step.waits(false);
    assert.equal(worker(), undefined);
    step.takenBy('w2');
    step.ended({ state: 'lost' });
    assert.equal(worker(), 'w2');
  });
});
