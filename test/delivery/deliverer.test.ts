import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { added, changed, ended, refused, startDelivering } from './fixture.ts';

const hourMs = 3_600_000;
const keysOf = (took: readonly { readonly key: string }[]) => took.map(({ key }) => key.replace('shop/product/', ''));

describe('a sink', () => {
  test('that is new is told what comes, and after a restart what came meanwhile', async (t) => {
    const { change, settled, accepted, kill, start, store } = await startDelivering(t);
    await change('a', 'b');
    await settled();
    kill();
    await change('c');
    await start();
    await settled();
    assert.deepEqual(keysOf(accepted).slice(-1), ['c']);
    assert.deepEqual(new Set(keysOf(accepted)), new Set(['a', 'b', 'c']));
    assert.equal(accepted[0]?.id, `${store.generation()}-1`);
    assert.deepEqual(accepted[0]?.body['data'], { type: 'product', key: 'a', fields: { price: { old: 1, new: 2 } } });
  });

  test('that refuses a message gets it again later, and what follows it of its key only then [J67]', async (t) => {
    const { change, settled, pass, accepted, tried, answer } = await startDelivering(t);
    let refusals = 2;
    answer(({ key }) => (key.endsWith('/a') && refusals-- > 0 ? refused(500) : { ok: true, status: 200 }));
    await change('a', 'b', 'a', 'c');
    await settled();
    assert.deepEqual(keysOf(accepted), ['b', 'c']);
    await pass(5_000);
    assert.deepEqual(keysOf(tried), ['a', 'b', 'c', 'a']);
    await pass(9_999);
    assert.equal(tried.length, 4);
    await pass(1);
    assert.deepEqual(keysOf(accepted), ['b', 'c', 'a', 'a']);
    assert.deepEqual(
      accepted.map(({ id }) => id.replace(/.*-/, '')),
      ['2', '4', '1', '3'],
    );
  });

  test('has its cursor go on past what is parked, which a killed daemon finds again', async (t) => {
    const { change, settled, pass, accepted, answer, kill, start, store } = await startDelivering(t);
    answer(({ key }) => (key.endsWith('/a') ? refused(500) : { ok: true, status: 200 }));
    await change('a', 'a', 'b');
    await settled();
    assert.equal(store.cursors.get('team')?.serial, 3);
    kill();
    answer(() => ({ ok: true, status: 200 }));
    await start();
    await settled();
    assert.deepEqual(keysOf(accepted), ['b']);
    await pass(5_000);
    assert.deepEqual(keysOf(accepted), ['b', 'a', 'a']);
    await settled();
    assert.equal(store.sinks.parked.count(), 0);
  });

  test('that is killed while it saves begins with what it has saved', async (t) => {
    const { change, settled, pass, accepted, answer, kill, start, store } = await startDelivering(t);
    await change('a');
    await settled();
    answer(() => refused(500));
    const { write } = store;
    const saving = Promise.withResolvers<void>();
    await change('b');
    Object.assign(store, {
      write: (...given: Parameters<typeof write>) => {
        saving.resolve();
        return write(...given);
      },
    });
    await saving.promise;
    kill();
    answer(() => ({ ok: true, status: 200 }));
    await start();
    await pass(3_600_000);
    assert.deepEqual(keysOf(accepted), ['a', 'b']);
    assert.equal(store.sinks.parked.count(), 0);
  });

  test('gets no older message of a key after a newer one, however the daemon was killed between', async (t) => {
    const { change, accepted, answer, kill, start, settled, pass } = await startDelivering(t);
    const slow = Promise.withResolvers<void>();
    answer(async ({ key }) => {
      if (key.endsWith('slow')) await slow.promise;
      return key.endsWith('quick') && accepted.some((each) => each.key === key)
        ? refused(500)
        : { ok: true, status: 200 };
    });
    // The first is under way, the second arrives, and the third is parked: the cursor waits before all of them.
    await change('slow', 'quick', 'quick');
    await settled();
    kill();
    slow.resolve();
    answer(() => ({ ok: true, status: 200 }));
    await start();
    await pass(60_000);
    const serials = accepted.filter(({ key }) => key.endsWith('quick')).map(({ id }) => Number(id.replace(/.*-/, '')));
    assert.deepEqual(
      serials,
      serials.toSorted((one, other) => one - other),
    );
    assert.equal(new Set(serials).size, 2);
  });

  test('gives a message up after a day, tells so, and goes on with the next of its key [J67]', async (t) => {
    const { change, settled, pass, accepted, answer, store } = await startDelivering(t);
    answer(({ id }) => (id.endsWith('-1') ? refused(500) : { ok: true, status: 200 }));
    await change('a', 'a');
    await settled();
    await pass(23 * hourMs, hourMs);
    assert.equal(accepted.length, 0);
    await pass(2 * hourMs, hourMs);
    assert.deepEqual(
      accepted.map(({ id, type }) => [id.replace(/.*-/, ''), type]),
      [['2', 'record.changed']],
    );
    const [dead] = [...store.events.rows()].slice(-1);
    assert.equal(dead?.type, 'sink.dead_letter');
    assert.deepEqual(dead?.type === 'sink.dead_letter' && dead.data.failure, {
      code: 'status',
      message: 'answered with status 500',
    });
    assert.equal(store.sinks.dead.count(), 1);
  });

  test('that is gone for good gets no second attempt', async (t) => {
    const { change, settled, tried, answer, store } = await startDelivering(t);
    answer(() => refused(410, { isFinal: true }));
    await change('a');
    await settled();
    assert.equal(tried.length, 1);
    assert.equal(store.sinks.dead.count(), 1);
  });

  test('that asks to be left alone is, with all its keys', async (t) => {
    const { change, settled, pass, tried, accepted, answer } = await startDelivering(t);
    answer(() => refused(429, { retryAfterMs: 60_000 }));
    await change('a');
    await settled();
    answer(() => ({ ok: true, status: 200 }));
    await change('b');
    await pass(59_999, 10_000);
    assert.equal(tried.length, 1);
    await pass(1);
    assert.deepEqual(new Set(keysOf(accepted)), new Set(['a', 'b']));
  });

  test('that fails altogether is tried with one message at a time, until one is delivered', async (t) => {
    const { change, settled, pass, tried, accepted, answer, store } = await startDelivering(t);
    answer(() => refused(503));
    await change(...Array.from({ length: 100 }, (_, index) => `k${index}`));
    await settled();
    const first = tried.length;
    assert.ok(first <= 16, `tried ${first}`);
    await pass(5_000);
    assert.ok(tried.length - first <= 1, `tried ${tried.length - first} more`);
    assert.ok((store.cursors.get('team')?.serial ?? 0) < 100, 'the cursor waits');
    answer(() => ({ ok: true, status: 200 }));
    await pass(hourMs, 60_000);
    assert.equal(new Set(keysOf(accepted)).size, 100);
  });

  test('gets nothing in its mute hours, and then what waited', async (t) => {
    const { change, pass, accepted } = await startDelivering(t, { mute: { hours: '22:00-07:00' } });
    await change('a');
    await pass(7 * hourMs - 1, hourMs);
    assert.deepEqual(accepted, []);
    await pass(1);
    assert.deepEqual(keysOf(accepted), ['a']);
  });

  test('gets nothing at all where its mute hours never end', async (t) => {
    const { change, pass, tried } = await startDelivering(t, { mute: { hours: '00:00-24:00' } });
    await change('a');
    await pass(72 * hourMs, 12 * hourMs);
    assert.equal(tried.length, 0);
  });

  test('is told of what other sinks do wrong, and never of what it does', async (t) => {
    const { settled, accepted, tell } = await startDelivering(t, { events: ['*'] });
    const data = {
      id: 'x-1',
      key: 'k',
      type: 'record.changed',
      attempts: 1,
      failure: { code: 'status', message: 'm' },
    };
    await tell(
      { type: 'sink.dead_letter', data: { sink: 'team', ...data } },
      { type: 'sink.dead_letter', data: { sink: 'other', ...data } },
    );
    await settled();
    assert.deepEqual(
      accepted.map(({ body }) => (body['data'] as typeof data & { sink: string }).sink),
      ['other'],
    );
  });

  test('gets the range of the events that are no longer kept before the next one, whatever types it wants', async (t) => {
    const { change, settled, accepted, store, kill, start } = await startDelivering(t);
    await change('a');
    await settled();
    kill();
    await change('b', 'c', 'd');
    await store.write(() => store.events.trim(1, 100));
    await start();
    await settled();
    assert.deepEqual(
      accepted.map(({ id, type, body }) => [id.replace(store.generation(), ''), type, body['data']]),
      [
        ['-1', 'record.changed', changed('a').data],
        ['-2-3', 'sink.lagged', { sink: 'team', from: 2, to: 3 }],
        ['-4', 'record.changed', changed('d').data],
      ],
    );
    const [told, ...more] = [...store.events.rows()].filter(({ type }) => type === 'sink.lagged');
    assert.deepEqual([told?.data, more], [{ sink: 'team', from: 2, to: 3 }, []]);
  });

  test('gets the range of what it missed again after a kill, until it has it', async (t) => {
    const { change, settled, pass, accepted, answer, store, kill, start } = await startDelivering(t);
    const never = Promise.withResolvers<never>();
    answer(() => never.promise);
    kill();
    await change('a', 'b', 'c');
    await store.write(() => store.events.trim(1, 100));
    await start();
    await settled();
    kill();
    answer(({ type }) => (type === 'sink.lagged' ? refused(500) : { ok: true, status: 200 }));
    await start();
    await settled();
    kill();
    answer(() => ({ ok: true, status: 200 }));
    await start();
    await pass(5_000);
    assert.deepEqual(
      accepted.map(({ type, body }) => [type, body['data']]),
      [
        ['record.changed', changed('c').data],
        ['sink.lagged', { sink: 'team', from: 1, to: 2 }],
      ],
    );
    assert.equal([...store.events.rows()].filter(({ type }) => type === 'sink.lagged').length, 1);
  });

  test('has at most eight messages under way, and one of each key', async (t) => {
    const { change, settled, most, answer, accepted } = await startDelivering(t);
    const busy = new Set<string>();
    answer(async ({ key }) => {
      assert.ok(!busy.has(key), `two of ${key} at once`);
      busy.add(key);
      await new Promise(setImmediate);
      busy.delete(key);
      return { ok: true, status: 200 };
    });
    const keys = Array.from({ length: 200 }, (_, index) => `k${index % 20}`);
    await change(...keys);
    await settled();
    assert.equal(accepted.length, 200);
    assert.equal(most(), 8);
  });

  test('keeps a log of its deliveries that is bounded', async (t) => {
    const { change, settled, store, answer } = await startDelivering(t);
    answer(({ key }) => (key.endsWith('/0') ? refused(500) : { ok: true, status: 204 }));
    await change(...Array.from({ length: 600 }, (_, index) => String(index)));
    await settled();
    const rows = [...store.sinks.deliveries.rows()];
    assert.equal(rows.length, 500);
    const { at: _, ms: __, ...row } = rows.at(-1) ?? assert.fail();
    assert.deepEqual(row, {
      id: `${store.generation()}-600`,
      key: 'shop/product/599',
      type: 'record.changed',
      attempt: 1,
      status: 204,
    });
  });
});

