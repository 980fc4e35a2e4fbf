import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSource } from '../../src/definition/load.ts';
import { applyToChanged, applyToProject } from '../../src/figures/apply-rules.ts';
import { applyJob } from '../../src/reextraction/apply.ts';
import { commitStep } from '../../src/store/commit.ts';
import { updateProject } from '../../src/store/projects.ts';
import { jobOf } from '../reextraction/corrected.ts';
import { begin, item, step, temporaryStore, track } from '../store/fixture.ts';

const parsed = parseSource(
  'id: shop\nrecords: { item: { key: sku, fields: { sku: { css: b }, price: { css: i, type: number } } } }\n',
  'shop.yaml',
);
if (!parsed.ok) assert.fail('a definition');
const catalogue = {
  sources: new Map([['shop', { source: parsed.value, version: 'v1' }]]),
  ...{ types: new Map(), sinks: new Map(), pipelines: new Map(), problems: [] },
};

describe('rules on records that two addresses show', () => {
  test('are told of changes that the address of another project has shown, once their own shows the record', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [other = 0] = await track(store, 'other', 'https://shop.test/other');
    const [own = 0] = await track(store, 'own', 'https://shop.test/own');
    await updateProject(store, 'own', { rules: { cheap: { of: 'item', when: 'price < 10' } } });
    let upTo = store.events.last();
    const told: string[] = [];
    const apply = async () => {
      const events = [...store.events.rows({ after: upTo })];
      for (const { type, target } of events) if (type.startsWith('rule.')) told.push(`${type} at ${target}`);
      upTo = store.events.last();
      if (events.length > 0) await applyToChanged(store, catalogue, { events, upTo });
      if (store.events.last() > upTo) await apply();
    };
    const see = async (target: number, price: number) => {
      clock.now += 60_000;
      await commitStep(store, await begin(store, target), step(clock.now, [item('a', { price })], {}));
      await apply();
    };
    await see(other, 5);
    assert.deepEqual(told, []);
    await see(own, 5);
    assert.deepEqual(told, [`rule.met at ${own}`]);
    await see(other, 20);
    await see(own, 20);
    assert.deepEqual(told, [`rule.met at ${own}`, `rule.ended at ${own}`]);

    await applyJob(store, await jobOf(store, [...store.history.rows()].slice(-1), { price: 1 }));
    await apply();
    await see(own, 1);
    assert.equal(told.length, 2, 'what a re-extraction corrected is told by no rule');
    await see(own, 2);
    assert.equal(told.length, 3);
  });
});

test('all records cease to meet the rules that a project no longer has, however many rules each met', async (t) => {
  const { store, clock } = await temporaryStore(t);
  const [own = 0] = await track(store, 'own', 'https://shop.test/own');
  const items = Array.from({ length: 120 }, (_, number) => item(`s${number}`, { price: 5 }));
  clock.now += 60_000;
  await commitStep(store, await begin(store, own), step(clock.now, items, {}));
  const rules = { cheap: { of: 'item', when: 'price < 10' }, free: { of: 'item', when: 'price < 6' } };
  await updateProject(store, 'own', { rules });
  await applyToProject(store, catalogue, 'own');
  const met = (): number => [...store.metRules.ofProject('own')].length;
  assert.equal(met(), 240);
  await updateProject(store, 'own', { rules: {} });
  await applyToProject(store, catalogue, 'own');
  assert.equal(met(), 0);
});
