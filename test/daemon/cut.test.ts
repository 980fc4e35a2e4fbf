import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, test, type TestContext } from 'node:test';
import type { RunStep } from '../../src/engine/step.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { settingsOf, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;

/** Where a scrape stands when it is cut. */
type Point = (typeof points)[number];
const points = [
  'after its turn, before its request',
  'before the head',
  'after the head',
  'in the body',
  'during extraction',
  'before its commit',
] as const;

/** When a scrape is cut: while its begin is only in memory, or after that was written. */
const times = ['in its first half second', 'later'] as const;

/** How a scrape is cut, and how it then ends. */
interface Way {
  readonly name: string;
  readonly ending: readonly [status: string, code: string];
  /** Set where a scrape that is only in memory leaves no trace. */
  readonly forgets?: true;
  /** How often the scrapes before it crashed. */
  readonly crashes: number;
  cut(stage: Stage): Promise<TimedDaemon>;
}

interface Stage {
  readonly t: TestContext;
  readonly timed: TimedDaemon;
  readonly scrape: number;
  /** Has another scrape of the same project crash, which ends its actor. */
  crashSibling(): void;
  /** Has the scrape itself crash, beside what it waits for. */
  crash(): void;
}

const ways: readonly Way[] = [
  {
    name: 'archived',
    ending: ['cancelled', 'archived'],
    crashes: 0,
    cut: async ({ timed }) => {
      await timed.client.call('project.archive', { id: 'p' });
      return timed;
    },
  },
  {
    name: 'cancelled',
    ending: ['cancelled', 'cancelled'],
    crashes: 0,
    cut: async ({ timed, scrape }) => {
      await timed.client.call('scrape.cancel', { scrape });
      return timed;
    },
  },
  {
    name: 'superseded by the next one, as its actor ended',
    ending: ['cancelled', 'superseded'],
    crashes: 0,
    cut: async ({ timed, scrape, crashSibling }) => {
      crashSibling();
      await timed.event((event) => event.type === 'scrape.cancelled' && event.scrape === scrape);
      return timed;
    },
  },
  {
    name: 'ended by the crash that parks its target',
    ending: ['failed', 'crashed'],
    crashes: 3,
    cut: async ({ timed, crash }) => {
      crash();
      await timed.event(({ type }) => type === 'target.parked');
      return timed;
    },
  },
  {
    name: 'found open when the daemon starts again',
    ending: ['failed', 'interrupted'],
    forgets: true,
    crashes: 0,
    cut: async ({ t, timed }) => {
      await timed.close();
      return startTimed(t, { sources: {}, clock: timed.clock, folder: timed.folder });
    },
  },
];

for (const [way, time] of ways.flatMap((way) => times.map((time) => [way, time] as const))) {
  describe(`a scrape that is ${way.name} ${time}`, () => {
    for (const point of points) {
      test(`${point} writes nothing after that`, async (t) => {
        const site = await openSite(t, { '/sibling': productPage('S', '1') });
        const reached = Promise.withResolvers<void>();
        const held = Promise.withResolvers<void>();
        const sibling = Promise.withResolvers<never>();
        sibling.promise.catch(() => undefined);
        const inner = Promise.withResolvers<void>();
        let crashes = way.crashes;
        let siblings = 0;
        let inScrape: ReturnType<typeof AsyncLocalStorage.snapshot> | undefined;
        let isCut = false;
        answer(site, point, reached.resolve);

        const intercept =
          (runStep: RunStep): RunStep =>
          async (step, signal, onSent) => {
            if (step.request.url.endsWith('/sibling')) {
              siblings += 1;
              // Its first scrape may come here after the cut: it crashes all the same.
              return siblings > 1 ? untilAborted(signal) : sibling.promise;
            }
            if (isCut) return untilAborted(signal);
            inScrape = AsyncLocalStorage.snapshot();
            if (crashes > 0) {
              crashes -= 1;
              onSent();
              throw new Error('crashed before');
            }
            if (point === 'after its turn, before its request') {
              reached.resolve();
              await held.promise;
            }
            const running = runStep(step, signal, onSent);
            const over = () => inner.resolve();
            running.then(over, over);
            if (point !== 'before its commit') return running;
            const outcome = await running;
            reached.resolve();
            await held.promise;
            return outcome;
          };
        const timed = await startTimed(t, {
          sources: {
            shop: sourceOf(),
            other: productSource('other', '').replace('politeness: {', 'politeness: { key: o,'),
          },
          settings: settingsOf({ timeLimitMs: 3_600 * second }),
          intercept,
        });
        await timed.track(
          'p',
          { source: 'shop', url: site.url('/page') },
          ...(way.name.startsWith('superseded') ? [{ source: 'other', url: site.url('/sibling') }] : []),
        );
        const scrape = await reach(timed, { time, crashes: way.crashes, reached: reached.promise });
        const asked = site.asked.length;

        const crashSibling = () => sibling.reject(new Error('the sibling is broken'));
        const crash = () => inScrape?.(() => timed.daemon.system.blame(new Error('astray')));
        isCut = true;
        const after = await way.cut({ t, timed, scrape, crashSibling, crash });
        held.resolve();
        await inner.promise;
        await after.daemon.system.idle();
        await after.client.call('settings.set', {});

        const isForgotten = way.forgets === true && time === 'in its first half second';
        const { client } = after;
        if (isForgotten) await assert.rejects(client.call('scrape.get', { scrape }), { code: 'not_found' });
        else {
          const { scrape: row, steps } = await client.call('scrape.get', { scrape });
          assert.deepEqual([row.status, row.failure?.code], way.ending);
          assert.deepEqual([row.steps, steps], [0, []]);
        }
        assert.deepEqual((await after.client.call('project.records', { id: 'p' })).records, []);
        assert.deepEqual((await after.client.call('project.history', { id: 'p' })).changes, []);
        const last = (await after.client.call('daemon.status', {})).lastEvent;
        if (last > 0) await after.event(({ id }) => id === last);
        const told = ['scrape.started', `scrape.${way.ending[0]}`];
        if (way.ending[1] === 'crashed') told.push('target.crashed');
        assert.deepEqual(
          after.events.filter((event) => event.scrape === scrape).map(({ type }) => type),
          isForgotten ? [] : told,
        );
        assert.equal(site.asked.length, asked);
      });
    }
  });
}