describe('a digest', () => {
  test('tells all events of a span in one message, once the span is over', async (t) => {
    const { change, pass, accepted, tell } = await startDelivering(t, { digest: '1h' });
    await change('a', 'b');
    await pass(30 * 60_000);
    await tell(changed('a'));
    await pass(29 * 60_000);
    assert.deepEqual(accepted, []);
    await pass(2 * 60_000);
    assert.equal(accepted.length, 1);
    const { type, body } = accepted[0] ?? assert.fail();
    assert.equal(type, 'digest');
    assert.deepEqual([body['part'], body['parts']], [1, 1]);
    assert.deepEqual(
      (body['events'] as { data: { key: string } }[]).map(({ data }) => data.key),
      ['a', 'b', 'a'],
    );
  });

  test('may be due at a time of day, comes in bounded parts, and survives a kill', async (t) => {
    const given = { digest: { at: '08:00', zone: 'Europe/Berlin' } };
    const { change, pass, accepted, kill, start, settled } = await startDelivering(t, given);
    await change(...Array.from({ length: 600 }, (_, index) => String(index)));
    await settled();
    kill();
    await start();
    await pass(7 * hourMs - 1, hourMs);
    assert.deepEqual(accepted, []);
    await pass(1_001);
    assert.deepEqual(
      accepted.map(({ body }) => [body['part'], body['parts'], (body['events'] as unknown[]).length]),
      [
        [1, 2, 500],
        [2, 2, 100],
      ],
    );
  });
});

