import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyCatalogue } from '../../src/definition/catalogue.ts';
import { Sink } from '../../src/definition/sink.ts';
import { Backlog } from '../../src/delivery/backlog.ts';
import type { Entry } from '../../src/delivery/lanes.ts';
import { openGathering } from '../../src/delivery/open-gathering.ts';
import { commitStep } from '../../src/store/commit.ts';
import { lastBefore, replayAfter, reviveDead } from '../../src/store/sinks.ts';
import { beginInMemory, item, step, temporaryStore, track } from '../store/fixture.ts';
import { changed, refused, startDelivering } from './fixture.ts';

describe('a sink that is told events again', () => {
  test('from an instant misses no change, however long before it a scrape had begun', async (t) => {
    const { store, clock } = await temporaryStore(t);
    const [quick = 0, slow = 0] = await track(store, 'solar', 'https://shop.test/a', 'https://shop.test/b');
    const begun = await beginInMemory(store, slow);
    const scrape = async (price: number) => {
      clock.now += 1_000;
      await commitStep(store, await beginInMemory(store, quick), step(clock.now, [item('a', { price })], {}));
    };
    for (let price = 1; price <= 10; price += 1) await scrape(price);
    await commitStep(store, begun, step(clock.now, [item('b', { price: 1 })], {}));
    for (let price = 11; price <= 20; price += 1) await scrape(price);
    const changes = [...store.events.rows()].filter(({ type }) => type.startsWith('record.'));
    for (const { at } of changes) {
      const after = lastBefore(store, at);
      assert.deepEqual(
        changes.filter((event) => event.id <= after && event.at >= at),
        [],
      );
    }
  });

  test('gets its dead letters of them in their turn, also if they are tried again at once', async (t) => {
    const { store, change, answer, accepted, settled, kill, start } = await startDelivering(t);
    await change('k', 'k');
    await settled();
    answer(() => refused(410, { isFinal: true }));
    await change('k');
    await settled();
    assert.equal(store.sinks.dead.count(), 1);
    kill();
    accepted.length = 0;
    await replayAfter(store, 'team', 0);
    await reviveDead(store, 'team');
    answer(() => ({ ok: true, status: 200 }));
    await start();
    await settled();
    const told = accepted.filter(({ type }) => type === 'record.changed').map(({ id }) => id);
    assert.deepEqual(
      told,
      [1, 2, 3].map((serial) => `${store.generation()}-${serial}`),
    );
  });

  test('gets a synced record after the changes before the sync and before those after it, also after a restart', async (t) => {
    const { store } = await temporaryStore(t);
    const sink = Sink.parse({ id: 'team', from: 'all', webhook: { url: 'https://hooks.example' } });
    const gathering = openGathering(sink, { store, catalogue: () => emptyCatalogue });
    const open = () => new Backlog(sink, { store, gathering, ordered: 'key', random: () => 0.5 });
    const entry = (serial: number, id: string, from = serial): Entry => ({
      serial,
      from,
      key: 'k',
      message: () => ({ id, key: 'k', type: 'record.changed', at: 0, body: {} }),
    });
    const backlog = open();
    const tell = () => store.write((change) => change.tell(changed('k')));
    await tell();
    backlog.add(entry(1, 'change 1'));
    backlog.readTo(1);
    const batch = backlog.take(1);
    const result = refused(500);
    const messages = batch.map((each) => backlog.messageOf(each));
    backlog.settle({ batch, messages, results: [result], ms: 1, at: store.now() });
    backlog.add(entry(2 ** 52 + 1, 'sync', Infinity));
    await tell();
    backlog.add(entry(2, 'change 2'));
    backlog.readTo(2);
    await backlog.save(store);

    const again = open();
    again.due('k');
    const order: string[] = [];
    for (let next = again.take(1); next.length > 0; next = again.take(1)) {
      const told = next.map((each) => again.messageOf(each));
      order.push(...told.map(({ id }) => id));
      again.settle({ batch: next, messages: told, results: [{ ok: true }], ms: 1, at: store.now() });
    }
    assert.deepEqual(order, ['change 1', 'sync', 'change 2']);
  });
});
