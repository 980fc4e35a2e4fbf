import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { VirtualClock } from '../../../src/clock.ts';
import { Cluster } from '../../../src/engine/bullmq/cluster.ts';
import { Dispatcher } from '../../../src/engine/bullmq/dispatcher.ts';
import type { DispatcherDeps } from '../../../src/engine/bullmq/dispatcher-deps.ts';
import type { Presence, Report, StepResult } from '../../../src/engine/bullmq/protocol.ts';
import type { Process, RelayedMessage } from '../../../src/engine/bullmq/queue-server.ts';
import { TurnUnused } from '../../../src/engine/step.ts';
import { playedQueue, playedServer, takesNothing } from './played-server.ts';
import { stepOf } from './played-steps.ts';

const seconds = 1_000;
const cluster = new Cluster({ name: 'c', version: '1', key: new Uint8Array(32).fill(1) });

/** A dispatcher on a server that is played, by a clock that is set. */
async function open(t: TestContext, more: Parameters<typeof playedServer>[0] = {}, deps: Partial<DispatcherDeps> = {}) {
  const clock = new VirtualClock(Date.now());
  const { server, published, pass: relay, take } = playedServer({ now: async () => clock.now(), ...more });
  let reported = 0;
  const dispatcher = await Dispatcher.open(
    server,
    {
      ...{ clock, cluster, holder: 'daemon', forgetAfterMs: 60 * seconds, credited: () => undefined },
      superseded: () => assert.fail('superseded'),
      warn: (problem, error) => assert.fail(`${problem}: ${String(error)}`),
      ...deps,
    },
    t.signal,
  );
  t.after(() => dispatcher.close());
  /** Has so many seconds pass, one by one. */
  const pass = async (count: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      clock.advance(seconds);
      await settled();
    }
  };
  /** Has a worker process report, sealed with a key. */
  const report = (worker: string, message: Report, by = cluster): void => {
    reported += 1;
    const data = by.seal('report', worker, { number: clock.now() * 1_000 + reported, message });
    relay({ topic: `report.${worker}`, data });
  };
  /** Has a worker process put a result into the queue. */
  const end = (id: string, result: StepResult): Promise<void> | undefined =>
    take(cluster.results, { id, data: cluster.seal('result', id, result) });
  return { clock, dispatcher, published, pass, report, end };
}

function presenceOf(id: string, more: Partial<Presence> = {}): Presence {
  return {
    ...{ type: 'present', id, host: 'crow', pid: 1, version: '1', startedAt: 0, isDraining: false },
    ...{ concurrency: 4, active: [], processed: 0, failed: 0 },
    ...more,
  };
}

const policyOf = (concurrency: number) => {
  return { concurrency, delayMs: 0, minDelayMs: 0, crawlDelayMs: undefined, autoThrottle: undefined };
};

const never = (): Promise<never> => new Promise(() => undefined);

