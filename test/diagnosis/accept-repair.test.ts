import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { emptyCatalogue, type LoadedSource } from '../../src/definition/catalogue.ts';
import type { DefinitionRepair } from '../../src/definition/repair-definition.ts';
import { Source } from '../../src/definition/source.ts';
import { type AcceptDeps, repairAlone } from '../../src/diagnosis/accept-repair.ts';
import { reportTrouble, setRepairs } from '../../src/store/tickets.ts';
import type { Repair } from '../../src/view/repair.ts';
import { temporaryStore } from '../store/fixture.ts';

const best: Repair = {
  changes: [{ record: 'kettle', field: 'price', before: '.price', to: { css: '.cost' } }],
  kept: [],
  isSafe: true,
};

/** A source that is repaired without a person, with a ticket for which a repair is proposed. */
async function proposed(t: TestContext, repair: AcceptDeps['repair']) {
  const { store } = await temporaryStore(t);
  const source = Source.parse({
    id: 'shop',
    repair: 'auto',
    records: { kettle: { key: 'name', fields: { name: 'h2' } } },
  });
  const symptoms = [{ kind: 'field' as const, record: 'kettle', field: 'price', measure: 'fill', observed: 0 }];
  const { ticket } = await store.write((change) =>
    reportTrouble(store, change, { source: 'shop', member: 1 }, { at: change.at, symptoms, projects: [] }),
  );
  await setRepairs(store, ticket, { version: 'v1', proposals: [best] });
  const asVersion = (version: string): readonly [AcceptDeps, LoadedSource] => {
    const loaded = { source, version };
    const catalogue = { ...emptyCatalogue, sources: new Map([['shop', loaded]]) };
    const ignored = () => undefined;
    const deps = { store: () => store, vault: ignored, catalogue: () => catalogue, repair };
    return [{ ...deps, lookAtJobs: ignored, lookAtTargets: ignored }, loaded];
  };
  const repairedAs = (version: string) => {
    const [deps, loaded] = asVersion(version);
    return repairAlone(deps, ticket, { loaded, best });
  };
  return { store, ticket, repairedAs };
}

describe('a repair without a person', () => {
  test('is noted before the file is written, and is not made again for the version that came of it', async (t) => {
    const asked: DefinitionRepair[] = [];
    const { store, ticket, repairedAs } = await proposed(t, (wanted) => {
      asked.push(wanted);
      // The file is written, and the daemon is killed then.
      if (!wanted.dryRun) throw new Error('killed');
      return Promise.resolve({
        ok: true,
        file: 'shop.yaml',
        texts: ['', ''],
        version: 'v2',
        undo: () => Promise.resolve(),
      });
    });
    await assert.rejects(repairedAs('v1'), /killed/);
    assert.equal(store.tickets.get(ticket)?.repaired, undefined);
    assert.equal(await repairedAs('v2'), undefined);
    assert.deepEqual(
      asked.map(({ dryRun }) => dryRun),
      [true, false],
    );
    // A person has changed the definition since.
    await setRepairs(store, ticket, { version: 'v3', proposals: [best] });
    await assert.rejects(repairedAs('v3'), /killed/);
  });

  test('is told to be impossible where it is, and nothing is noted', async (t) => {
    const { store, repairedAs } = await proposed(t, () => Promise.resolve({ ok: false, message: 'read-only' }));
    assert.deepEqual(await repairedAs('v1'), { ok: false, code: 'conflict', message: 'read-only' });
    assert.equal(store.autoRepairs.get('shop'), undefined);
  });
});
