import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import type { RunStep } from '../../src/engine/step.ts';
import { parseSource } from '../../src/definition/load.ts';
import { openProvider } from '../../src/provider/declared.ts';
import type { RequestIntent } from '../../src/request/intent.ts';
import { pageWalk } from '../../src/scrape/open-walk.ts';
import { runScrape } from '../../src/scrape/run.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed } from './passing.ts';

const second = 1_000;
const ids = ['a', 'b', 'c', 'd'];

describe('a scrape without an end', () => {
  test('that never resolves fails with a timeout at its limit, and its target is free when it is next due (B33)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    let hangs = 1;
    const hung = Promise.withResolvers<void>();
    const intercept =
      (runStep: RunStep): RunStep =>
      (step, signal, onSent) => {
        if (hangs === 0) return runStep(step, signal, onSent);
        hangs -= 1;
        hung.resolve();
        return new Promise(() => undefined);
      };
    const sources = { shop: productSource('shop') };
    const settings = settingsOf({ everyMs: 600 * second, timeLimitMs: 30 * second });
    const { client, clock, event, starts, track, pass, settle } = await startTimed(t, {
      sources,
      settings,
      intercept,
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    clock.advance(second);
    await hung.promise;
    clock.advance(30 * second);
    const failed = await event(({ type }) => type === 'scrape.failed');
    assert.equal(failed.at, startAt + 31 * second);
    const before = (await client.call('project.get', { id: 'a' })).targets[0];
    assert.equal(before?.lastError?.code, 'time_limit');
    assert.deepEqual([before.crashes.total, before.dueAt], [0, startAt + 601 * second]);
    const { children = [] } = await client.call('tree.get', {});
    assert.deepEqual(
      children.find(({ id }) => id === 'projects')?.children?.map(({ id, restarts }) => [id, restarts]),
      [['a', 0]],
    );
    assert.equal(hangs, 0);
    await pass(570 * second);
    await settle();
    assert.deepEqual(starts('a'), [startAt + second, startAt + 601 * second]);
    assert.equal((await client.call('scrape.list', { project: 'a', status: 'complete' })).scrapes.length, 1);
  });

  test('has its limit for its steps alone: waiting for a turn is no fault of its own', async (t) => {
    const site = await openSite(t, Object.fromEntries(ids.map((id) => [`/${id}`, productPage(id, '1')])));
    const slow = productSource('shop').replace('delay: 1ms, minDelay: 1ms', 'delay: 20s, minDelay: 20s');
    const settings = settingsOf({ timeLimitMs: 30 * second });
    const { client, pass, track } = await startTimed(t, { sources: { shop: slow }, settings });
    for (const id of ids) await track(id, { source: 'shop', url: site.url(`/${id}`) });
    await pass(120 * second);
    const { scrapes } = await client.call('scrape.list', {});
    assert.deepEqual(scrapes.map(({ projects: [project], status }) => `${project} ${status}`).sort(), [
      'a complete',
      'b complete',
      'c complete',
      'd complete',
    ]);
  });

  test('has its limit for its requests alone: waiting for a thread that reads its page is no fault of its own', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const [came, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const intercept =
      (runStep: RunStep): RunStep =>
      async (...step) => {
        const outcome = await runStep(...step);
        came.resolve();
        await read.promise;
        return outcome;
      };
    const settings = settingsOf({ timeLimitMs: 30 * second });
    const sources = { shop: productSource('shop') };
    const { clock, event, track } = await startTimed(t, { sources, settings, intercept });
    await track('a', { source: 'shop', url: site.url('/a') });
    clock.advance(second);
    await came.promise;
    clock.advance(60 * second);
    read.resolve();
    const ended = await event(({ type }) => type === 'scrape.completed' || type === 'scrape.failed');
    assert.equal(ended.type, 'scrape.completed');
  });

  test('leaves nothing behind on the signal of the life that it ran in', async () => {
    const life = new AbortController();
    const clock = new VirtualClock();
    const outcome = {
      kind: 'failed',
      failure: { code: 'status', message: 'no' },
      at: 0,
      elapsedMs: 0,
      bytes: 0,
    } as const;
    const deps = {
      clock,
      timeLimitMs: 1_000,
      random: () => 0.5,
      makeRequest: async ({ within }: RequestIntent, signal: AbortSignal) => {
        await within?.(() => Promise.resolve(outcome), signal);
        return { outcome, generation: 0, wasAsked: true, waitedMs: 0 };
      },
      commit: () => Promise.resolve({ outcome: 'superseded' } as const),
      close: () => Promise.resolve({ outcome: 'superseded' } as const),
    };
    const begun = {
      target: 1,
      address: 'https://site.test/',
      epoch: 1,
      scrape: 1,
      version: 'v1',
      dueAt: 0,
      nextDueAt: Infinity,
    };
    const parsed = parseSource(productSource('shop'), 'shop.yaml');
    assert.ok(parsed.ok);
    const walk = pageWalk('http://127.0.0.1/', openProvider(parsed.value), undefined);
    await runScrape(begun, parsed.value, walk, deps, life.signal);
    assert.deepEqual(getEventListeners(life.signal, 'abort'), []);
    assert.equal(clock.next(), undefined);
  });

  test('that blocks its thread holds up neither the daemon nor the scrapes of others, and fails at its limit (B34)', async (t) => {
    // Siblings of siblings of what is not there: cubic in their number.
    const siblings = `<h1>X</h1>${'<p>x</p>'.repeat(2_000)}`;
    const site = await openSite(t, { '/slow': siblings, '/a': productPage('A', '1') });
    const slow = productSource('slow', 'limits: { extract: 2s }')
      .replace('state: { css: .state }', 'state: { css: ".no ~ p ~ p" }')
      .replace('politeness: {', 'politeness: { key: slow,');
    const { client, event, events } = await startDaemon(t, {
      sources: { slow, shop: productSource('shop') },
      settings: settingsOf({ initialDelayMs: 10 }),
      threads: 2,
    });
    await client.call('project.add', { id: 'slow', targets: [{ source: 'slow', url: site.url('/slow') }] });
    await site.nextAsked('/slow');
    for (const id of ['a', 'b', 'c']) {
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url(`/a?${id}`) }] });
      await event(({ type, projects }) => type === 'scrape.completed' && projects?.[0] === id);
      await client.call('daemon.ping', {});
    }
    assert.equal(
      events.some(({ type }) => type === 'scrape.failed'),
      false,
    );
    const failed = await event(({ type }) => type === 'scrape.failed');
    assert.deepEqual(failed.projects, ['slow']);
    const { scrapes } = await client.call('scrape.list', { project: 'slow' });
    assert.equal(scrapes[0]?.failure?.code, 'extract_timeout');
  });
});