describe('a dispatcher', () => {
  test('renews its lease every 5 s also while a look at the queues takes for ever', async (t) => {
    let taken = 0;
    const takeLease = async (): Promise<number> => {
      taken += 1;
      return 1;
    };
    const { pass } = await open(t, { takeLease, queue: { getJobCounts: never } });
    assert.equal(taken, 1);
    await pass(30);
    assert.equal(taken, 7);
  });

  test('does not take a lease again that it has given up, though it was about to renew it', async (t) => {
    const asked: number[] = [];
    let answer = (): void => undefined;
    let isSlow = false;
    const { dispatcher, pass } = await open(t, {
      now: () =>
        isSlow ? new Promise((resolve) => (answer = () => resolve(Date.now()))) : Promise.resolve(Date.now()),
      async takeLease(_cluster, _holder, ms) {
        asked.push(ms);
        return 1;
      },
    });
    isSlow = true;
    await pass(5);
    await dispatcher.close();
    answer();
    await settled();
    assert.equal(asked.at(-1), 0);
  });

  for (const [what, error] of [
    ['Redis that is full', new Error("OOM command not allowed when used memory > 'maxmemory'.")],
    ['PostgreSQL whose disk is full', Object.assign(new Error('could not extend file'), { code: '53100' })],
  ] as const)
    test(`gives back a step that is refused by ${what}, and grants no turn until the server takes something again`, async (t) => {
      let isFull = false;
      const orFull =
        <T>(value: T) =>
        async (): Promise<T> => {
          if (isFull) throw error;
          return value;
        };
      const warned: string[] = [];
      const credits: number[] = [];
      const { dispatcher, pass, report } = await open(
        t,
        { takeLease: orFull(1), queue: { add: orFull(undefined) } },
        { warn: (problem) => void warned.push(problem), credited: (steps) => void credits.push(steps) },
      );
      report('w1', presenceOf('w1'));
      assert.deepEqual(credits, [5]);
      isFull = true;
      await assert.rejects(
        dispatcher.run(stepOf('/a'), t.signal, () => assert.fail('sent')),
        TurnUnused,
      );
      assert.deepEqual([warned, credits], [['the server of the queues takes no step'], [5, 0]]);
      await pass(5);
      assert.deepEqual(credits, [5, 0]);
      isFull = false;
      report('w1', presenceOf('w1'));
      await pass(5);
      assert.deepEqual(credits, [5, 0, 5]);
    });

  test('keeps a step that a worker process runs though its server has lost it, says so once, and has its outcome', async (t) => {
    const warned: string[] = [];
    const added: string[] = [];
    const add = async (_name: string, _text: string, { jobId }: { readonly jobId: string }) => void added.push(jobId);
    const { dispatcher, pass, report, end } = await open(
      t,
      { queue: { add } },
      { warn: (problem) => void warned.push(problem) },
    );
    const [runs, waits] = [stepOf('/runs'), stepOf('/waits')].map((step) =>
      dispatcher.run(step, t.signal, () => undefined),
    );
    const lost = assert.doesNotReject(
      waits?.then((outcome) => assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'worker_lost')) ??
        Promise.reject(new Error('not begun')),
    );
    await settled();
    const [id = ''] = added;
    for (let told = 0; told < 8; told += 1) {
      report('w1', presenceOf('w1', { active: [id] }));
      await pass(5);
    }
    await lost;
    assert.deepEqual(warned, ['2 steps are gone from the queues without a result']);
    const outcome = { kind: 'redirect', location: 'there', at: 0, elapsedMs: 1, bytes: 0 } as const;
    void end(id, { worker: 'w1', key: 'k', wasSent: true, kind: 'ended', outcome });
    assert.equal((await runs)?.kind, 'redirect');
  });

  const orders = (published: readonly RelayedMessage[], worker: string, by = cluster) =>
    published
      .filter(({ topic }) => topic === `order.${worker}`)
      .map(({ data }) => by.open('order', worker, String(data)));

  test('welcomes a worker process that waits for it, and grants turns for it once that takes steps', async (t) => {
    const credits: number[] = [];
    const { report, published } = await open(t, {}, { credited: (steps) => void credits.push(steps) });
    report('w1', presenceOf('w1', { isWaiting: true }));
    assert.partialDeepStrictEqual(orders(published, 'w1'), [{ message: { type: 'welcome', version: '1' } }]);
    assert.deepEqual(credits, []);
    report('w1', presenceOf('w1'));
    assert.deepEqual(credits, [5]);
    assert.equal(orders(published, 'w1').length, 1);
  });

  test('answers a worker process that has another key, so that it finds that, and tells of it once', async (t) => {
    const warned: string[] = [];
    const { report, published, pass } = await open(t, {}, { warn: (problem) => void warned.push(problem) });
    const foreign = new Cluster({ name: 'c', version: '1', key: new Uint8Array(32).fill(2) });
    for (let told = 0; told < 3; told += 1) {
      report('w1', presenceOf('w1', { isWaiting: true }), foreign);
      report('w1', { type: 'left' }, foreign);
      await pass(5);
    }
    assert.equal(orders(published, 'w1').length, 3);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', /the worker process w1 has another key/);
  });

  test('names a cancelled step that still runs to all worker processes within 2 s, again and again', async (t) => {
    const { dispatcher, published, pass } = await open(t, { queue: { getJobState: async () => 'active' } });
    const cancelled = new AbortController();
    void dispatcher.run(stepOf('/a'), cancelled.signal, () => undefined).catch(() => undefined);
    await settled();
    cancelled.abort();
    await settled();
    const orders = (): number => published.filter(({ topic }) => topic === 'order.all').length;
    const before = orders();
    await pass(2);
    assert.equal(orders(), before + 1);
    await pass(4);
    assert.equal(orders(), before + 3);
  });

  test('ends a cancelled step as cancelled, and as if it was sent, once the server has been away for as long as its lease lasts', async (t) => {
    let isAway = false;
    const awayOr =
      <T>(value: T) =>
      async (): Promise<T> =>
        isAway ? never() : value;
    const queue = {
      ...{ add: awayOr(undefined), getJobCounts: awayOr({}), getJobState: awayOr('active') },
      ...{ getFailed: awayOr([]), remove: awayOr(0) },
    };
    const { dispatcher, pass } = await open(t, { takeLease: awayOr(1), queue });
    const cancelled = new AbortController();
    let sent = 0;
    const run = (path: string) => dispatcher.run(stepOf(path), cancelled.signal, () => void (sent += 1));
    const queued = run('/a');
    await settled();
    isAway = true;
    const added = run('/b');
    cancelled.abort();
    await pass(22);
    for (const outcome of await Promise.all([queued, added]))
      assert.equal(outcome.kind === 'failed' && outcome.failure.code, 'cancelled');
    assert.equal(sent, 2);
  });

  test('adopts a step that a worker process took while the queue was being cleared of what waited', async (t) => {
    const turn = { key: 'site.test', number: 7, sentMs: 60 * seconds, policy: policyOf(1) };
    const job = { step: { ...stepOf('/a'), turn }, key: 'a', sendBy: Date.now() + seconds, dispatchedAt: Date.now() };
    const left = { id: '0-a', data: cluster.seal('job', '0-a', job) };
    let isTaken = false;
    const adopted: unknown[] = [];
    await open(
      t,
      {
        openQueue: (name) =>
          playedQueue(
            name === cluster.steps
              ? {
                  getActive: async () => (isTaken ? [left] : []),
                  getWaiting: async () => (isTaken ? [] : [left]),
                  async remove() {
                    isTaken = true;
                    return 0;
                  },
                }
              : {},
          ),
      },
      { turns: { adopted: (each) => void adopted.push(each), ended: () => undefined } },
    );
    assert.deepEqual(adopted, [turn]);
  });

  test('that another one has taken over counts the steps that worker processes may have sent as asked', async (t) => {
    let epoch = 1;
    const { dispatcher, pass } = await open(t, { takeLease: async () => epoch }, { superseded: () => undefined });
    let sent = 0;
    const running = dispatcher.run(stepOf('/a'), t.signal, () => void (sent += 1));
    await settled();
    epoch = 2;
    const refused = assert.rejects(running, TurnUnused);
    await pass(6);
    await refused;
    assert.equal(sent, 1);
  });

  test('that another one takes over while it opens looks at nothing from then on', async (t) => {
    let results: Process | undefined;
    let superseded = 0;
    let looks = 0;
    const { pass } = await open(
      t,
      {
        openWorker(_name, process) {
          results ??= process;
          return takesNothing;
        },
        openRelay: async () => ({
          async publish() {
            const outcome = { kind: 'redirect', location: 'http://site.test/b', at: 0, elapsedMs: 0, bytes: 0 };
            const result = { kind: 'ended', worker: 'w', key: 'a', wasSent: true, outcome };
            void results?.({ id: '2-a', data: cluster.seal('result', '2-a', result) }, t.signal);
          },
          subscribe: async () => undefined,
        }),
        queue: {
          async getJobCounts() {
            looks += 1;
            return {};
          },
        },
      },
      { superseded: () => void (superseded += 1) },
    );
    await pass(10);
    assert.deepEqual([superseded, looks], [1, 0]);
  });
});

