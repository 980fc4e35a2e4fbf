import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Batches, createBatches } from '../../../src/store/lmdb/batch.ts';

const patient = { urgent: false };

/** Transactions that run when the test lets them. */
class Writer {
  readonly batches: Batches = createBatches({
    now: () => this.now,
    write: (run) => this.#write(run),
    undoable: (run) => run(),
  });
  now = 1_000;
  /** Transactions that were begun. */
  begun = 0;
  #waiting: (() => void)[] = [];
  #next = Promise.withResolvers<void>();

  #write(run: () => void): Promise<void> {
    this.begun += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(() => {
      run();
      resolve();
    });
    this.#next.resolve();
    return promise;
  }

  /** Runs the transactions that were begun. */
  run(): void {
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Resolves when the next transaction begins. */
  next(): Promise<void> {
    this.#next = Promise.withResolvers();
    return this.#next.promise;
  }

  /** Commits many changes at once, in whole transactions. */
  async load(): Promise<void> {
    const all = Array.from({ length: 48 }, (_, change) => this.batches.commit(() => change, patient));
    this.run();
    await Promise.all(all);
  }
}

describe('a change', () => {
  test('begins its transaction at once while there is no load', () => {
    const writer = new Writer();
    void writer.batches.commit(() => 1, patient);
    assert.equal(writer.begun, 1);
  });

  test('begins its transaction at once where each change waits for the one before', async () => {
    const writer = new Writer();
    for (let change = 1; change <= 200; change += 1) {
      const committed = writer.batches.commit(() => change, patient);
      assert.equal(writer.begun, change);
      writer.run();
      await committed;
    }
  });

  test('waits for others under load, and shares its transaction with them', async () => {
    const writer = new Writer();
    await writer.load();
    const { begun } = writer;
    const before = writer.batches.counts();
    const next = writer.next();
    const some = [1, 2, 3].map((change) => writer.batches.commit(() => change, patient));
    assert.equal(writer.begun, begun);
    await next;
    const late = writer.batches.commit(() => 4, patient);
    writer.run();
    assert.deepEqual(await Promise.all([...some, late]), [1, 2, 3, 4]);
    const { transactions, changes } = writer.batches.counts();
    assert.deepEqual([transactions - before.transactions, changes - before.changes], [1, 4]);
  });

  test('waits no more after a rest', async () => {
    const writer = new Writer();
    await writer.load();
    writer.now += 30;
    const { begun } = writer;
    void writer.batches.commit(() => 1, patient);
    assert.equal(writer.begun, begun + 1);
  });

  test('that is urgent begins the transaction of those that wait', async () => {
    const writer = new Writer();
    await writer.load();
    const waiting = writer.batches.commit(() => 'waiting', patient);
    const { begun } = writer;
    const urgent = writer.batches.commit(() => 'urgent', { urgent: true });
    assert.equal(writer.begun, begun + 1);
    writer.run();
    assert.deepEqual(await Promise.all([waiting, urgent]), ['waiting', 'urgent']);
  });

  test('is written when the store is about to close', async () => {
    const writer = new Writer();
    await writer.load();
    const waiting = writer.batches.commit(() => 1, patient);
    const { begun } = writer;
    void writer.batches.writeNow();
    assert.equal(writer.begun, begun + 1);
    writer.run();
    assert.equal(await waiting, 1);
  });

  test('is written when the store is about to close, however many wait', async () => {
    const writer = new Writer();
    await writer.load();
    const all = [1, 2, 3].map((change) =>
      writer.batches.commit(() => {
        writer.now += 5;
        return change;
      }, patient),
    );
    const written = writer.batches.writeNow();
    for (let rest = 3; rest > 0; rest -= 1) {
      const next = writer.next();
      writer.run();
      if (rest > 1) await next;
    }
    await written;
    assert.deepEqual(await Promise.all(all), [1, 2, 3]);
  });
});

describe('a transaction under load', () => {
  test('begins when it has 16 changes', async () => {
    const writer = new Writer();
    await writer.load();
    const { begun } = writer;
    const all = Array.from({ length: 15 }, (_, change) => writer.batches.commit(() => change, patient));
    assert.equal(writer.begun, begun);
    all.push(writer.batches.commit(() => 15, patient));
    assert.equal(writer.begun, begun + 1);
    writer.run();
    await Promise.all(all);
  });

  test('leaves to a later turn of the loop what comes after its share of 4 ms', async () => {
    const writer = new Writer();
    await writer.load();
    const { begun } = writer;
    const before = writer.batches.counts();
    const ran: number[] = [];
    const all = Array.from({ length: 16 }, (_, change) =>
      writer.batches.commit(() => {
        ran.push(change);
        writer.now += 1;
      }, patient),
    );
    writer.run();
    assert.deepEqual(ran, [0, 1, 2, 3]);
    assert.equal(writer.begun, begun + 1);
    await Promise.all(all.slice(0, 4));
    for (let rest = 3; rest > 0; rest -= 1) {
      await writer.next();
      writer.run();
    }
    await Promise.all(all);
    assert.deepEqual(
      ran,
      all.map((_, change) => change),
    );
    assert.equal(writer.batches.counts().transactions - before.transactions, 4);
  });

  test('that never ran rejects all that waits for it, and what comes later is written', async () => {
    let refusal: Error | undefined = new Error('closed');
    const batches = createBatches({
      now: () => 1_000,
      async write(run) {
        if (refusal !== undefined) throw refusal;
        run();
      },
      undoable: (run) => run(),
    });
    const some = await Promise.allSettled([1, 2].map((change) => batches.commit(() => change, patient)));
    assert.deepEqual(
      some.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    refusal = undefined;
    assert.equal(await batches.commit(() => 3, patient), 3);
  });

  test('undoes a change that throws, and no other', async () => {
    const undone: number[] = [];
    let kept: number[] = [];
    const batches = createBatches({
      now: () => 1_000,
      write: async (run) => run(),
      undoable(run) {
        const before = kept;
        try {
          run();
        } catch (error) {
          undone.push(...kept.slice(before.length));
          kept = before;
          throw error;
        }
      },
    });
    const change = (number: number) =>
      batches.commit(() => {
        kept = [...kept, number];
        if (number === 2) throw new Error('refused');
      }, patient);
    await Promise.all([1, 1, 1, 1, 1, 1, 1, 1].map(change));
    kept = [];
    const results = await Promise.allSettled([1, 2, 3].map(change));
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(kept, [1, 3]);
    assert.ok(undone.includes(2));
  });
});