describe('a sink that is told of scrapes', () => {
  test('gets all new records of a scrape in one message at its end, the newest first, and none without any [J63, J64]', async (t) => {
    const { tell, settled, accepted } = await startDelivering(t, { per: 'scrape' });
    await tell(added('new', 7), added('other', 8), added('old', 7), changed('x'));
    await settled();
    assert.deepEqual(accepted, []);
    await tell(ended(7), ended(9));
    await settled();
    assert.equal(accepted.length, 1);
    const { body, type } = accepted[0] ?? assert.fail();
    assert.equal(type, 'scrape.found');
    assert.deepEqual(body['records'], [
      { type: 'product', key: 'new', fields: { name: 'new' } },
      { type: 'product', key: 'old', fields: { name: 'old' } },
    ]);
    assert.equal(body['scrape'], 7);
  });

  test('gets a record that a pulse added at once, in a message of its own', async (t) => {
    const { tell, settled, accepted, store } = await startDelivering(t, { per: 'scrape' });
    await tell(added('new'));
    await settled();
    assert.deepEqual(
      accepted.map(({ type, body }) => [type, body['part'], body['parts'], body['records']]),
      [['scrape.found', 1, 1, [{ type: 'product', key: 'new', fields: { name: 'new' } }]]],
    );
    assert.equal(store.sinks.parked.count(), 0);
  });

  test('gets more than 1,000 records in numbered parts, once each, also after a kill while another scrape runs', async (t) => {
    const { tell, settled, accepted, kill, start } = await startDelivering(t, { per: 'scrape' });
    await tell(added('running', 6));
    await tell(...Array.from({ length: 1_500 }, (_, index) => added(String(index), 7)));
    await tell(ended(7));
    await settled();
    kill();
    await start();
    await settled();
    assert.deepEqual(
      accepted.map(({ body }) => [body['part'], body['parts'], (body['records'] as unknown[]).length]),
      [
        [1, 2, 1_000],
        [2, 2, 500],
      ],
    );
    await tell(ended(6));
    await settled();
    assert.equal(accepted.length, 3);
  });
});
