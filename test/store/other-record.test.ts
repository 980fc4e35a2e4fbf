import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actOnTicket } from '../../src/store/act-on-ticket.ts';
import { commitStep } from '../../src/store/commit.ts';
import { otherRecord } from '../../src/store/other-record.ts';
import { reportTrouble } from '../../src/store/tickets.ts';
import { begin, hourMs, item, step, temporaryStore, track } from './fixture.ts';

type Shown = readonly [key: string, name: string, place: string];

const lamp: Shown = ['A-1', 'Solar lamp', 'Garden'];
const kettle: Shown = ['B-2', 'Steel kettle', 'Kitchen'];

for (const { what, shown, says } of [
  { what: 'the same record', shown: [lamp, lamp, lamp], says: { item: { expected: 1, missing: 0 } } },
  { what: 'another record in its place', shown: [lamp, lamp, kettle], says: { item: { expected: 1, missing: 1 } } },
  {
    what: 'the next of a series, which has a text in common',
    shown: [lamp, lamp, ['A-2', 'Oil lamp', 'Garden']],
    says: {},
  },
  { what: 'another record each time', shown: [lamp, kettle, ['C-3', 'Oak chair', 'Hall']], says: {} },
] as const)
  test(`a page of one record says whether it shows ${what}`, async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    let scrape = 0;
    for (const [key, name, place] of shown) {
      clock.now += hourMs;
      const fence = await begin(store, target);
      ({ scrape } = fence);
      await commitStep(store, fence, step(clock.now, [item(key, { id: key, name, place })], {}));
    }
    assert.deepEqual(otherRecord(store, { target }, scrape), says);
  });

const chair: Shown = ['C-3', 'Oak chair', 'Hall'];
const guards = { missing: true, empty: true, fields: {} };

interface Case {
  readonly what: string;
  readonly shown: readonly Shown[];
  readonly trouble?: 'missing' | 'field';
  readonly told: Readonly<Record<string, number>>;
}

/** `told`: the records that are told, each with the look at which it was seen first. */
for (const { what, shown, trouble, told } of [
  { what: 'is not told', shown: [lamp, lamp, kettle], told: { 'A-1': 1 } },
  {
    what: 'is told once the page shows it again',
    shown: [lamp, lamp, kettle, kettle],
    told: { 'A-1': 1, 'B-2': 4 },
  },
  {
    what: 'is forgotten once the page shows the known one',
    shown: [lamp, lamp, kettle, lamp, kettle],
    told: { 'A-1': 1 },
  },
  {
    what: 'is told with a third one, as one of a series',
    shown: [lamp, lamp, kettle, chair],
    told: { 'A-1': 1, 'B-2': 3, 'C-3': 4 },
  },
  {
    what: 'waits for the ticket that says that records are missing',
    shown: [lamp, lamp, kettle, kettle],
    trouble: 'missing',
    told: { 'A-1': 1 },
  },
  {
    what: 'does not wait for the ticket of a field',
    shown: [lamp, lamp, kettle, kettle],
    trouble: 'field',
    told: { 'A-1': 1, 'B-2': 4 },
  },
] satisfies readonly Case[])
  test(`another record in the place of the known one ${what}`, async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [target = 0] = await track(store, 'lamp');
    const startedAt = clock.now;
    if (trouble !== undefined) {
      const symptoms = [{ kind: trouble, record: 'item', measure: 'missing', observed: 1, of: 8 }] as const;
      await store.write((change) =>
        reportTrouble(store, change, { source: 'shop', member: 0 }, { at: clock.now, symptoms, projects: [] }),
      );
    }
    for (const [key, name, place] of shown) {
      clock.now += hourMs;
      const seen = step(clock.now, [item(key, { id: key, name, place })], {});
      await commitStep(store, await begin(store, target), { ...seen, guards });
    }

    const added = [...store.events.rows({ after: 0 })].flatMap((event) =>
      event.type === 'record.added' ? [event.data.key] : [],
    );
    assert.deepEqual(added, Object.keys(told));
    const seenAt = Array.from(store.records.ofTarget(target), ({ key, firstSeenAt }) => [
      key,
      (firstSeenAt - startedAt) / hourMs,
    ]);
    assert.deepEqual(Object.fromEntries(seenAt), told);
  });

test('other records on the pages of many targets are told once a person has accepted them, and open no second ticket', async (t) => {
  const { store, clock } = await temporaryStore(t);
  const numbers = Array.from({ length: 12 }, (_, at) => at);
  const targets = await track(store, 'lamps', ...numbers.map((at) => `https://shop.test/${at}`));
  const scrape = async (at: number, letter: string): Promise<void> => {
    clock.now += hourMs / 12;
    const draft = item(`${letter}-${at}`, { name: `${letter} lamp ${at}`, maker: `Maker ${letter} ${at}` });
    const reading = { fill: { 'item.name': { seen: 1, total: 1 } }, isWhole: true };
    const places = { items: 1, refused: 0 };
    await commitStep(store, await begin(store, targets[at] ?? 0), {
      ...step(clock.now, [draft], { reading }),
      guards,
      places,
    });
  };
  const added = () => [...store.events.rows({ after: 0 })].filter(({ type }) => type === 'record.added').length;
  for (const letter of ['A', 'A', 'A', 'B']) for (const at of numbers) await scrape(at, letter);
  const [ticket] = store.tickets.unresolved();
  assert.deepEqual([ticket?.symptoms.map(({ kind }) => kind), added()], [['missing'], 12]);
  for (const at of numbers.slice(0, 5)) await scrape(at, 'B');
  assert.equal(added(), 12);

  await actOnTicket(store, ticket?.ticket ?? 0, { act: 'accept' });
  for (const _ of [1, 2]) for (const at of numbers) await scrape(at, 'B');

  assert.equal(added(), 24);
  assert.deepEqual([...store.tickets.unresolved()], []);
});