describe('a daemon that reads for long what an earlier life left', () => {
  /** Opens a dispatcher whose server answers only when `answer` is called, and takes so many askings for the lease. */
  function reading(t: TestContext, leases: number) {
    const clock = new VirtualClock(Date.now());
    const { promise, resolve } = Promise.withResolvers<never[]>();
    let [asked, cleared] = [0, 0];
    const { server } = playedServer({
      now: async () => clock.now(),
      takeLease: () => {
        asked += 1;
        return asked <= leases ? Promise.resolve(1) : new Promise(() => undefined);
      },
      queue: {
        getActive: () => promise,
        clean: async () => {
          cleared += 1;
          return [];
        },
      },
    });
    const deps: DispatcherDeps = {
      ...{ clock, cluster, holder: 'daemon', forgetAfterMs: 60 * seconds, credited: () => undefined },
      superseded: () => assert.fail('superseded'),
      warn: (problem, error) => assert.fail(`${problem}: ${String(error)}`),
    };
    const opening = Dispatcher.open(server, deps, t.signal);
    t.after(() =>
      opening.then(
        (opened) => opened.close(),
        () => undefined,
      ),
    );
    const pass = async (count: number): Promise<void> => {
      for (let second = 0; second < count; second += 1) {
        await settled();
        clock.advance(seconds);
      }
    };
    return { opening, pass, answer: () => resolve([]), counts: () => ({ asked, cleared }) };
  }

  test('renews its lease meanwhile', async (t) => {
    const { opening, pass, answer, counts } = reading(t, Infinity);
    await pass(60);
    assert.ok(counts().asked > 10);
    answer();
    await opening;
    assert.equal(counts().cleared, 1);
  });

  test('clears nothing once its lease has ended, as another daemon may have it', async (t) => {
    const { opening, pass, answer, counts } = reading(t, 1);
    const refused = assert.rejects(opening, /the lease on the queues ended/);
    await pass(60);
    answer();
    await refused;
    assert.equal(counts().cleared, 0);
  });
});
