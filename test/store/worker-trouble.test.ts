import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { saveWorkerTrouble } from '../../src/store/worker-trouble.ts';
import type { Symptom } from '../../src/view/symptom.ts';
import { TicketView } from '../../src/view/ticket.ts';
import { temporaryStore } from './fixture.ts';

function offline(worker: string): Symptom {
  return { kind: 'workers_offline', worker, measure: 'silentMs', observed: 130_000, expected: { high: 120_000 } };
}

const waiting: Symptom = { kind: 'workers_waiting', measure: 'queuedMs', observed: 1_500, expected: { high: 1_000 } };

describe('tickets of worker processes', () => {
  test('are of no source, one for each kind of trouble, and are resolved when that is over', async (t) => {
    const { store } = await temporaryStore(t);
    const save = (...symptoms: Symptom[]) => store.write((change) => saveWorkerTrouble(store, change, symptoms));
    const told = () =>
      [...store.events.rows()]
        .filter(({ type }) => type.startsWith('ticket.'))
        .map((event) => [
          event.type,
          'symptoms' in event.data && event.data.symptoms.map(({ kind, worker }) => worker ?? kind),
        ]);
    await save();
    assert.deepEqual(told(), []);
    await save(offline('crow 1'));
    await save(offline('crow 1'), offline('crow 2'), waiting);
    assert.deepEqual(
      [...store.tickets.unresolved()].map(({ sources, targets, symptoms }) => [sources, targets, symptoms.length]),
      [
        [[], 0, 1],
        [[], 0, 2],
      ],
    );
    for (const ticket of store.tickets.unresolved()) assert.deepEqual(TicketView.parse(ticket), ticket);
    await save(offline('crow 2'));
    await save();
    assert.deepEqual(told(), [
      ['ticket.opened', ['crow 1']],
      ['ticket.changed', ['crow 1', 'crow 2']],
      ['ticket.opened', ['workers_waiting']],
      ['ticket.resolved', ['workers_waiting']],
      ['ticket.resolved', ['crow 1', 'crow 2']],
    ]);
    await save(waiting);
    assert.deepEqual(told().at(-1), ['ticket.reopened', ['workers_waiting']]);
  });
});
