import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunStep } from '../../src/engine/step.ts';
import { beginScrape } from '../../src/store/scrapes.ts';
import { openStore } from '../../src/store/store.ts';
import { hourly } from '../store/fixture.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';
import { settingsOf, startTimed } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const sources = { shop: productSource('shop') };

/** Throws in place of so many steps. */
function throwing(times: number): (runStep: RunStep) => RunStep {
  let left = times;
  return (runStep) => (step, signal, onSent) => {
    if (left === 0) return runStep(step, signal, onSent);
    left -= 1;
    throw new Error('the scraper is broken');
  };
}

describe('the wall clock, set back by a day,', () => {
  test('while the daemon was down delays no scrape, though that was killed in the middle of another', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00'), '/b': productPage('B', '1.00') });
    const settings = settingsOf({ everyMs: 10 * minute });
    const { clock, folder, close, ...before } = await startTimed(t, { sources, settings });
    for (const id of ['a', 'b']) await before.track(id, { source: 'shop', url: site.url(`/${id}`) });
    await before.pass(10 * second);
    await close();
    const store = await openStore({ path: join(folder, 'data'), now: () => clock.now(), scheduling: hourly });
    await beginScrape(store, 1, 'v1');
    await store.close();
    clock.wall = clock.now() - day;
    const from = clock.now();
    const after = await startTimed(t, { clock, folder, sources: {}, settings });
    await after.tracked(2);
    await after.pass(12 * minute);
    const begun = after.starts('b').filter((at) => at >= from && at < from + 12 * minute);
    assert.ok(begun.length >= 1, 'no scrape of the other one');
  });

  test('holds a target that crashed no longer than a crash does', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1.00') });
    const { client, clock, event, pass, track } = await startTimed(t, { sources, intercept: throwing(1) });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(1_500);
    await event(({ type }) => type === 'target.crashed');
    clock.wall = clock.now() - day;
    const complete = async () => (await client.call('scrape.list', { status: 'complete' })).scrapes.length;
    // It is noticed by a look every half minute, which has writes to wait for.
    for (let looks = 0; looks < 10 && (await complete()) === 0; looks += 1) await pass(minute);
    assert.equal(await complete(), 1);
  });

  test('releases a parked target after the pause that it had, also where the daemon was down', async (t) => {
    for (const isDown of [false, true]) {
      const site = await openSite(t, { '/a': productPage('A', '1.00') });
      const before = await startTimed(t, { sources, intercept: throwing(4) });
      await before.track('a', { source: 'shop', url: site.url('/a') });
      await before.pass(20 * second);
      const { targets } = await before.client.call('project.get', { id: 'a' });
      assert.equal(targets[0]?.status, 'parked');
      if (isDown) await before.close();
      before.clock.wall = before.clock.now() - day;
      const { clock, folder } = before;
      const after = isDown ? await startTimed(t, { clock, folder, sources: {} }) : before;
      await after.tracked(1);
      const complete = async () => (await after.client.call('scrape.list', { status: 'complete' })).scrapes.length;
      for (let looks = 0; looks < 10 && (await complete()) === 0; looks += 1) await after.pass(minute);
      assert.equal(await complete(), 1);
    }
  });
});
