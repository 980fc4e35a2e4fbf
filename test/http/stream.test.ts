import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import { ControlError } from '../../src/control/error.ts';
import type { Params, Subscriber } from '../../src/control/methods.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { openStream, serveHttp } from './server.ts';
import { status } from '../control/status.ts';

function eventOf(id: number, name = 'a'): Event {
  return { id, version: 1, at: 0, type: 'project.finished', projects: [name], data: {} };
}

/** A server whose subscribers are kept with what they asked for. */
async function serveStreams(t: TestContext, refusal?: (params: Params<'event.subscribe'>) => ControlError | undefined) {
  const clock = new VirtualClock();
  const subscribed: { readonly params: Params<'event.subscribe'>; readonly subscriber: Subscriber }[] = [];
  const revoked = new Set<string>();
  const server = await serveHttp(
    t,
    {
      'event.subscribe': (params, subscriber) => {
        const refused = refusal?.(params);
        if (refused !== undefined) throw refused;
        subscribed.push({ params, subscriber });
        return { after: params.after ?? 0 };
      },
      'daemon.status': () => ({ ...status, lastEvent: 5 }),
    },
    {
      clock,
      callerOf: (token) => (revoked.has(token) ? undefined : { id: token, label: token, role: 'read' }),
    },
  );
  return { ...server, clock, subscribed, revoke: (token: string) => revoked.add(token) };
}

/** The one subscriber of an open stream. */
function only<T>(list: readonly T[]): T {
  const [one] = list;
  assert.ok(one !== undefined);
  return one;
}

