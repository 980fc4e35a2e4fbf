import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunStep } from '../../src/daemon/open.ts';
import { productPage, productSource, startDaemon } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startAt, startTimed } from './passing.ts';

const second = 1_000;

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
    assert.equal(before?.lastError?.code, 'timeout');
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
      await client.call('project.add', { id, targets: [{ source: 'shop', url: site.url('/a') }] });
      await event(({ type, project }) => type === 'scrape.completed' && project === id);
      await client.call('daemon.ping', {});
    }
    assert.equal(
      events.some(({ type }) => type === 'scrape.failed'),
      false,
    );
    const failed = await event(({ type }) => type === 'scrape.failed');
    assert.equal(failed.project, 'slow');
    const { scrapes } = await client.call('scrape.list', { project: 'slow' });
    assert.equal(scrapes[0]?.failure?.code, 'extract_timeout');
  });
});
