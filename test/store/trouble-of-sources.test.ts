import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Circuit } from '../../src/fetch/ledger/circuit.ts';
import { saveCircuits } from '../../src/store/circuits.ts';
import { commitStep } from '../../src/store/commit.ts';
import { addProject, archiveProject } from '../../src/store/projects.ts';
import type { Store } from '../../src/store/store.ts';
import { reportTrouble } from '../../src/store/tickets.ts';
import { begin, step, temporaryStore, told, track } from './fixture.ts';

const open: Circuit = { state: 'open', openedAt: 1, times: 1, probeAt: 60_000 };
const resuming: Circuit = { state: 'resuming', since: 1, times: 1, heard: [] };

const failure = { code: 'status', message: 'answered with status 503', cause: 'origin_down' };

const save = (store: Store, circuit: Circuit | undefined, source = 'shop') =>
  store.write((change) => saveCircuits(store, change, [[source, circuit]], () => 'https://shop.test'));

async function failing(t: TestContext) {
  const { store } = await temporaryStore(t);
  const [target = 0] = await track(store, 'lamp');
  await commitStep(store, await begin(store, target), step(10, [], { status: 'failed', failure }));
  const before = store.events.last();
  await save(store, open);
  return { store, target, before };
}

const ticketsIn = (store: Store) => [...store.tickets.rows()];

describe('a circuit that opens', () => {
  test('is a ticket of its host, with why its targets fail and where', async (t) => {
    const { store, before } = await failing(t);
    const [ticket] = ticketsIn(store);
    assert.deepEqual(
      [ticket?.host, ticket?.sources, ticket?.cause?.kind, ticket?.samples, ticket?.projects],
      ['https://shop.test', ['shop'], 'site_down', ['https://shop.test/lamp'], ['lamp']],
    );
    assert.deepEqual(told(store, before), ['ticket.opened']);
  });

  test('stays one ticket while it resumes and opens again, and ends with the circuit', async (t) => {
    const { store, before } = await failing(t);
    for (const circuit of [resuming, open, open, resuming]) await save(store, circuit);
    assert.deepEqual([ticketsIn(store).length, ticketsIn(store)[0]?.occurrences], [1, 2]);
    await save(store, undefined);
    assert.deepEqual([ticketsIn(store)[0]?.state, ticketsIn(store)[0]?.resolvedBy], ['resolved', 'healthy']);
    assert.deepEqual(told(store, before), ['ticket.opened', 'ticket.resolved']);
  });

  test('joins the ticket of another source of its host, which ends with the last of them', async (t) => {
    const { store } = await failing(t);
    const targets = [{ source: 'news', url: 'https://shop.test/news' }];
    const added = await addProject(store, { id: 'news', name: 'news', labels: [], multiplier: 1, targets });
    const [target = 0] = added.ok ? added.project.targets : [];
    await commitStep(store, await begin(store, target), step(20, [], { status: 'failed', failure }));
    await save(store, open, 'news');
    assert.deepEqual(
      ticketsIn(store).map(({ sources }) => sources),
      [['shop', 'news']],
    );
    await save(store, undefined);
    assert.equal(ticketsIn(store)[0]?.state, 'open');
    await save(store, undefined, 'news');
    assert.equal(ticketsIn(store)[0]?.state, 'resolved');
  });
});

test('a project that is archived takes its targets from their tickets, and its sources with the last of their targets', async (t) => {
  const { store, target } = await failing(t);
  await store.write((change) => {
    const symptoms = [{ kind: 'late', measure: 'ageMs', observed: 2, expected: { high: 1 } }] as const;
    reportTrouble(store, change, { source: 'shop', member: target }, { at: change.at, symptoms, projects: ['lamp'] });
  });
  await archiveProject(store, 'lamp');
  assert.deepEqual(
    ticketsIn(store).map(({ symptoms: [first], resolvedBy }) => [first?.kind, resolvedBy]),
    [
      ['failing', 'untracked'],
      ['late', 'untracked'],
    ],
  );
});
