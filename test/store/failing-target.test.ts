import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Circuit } from '../../src/fetch/ledger/circuit.ts';
import { saveCircuits } from '../../src/store/circuits.ts';
import { commitStep } from '../../src/store/commit.ts';
import type { Failure } from '../../src/view/fields.ts';
import { begin, item, step, temporaryStore, track } from './fixture.ts';

const challenge: Failure = { code: 'challenge', message: 'a captcha stands in its place', cause: 'blocked' };
const notFound: Failure = { code: 'status', message: 'answered with status 404', cause: 'not_found' };

/** A target, and what its scrapes end as: with a failure, or complete. */
async function tracked(t: TestContext) {
  const { store, clock } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  const scrapes = async (...ends: readonly (Failure | 'complete')[]): Promise<void> => {
    for (const end of ends) {
      clock.now += 60_000;
      const drafts = end === 'complete' ? [item('1', { name: 'Lamp' })] : [];
      const close = end === 'complete' ? {} : ({ status: 'failed', failure: end } as const);
      await commitStep(store, await begin(store, target), step(clock.now, drafts, close));
    }
  };
  return { store, scrapes };
}

const times = (count: number, failure: Failure): Failure[] => Array.from({ length: count }, () => failure);

describe('a target whose scrapes fail', () => {
  test('has a ticket from the third in a row on, with the cause, until one completes', async (t) => {
    const { store, scrapes } = await tracked(t);
    await scrapes('complete', ...times(2, challenge), 'complete', ...times(2, challenge));
    assert.deepEqual([...store.tickets.rows()], []);
    await scrapes(...times(3, challenge));
    const [ticket, ...others] = [...store.tickets.rows()];
    assert.deepEqual(others, []);
    assert.deepEqual(
      [ticket?.state, ticket?.symptoms[0]?.kind, ticket?.occurrences, ticket?.cause?.kind, ticket?.samples],
      ['open', 'failing', 3, 'challenge', ['https://shop.test/lamp']],
    );
    assert.deepEqual([ticket?.projects, ticket?.targets], [['lamp'], 1]);
    await scrapes('complete');
    const [over] = [...store.tickets.rows()];
    assert.deepEqual([over?.state, over?.resolvedBy], ['resolved', 'healthy']);
  });

  test('has none where its page is gone, which is told by itself', async (t) => {
    const { store, scrapes } = await tracked(t);
    await scrapes('complete', ...times(5, notFound));
    assert.deepEqual([...store.tickets.rows()], []);
  });

  test('has none beside that of a host that is down', async (t) => {
    const { store, scrapes } = await tracked(t);
    const open: Circuit = { state: 'open', openedAt: 1, times: 1, probeAt: 60_000 };
    const host = 'https://shop.test';
    const down: Failure = { code: 'status', message: 'answered with status 503', cause: 'origin_down' };
    await scrapes(down);
    await store.write((change) => saveCircuits(store, change, [['shop', open]], () => host));
    await scrapes(...times(5, down));
    assert.deepEqual(
      [...store.tickets.rows()].map((ticket) => [ticket.host, ticket.occurrences]),
      [[host, 1]],
    );
  });
});