describe('a stream of events', () => {
  test('begins at once, and sends each event with its id', async (t) => {
    const { port, subscribed } = await serveStreams(t);
    const { response, next } = await openStream(t, port, '/v1/events?types=project.*&types=ticket.*&project=solar');
    assert.equal(response.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(await next(), 'retry: 2000');
    const { params, subscriber } = only(subscribed);
    assert.deepEqual(params, { types: ['project.*', 'ticket.*'], project: 'solar' });
    assert.equal(subscriber.notify(eventOf(7)), true);
    assert.equal(await next(), `id: 7\ndata: ${JSON.stringify(eventOf(7))}`);
  });

  test('goes on after the id that its client had last', async (t) => {
    const { port, subscribed } = await serveStreams(t);
    await (await openStream(t, port, '/v1/events?after=3', { 'last-event-id': '12' })).next();
    assert.equal(only(subscribed).params.after, 12);
  });

  test('is told of a gap where events are no longer kept, and goes on behind it', async (t) => {
    const { port, subscribed } = await serveStreams(t);
    const { next } = await openStream(t, port, '/v1/events?after=1');
    await next();
    only(subscribed).subscriber.lag(40);
    assert.equal(await next(), 'id: 40\nevent: reset\ndata: {"after":40}');
    assert.equal(subscribed[0]?.subscriber.notify(eventOf(2)), false);
    assert.equal(subscribed[1]?.params.after, 40);
    assert.equal(subscribed[1]?.subscriber.notify(eventOf(41)), true);
    assert.match((await next()) ?? '', /^id: 41\n/);
  });

  test('is told of a gap where its last id is of events that a restored backup does not have', async (t) => {
    const { port, subscribed } = await serveStreams(t, ({ after = 0 }) =>
      after > 5 ? new ControlError('invalid_params', 'after: expected at most 5') : undefined,
    );
    const { next } = await openStream(t, port, '/v1/events', { 'last-event-id': '900' });
    await next();
    assert.equal(await next(), 'id: 5\nevent: reset\ndata: {"after":5}');
    assert.equal(only(subscribed).params.after, 5);
  });

  for (const id of ['abc', '-1', '1.5', '9'.repeat(16), '9'.repeat(400)]) {
    test(`is told of a gap where its last id is none, as ${id.slice(0, 20)}`, async (t) => {
      const { port, subscribed } = await serveStreams(t, ({ after = 0 }) =>
        after > 5 ? new ControlError('invalid_params', 'after: expected at most 5') : undefined,
      );
      const { next } = await openStream(t, port, '/v1/events?after=3', { 'last-event-id': id });
      await next();
      assert.equal(await next(), 'id: 5\nevent: reset\ndata: {"after":5}');
      assert.equal(only(subscribed).params.after, 5);
    });
  }

  test('goes on after its parameter where its client had no event', async (t) => {
    const { port, subscribed } = await serveStreams(t);
    await (await openStream(t, port, '/v1/events?after=3', { 'last-event-id': '' })).next();
    assert.equal(only(subscribed).params.after, 3);
  });

  test('is refused as any other call where its parameters are wrong', async (t) => {
    const { ask } = await serveStreams(t, () => new ControlError('invalid_params', 'after: expected at most 5'));
    assert.equal((await ask('/v1/events?after=900')).status, 400);
    assert.equal((await ask('/v1/events?types=%20')).status, 400);
    assert.equal((await ask('/v1/events', { verb: 'HEAD' })).status, 405);
  });

  test('is refused where its caller has 256 open, until one of these ends', async (t) => {
    const { port, ask, subscribed } = await serveStreams(t);
    const [first] = await Promise.all(Array.from({ length: 256 }, () => openStream(t, port)));
    const refused = await ask('/v1/events', { token: 'read' });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '30']);
    assert.match(refused.text, /256 streams of this token or log-in are open/);
    const other = await openStream(t, port, '/v1/events', { authorization: 'Bearer other' });
    assert.equal(other.response.statusCode, 200);
    const ended = Promise.race(
      subscribed.map(
        ({ subscriber: { signal } }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
      ),
    );
    first?.response.destroy();
    await ended;
    assert.equal((await openStream(t, port)).response.statusCode, 200);
  });

  test('has a heartbeat every 15 s where nothing else is sent', async (t) => {
    const { port, clock } = await serveStreams(t);
    const { next } = await openStream(t, port);
    await next();
    clock.advance(15_000);
    assert.equal(await next(), ': ');
  });

  test('ends within 5 s of the revocation of its token', async (t) => {
    const { port, clock, subscribed, revoke } = await serveStreams(t);
    const { next } = await openStream(t, port);
    await next();
    revoke('read');
    clock.advance(5_000);
    assert.equal(await next(), undefined);
    const { subscriber } = only(subscribed);
    assert.equal(subscriber.signal.aborted, true);
    assert.equal(subscriber.notify(eventOf(1)), false);
  });

  test('of a client that reads nothing holds back what comes, and is cut off after 30 s', async (t) => {
    const { port, clock, subscribed } = await serveStreams(t);
    const { response } = await openStream(t, port);
    response.pause();
    const { subscriber } = only(subscribed);
    const name = 'n'.repeat(100_000);
    let sent = 0;
    let waits = false;
    while (!waits) {
      subscriber.notify(eventOf((sent += 1), name));
      waits = await Promise.race([
        subscriber.room().then(() => false),
        new Promise<true>((resolve) => setImmediate(resolve, true)),
      ]);
    }
    assert.ok(sent < 200, `wrote ${sent} events`);
    clock.advance(29_000);
    assert.equal(subscriber.signal.aborted, false);
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    subscriber.signal.addEventListener('abort', () => resolve());
    clock.advance(6_000);
    await aborted;
    await subscriber.room();
  });

  test('ends when its client hangs up, and when the server closes', async (t) => {
    const { port, subscribed, close } = await serveStreams(t);
    const first = await openStream(t, port);
    await first.next();
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    only(subscribed).subscriber.signal.addEventListener('abort', () => resolve());
    first.response.destroy();
    await aborted;
    const second = await openStream(t, port);
    await second.next();
    await close();
    assert.equal(await second.next(), undefined);
  });
});
