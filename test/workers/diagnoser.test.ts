import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import { systemClock } from '../../src/clock.ts';
import { reportTrouble, setCause, setRepaired } from '../../src/store/tickets.ts';
import type { Store } from '../../src/store/store.ts';
import type { CauseKind } from '../../src/view/ticket.ts';
import { diagnoser, type DiagnoserDeps, type DiagnoserMessage } from '../../workers/diagnoser.ts';
import { temporaryStore } from '../store/fixture.ts';

/** Opens a ticket of a source, with a cause where one is given. */
async function opened(store: Store, source: string, kind?: CauseKind): Promise<number> {
  const symptoms = [{ kind: 'field' as const, record: 'item', field: 'price', measure: 'fill', observed: 0 }];
  const { ticket } = await store.write((change) =>
    reportTrouble(store, change, { source, member: 1 }, { at: change.at, symptoms, projects: [], version: 'v1' }),
  );
  if (kind !== undefined) await setCause(store, ticket, { kind, says: [] });
  return ticket;
}

/** Starts the actor; `looked` resolves with the tickets that it looks at, once there are so many. */
async function started(t: TestContext, deps: Pick<DiagnoserDeps, 'store' | 'lacksRepairs'>, count: number) {
  const looked: number[] = [];
  const { promise, resolve } = Promise.withResolvers<readonly number[]>();
  const registry = new Registry<'diagnoser', DiagnoserMessage>();
  const system = createSystem({ clock: systemClock() });
  const diagnose = (ticket: number): Promise<void> => {
    looked.push(ticket);
    if (looked.length === count) resolve(looked);
    return Promise.resolve();
  };
  const spawned = await system.spawn<DiagnoserMessage>((self) => diagnoser(self, { registry, ...deps, diagnose }), {
    id: 'diagnoser',
  });
  if (spawned.ok !== true) assert.fail('the actor did not start');
  t.after(() => system.exit(spawned.ref, 'shutdown'));
  return promise;
}

describe('the search for causes and repairs', () => {
  test('goes on after a restart with tickets that have no cause yet, or no repairs', async (t) => {
    const { store } = await temporaryStore(t);
    const without = await opened(store, 'a');
    const lacking = await opened(store, 'b', 'rule_lost');
    await opened(store, 'c', 'site_down');
    const lacksRepairs: DiagnoserDeps['lacksRepairs'] = ({ cause }) => cause?.kind === 'rule_lost';
    const looked = await started(t, { store, lacksRepairs }, 2);
    assert.deepEqual(new Set(looked), new Set([without, lacking]));
  });

  test('begins anew for a ticket that comes back after its repair', async (t) => {
    const { store } = await temporaryStore(t);
    const ticket = await opened(store, 'a', 'rule_lost');
    await setRepaired(store, ticket, { what: 'repaired', version: 'v2', by: 'auto' });
    const looked = started(t, { store, lacksRepairs: () => false }, 1);
    const { symptoms = [] } = store.tickets.get(ticket) ?? {};
    await store.write((change) =>
      reportTrouble(
        store,
        change,
        { source: 'a', member: 1 },
        { at: change.at, symptoms, projects: [], version: 'v2' },
      ),
    );
    assert.deepEqual(await looked, [ticket]);
  });
});