describe('a target that is due and waits for its turn', () => {
  /** A daemon whose target is due and has asked for nothing yet. */
  async function waitingForItsTurn(t: TestContext) {
    const site = await openSite(t, { '/page': productPage('A', '1') });
    const shop = productSource('shop').replace('delay: 1ms, minDelay: 1ms', 'delay: 10s, minDelay: 10s');
    const timed = await startTimed(t, { sources: { shop } });
    await timed.track('p', { source: 'shop', url: site.url('/page') });
    await timed.pass(2 * second);
    assert.equal((await timed.client.call('host.list', {})).hosts[0]?.waiting, 1);
    return { site, timed };
  }

  async function assertNothing({ client, events }: TimedDaemon, site: Site): Promise<void> {
    assert.deepEqual((await client.call('scrape.list', { project: 'p' })).scrapes, []);
    assert.deepEqual(
      events.filter(({ type }) => type.startsWith('scrape.')),
      [],
    );
    assert.deepEqual(site.asked, []);
  }

  test('has begun nothing, and begins nothing when its project is archived', async (t) => {
    const { site, timed } = await waitingForItsTurn(t);
    await timed.client.call('project.archive', { id: 'p' });
    await timed.pass(60 * second);
    await assertNothing(timed, site);
    assert.equal((await timed.client.call('host.list', {})).hosts[0]?.waiting, 0);
  });

  test('has begun nothing when the daemon ends, and gets its turn from the next one', async (t) => {
    const { site, timed } = await waitingForItsTurn(t);
    await timed.close();
    const after = await startTimed(t, { sources: {}, clock: timed.clock, folder: timed.folder });
    await after.tracked(1);
    await assertNothing(after, site);
    await after.pass(20 * second);
    await after.settle();
    assert.deepEqual(
      (await after.client.call('scrape.list', { project: 'p' })).scrapes.map(({ status }) => status),
      ['complete'],
    );
  });
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

interface Reaching {
  readonly time: (typeof times)[number];
  readonly crashes: number;
  readonly reached: Promise<void>;
}

/** Brings the scrape of the page to its point; the number of the scrape. */
async function reach(timed: TimedDaemon, { time, crashes, reached }: Reaching): Promise<number> {
  const { client, clock, event, events, daemon } = timed;
  const { target = 0 } = (await client.call('project.get', { id: 'p' })).targets[0] ?? {};
  let scrape = 0;
  for (let crashed = 0; crashed <= crashes; crashed += 1) {
    clock.advance(second);
    scrape = await beganAfter(scrape, target, timed);
    await daemon.system.idle();
    if (time === 'later') {
      clock.advance(second / 2);
      await event((one) => one.type === 'scrape.started' && one.scrape === scrape);
    }
    // Long enough for its turn.
    clock.advance(time === 'later' ? 20 * second : 10);
    if (crashed < crashes) await event(() => events.filter((one) => one.type === 'target.crashed').length > crashed);
    else await reached;
    await daemon.system.idle();
  }
  return scrape;
}

/** Resolves with the number of the next scrape of a target when that has begun, though no event tells it yet. */
async function beganAfter(before: number, target: number, { client, daemon }: TimedDaemon): Promise<number> {
  for (;;) {
    const { scrapes } = await client.call('scrape.list', { project: 'p' });
    const begun = scrapes.findLast((each) => each.target === target && each.scrape > before);
    if (begun !== undefined) return begun.scrape;
    await daemon.system.idle();
  }
}

function sourceOf(): string {
  return productSource('shop', 'limits: { extract: 1h }').replace(
    'state: { css: .state }',
    'state: { css: ".no ~ p ~ p" }',
  );
}

/** Has the page come as far as the point, and tells when it has. */
function answer(site: Site, point: Point, reached: () => void): void {
  const page = productPage('A', '1');
  // Siblings of siblings of what is not there: many seconds of extraction.
  const body = point === 'during extraction' ? page + '<p>x</p>'.repeat(2_000) : page;
  site.answer('/page', (_, response) => {
    response.setHeader('content-type', 'text/html');
    if (point === 'before the head') return reached();
    if (point === 'after the head') {
      response.flushHeaders();
      return void setImmediate(reached);
    }
    if (point === 'in the body') return void response.write(body.slice(0, 20), () => setImmediate(reached));
    response.end(body, () => point === 'during extraction' && setImmediate(reached));
  });
}
