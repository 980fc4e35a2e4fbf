import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from '../../src/control/client.ts';
import type { Subscriber } from '../../src/control/methods.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { roomEvents, Subscription } from '../../src/control/subscription.ts';
import { line, rawClient, serve } from './daemon.ts';

/** More events than have room. */
const many = 2 * roomEvents;

const event = (id: number, text = ''): Event => ({
  id,
  version: 1,
  at: 0,
  type: 'target.crashed',
  projects: ['p'],
  source: 's',
  target: 1,
  data: { message: text },
});

/** Notifies ids from `after` on until one is not taken; the first that was not, or `to + 1`. */
function notifyAll(context: Subscriber, after: number, to: number, text = ''): number {
  let id = after + 1;
  while (id <= to && context.notify(event(id, text))) id += 1;
  return id;
}

describe('subscription', () => {
  test('its answer comes before its first event, and events in order', async (t) => {
    const { path } = await serve(t, {
      'event.subscribe': (_, context) => {
        notifyAll(context, 0, 3);
        return { after: 0 };
      },
    });
    const client = await rawClient(t, path);
    client.send(line('mine', 'event.subscribe'));
    assert.deepEqual((await client.next())?.result, { after: 0 });
    for (const id of [1, 2, 3]) {
      const notification = await client.next();
      assert.equal(notification?.method, 'event');
      assert.equal(notification.params?.subscription, 'mine');
      assert.equal(notification.params.event?.id, id);
    }
  });

  test('a second one of a connection needs an id of its own', async (t) => {
    const { path } = await serve(t, { 'event.subscribe': () => ({ after: 0 }) });
    const client = await rawClient(t, path);
    for (const id of ['mine', 'mine', 'other']) client.send(line(id, 'event.subscribe'));
    const answers = [await client.next(), await client.next(), await client.next()];
    const refused = answers.find((answer) => answer?.error !== undefined);
    assert.equal(refused?.error?.data.code, 'conflict');
    assert.match(
      refused?.error?.message ?? '',
      /^id: expected another one, as a subscription of this connection has "mine"$/,
    );
    const served = answers.filter((answer) => answer?.result !== undefined);
    assert.deepEqual(new Set(served.map((answer) => answer?.id)), new Set(['mine', 'other']));
  });

  test('one that lags is told what waits, then once where to resume, and no more', async (t) => {
    let firstRefused = 0;
    const { path } = await serve(t, {
      'event.subscribe': (_, context) => {
        notifyAll(context, 0, many);
        context.lag(many);
        firstRefused = notifyAll(context, many, 5_000);
        assert.ok(context.signal.aborted);
        assert.equal(context.notify(event(5_001)), false);
        return { after: 0 };
      },
    });
    const client = await rawClient(t, path);
    client.send(line(1, 'event.subscribe'));
    await client.next();
    for (let id = 1; id <= many; id += 1) assert.equal((await client.next())?.params?.event?.id, id);
    const lagged = await client.next();
    assert.equal(lagged?.method, 'lagged');
    assert.deepEqual(lagged.params, { subscription: 1, after: many });
    assert.equal(firstRefused, many + 1);
    client.send(line(2, 'daemon.ping'));
    assert.equal((await client.next())?.id, 2);
  });

  test('a subscriber that does not read is waited for and loses nothing, while others are served', async (t) => {
    let last = 0;
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { path } = await serve(t, {
      'event.subscribe': (_, context) => {
        void notify(context);
        return { after: 0 };
      },
    });
    const client = await rawClient(t, path);
    client.socket.pause();
    client.send(line(1, 'event.subscribe'));
    await begun;
    const other = await connect(path);
    t.after(() => other.close());
    for (let calls = 0; calls < 50; calls += 1) assert.deepEqual(await other.call('daemon.ping', {}), {});
    assert.ok(last < many, `${last} events were taken`);
    client.socket.resume();
    await client.next();
    for (let id = 1; id <= many; id += 1) assert.equal((await client.next())?.params?.event?.id, id);

    async function notify(context: Subscriber): Promise<void> {
      while (last < many) {
        await context.room();
        if (!context.notify(event(last + 1, 'x'.repeat(10_000)))) return;
        last += 1;
        begin();
      }
    }
  });

  test('a replay that waits for room loses nothing and never lags', async (t) => {
    const { path } = await serve(t, {
      'event.subscribe': (_, context) => {
        void replay(context);
        return { after: 0 };
      },
    });
    const client = await connect(path);
    t.after(() => client.close());
    const seen: number[] = [];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    await client.subscribe({}, ({ id }) => {
      seen.push(id);
      if (id === 20 * roomEvents) resolve();
    });
    await all;
    assert.deepEqual(
      seen,
      Array.from({ length: 20 * roomEvents }, (_, index) => index + 1),
    );

    async function replay(context: Subscriber): Promise<void> {
      for (let slice = 0; slice < 20; slice += 1) {
        await context.room();
        notifyAll(context, slice * roomEvents, (slice + 1) * roomEvents);
      }
    }
  });

  test('one that waits while what waits for its reader is long has room when that was taken', async () => {
    const subscription = new Subscription(1, () => undefined);
    const text = 'x'.repeat(300_000);
    subscription.answered();
    assert.ok(subscription.notify(event(1, text)));
    const order: string[] = [];
    const room = subscription.room().then(() => order.push('room'));
    await Promise.resolve().then(() => order.push('taken'));
    assert.ok(subscription.take(1_000_000).includes(text));
    await room;
    assert.deepEqual(order, ['taken', 'room']);
  });

  test('the client goes on from where it lagged', async (t) => {
    const askedAfter: (number | undefined)[] = [];
    const { path } = await serve(t, {
      'event.subscribe': ({ after, project }, context) => {
        assert.equal(project, 'solar');
        askedAfter.push(after);
        const upTo = Math.min((after ?? 0) + 1_000, 2_500);
        notifyAll(context, after ?? 0, upTo);
        if (upTo < 2_500) context.lag(upTo);
        return { after: after ?? 0 };
      },
    });
    const client = await connect(path);
    t.after(() => client.close());
    const seen: number[] = [];
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const lagged: number[] = [];
    await client.subscribe(
      { project: 'solar' },
      ({ id }) => {
        seen.push(id);
        if (id === 2_500) resolve();
      },
      (upTo) => lagged.push(upTo),
    );
    await all;
    assert.deepEqual(lagged, [1_000, 2_000]);
    assert.deepEqual(
      seen,
      Array.from({ length: 2_500 }, (_, index) => index + 1),
    );
    assert.deepEqual(askedAfter, [undefined, 1_000, 2_000]);
  });

  test('its signal fires and its waiting for room ends when the subscriber goes', async (t) => {
    const { promise: over, resolve } = Promise.withResolvers<boolean>();
    const { path } = await serve(t, {
      'event.subscribe': (_, context) => {
        notifyAll(context, 0, many);
        void context.room().then(() => resolve(context.signal.aborted));
        client.socket.destroy();
        return over.then(() => ({ after: 0 }));
      },
    });
    const client = await rawClient(t, path);
    client.send(line(1, 'event.subscribe'));
    assert.equal(await over, true);
  });

  test('one without an id is not begun', async (t) => {
    let begun = 0;
    const { path } = await serve(t, { 'event.subscribe': () => ({ after: (begun += 1) }) });
    const client = await rawClient(t, path);
    client.send(line(undefined, 'event.subscribe') + line(1, 'daemon.ping'));
    assert.equal((await client.next())?.id, 1);
    assert.equal(begun, 0);
  });
});
