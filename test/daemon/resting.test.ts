import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { startAt, startTimed, type TimedDaemon } from './passing.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** What was told of objectives, in order. */
function told({ events }: TimedDaemon): string[] {
  return events.filter(({ type }) => type.startsWith('objective.')).map(({ type }) => type.slice('objective.'.length));
}

/** A project `a`, verified a second after the start, whose page makes the extraction throw while `isBroken` says so. */
async function startPromised(t: Parameters<typeof startTimed>[0], schedule: string) {
  const site = await openSite(t, { '/a': productPage('A', '1.00') });
  const broken = { isBroken: false };
  const timed = await startTimed(t, {
    sources: { shop: productSource('shop', schedule) },
    intercept: (runStep) => (step, signal, onSent) => {
      if (broken.isBroken) throw new Error('the scraper is broken');
      return runStep(step, signal, onSent);
    },
  });
  await timed.track('a', { source: 'shop', url: site.url('/a') });
  await timed.pass(2 * second);
  return { site, timed, broken };
}

async function statusOf({ client }: TimedDaemon): Promise<string | undefined> {
  return (await client.call('project.get', { id: 'a' })).targets[0]?.status;
}

async function all({ client }: TimedDaemon) {
  return (await client.call('objective.report', {})).all;
}

async function promise({ client }: TimedDaemon) {
  return (await client.call('project.why', { id: 'a' })).targets[0]?.objectives[0];
}

async function tokens({ client }: TimedDaemon): Promise<number | undefined> {
  const pace = (await client.call('project.why', { id: 'a' })).targets[0]?.pace;
  return pace?.kind === 'tokens' ? pace.tokens : undefined;
}

function places(site: Site) {
  return [{ source: 'shop', url: site.url('/a') }];
}

describe('what is promised of a target that is parked', () => {
  test('goes on to count, and is told late, broken and kept again once however often it is parked (P46)', async (t) => {
    const { timed, broken } = await startPromised(t, 'every: 5m\nobjectives: { warnAfter: 10m, errorAfter: 20m }');
    broken.isBroken = true;
    await timed.pass(8 * minute);
    assert.equal(await statusOf(timed), 'parked');
    assert.deepEqual([(await all(timed)).count, told(timed)], [1, []]);
    await timed.pass(3 * hour);
    assert.ok(timed.events.filter(({ type }) => type === 'target.parked').length > 3);
    assert.deepEqual(told(timed), ['warn', 'error']);
    const { count, breaches, shareWithin, maxMs } = await all(timed);
    assert.deepEqual([count, breaches, shareWithin], [1, 1, 0]);
    assert.ok(maxMs > 3 * hour);
    broken.isBroken = false;
    await timed.pass(7 * hour);
    assert.equal(await statusOf(timed), 'active');
    assert.deepEqual(told(timed), ['warn', 'error', 'recovered']);
  });

  test('is told while it is parked, and counts from its creation where nothing was ever verified', async (t) => {
    const site = await openSite(t);
    const timed = await startTimed(t, {
      sources: { shop: productSource('shop', 'objectives: { errorAfter: 50m }') },
      intercept: () => () => {
        throw new Error('the scraper is broken');
      },
    });
    await timed.track('a', ...places(site));
    await timed.pass(10 * minute);
    assert.equal((await promise(timed))?.lastVerifiedAt, startAt);
    await timed.pass(45 * minute);
    assert.deepEqual(told(timed), ['error']);
    assert.equal((await promise(timed))?.lastVerifiedAt, startAt);
  });

  test('follows what is said of it meanwhile', async (t) => {
    const { timed, broken } = await startPromised(t, 'every: 5m');
    broken.isBroken = true;
    await timed.pass(20 * minute);
    assert.equal(await statusOf(timed), 'parked');
    await timed.client.call('project.update', { id: 'a', objectives: { errorAfterMs: 15 * minute } });
    await timed.pass(second);
    assert.deepEqual(told(timed), ['error']);
    assert.equal(await statusOf(timed), 'parked');
  });
});

describe('what is promised of a target whose definition is taken away for a while', () => {
  test('stands as it did when that is there again', async (t) => {
    const within = 'every: 2h\nobjectives: { errorAfter: 50m, fields: { price: { errorAfter: 1h } } }';
    const { site, timed } = await startPromised(t, within);
    site.answer('/a', { status: 404 });
    await timed.pass(55 * minute);
    assert.deepEqual(told(timed), ['error']);
    await rm(join(timed.folder, 'sources', 'shop.yaml'));
    await timed.client.call('source.reload', { force: true });
    await timed.pass(10 * minute);
    assert.deepEqual(told(timed), ['error']);
    await timed.define('shop', productSource('shop', within));
    await timed.client.call('source.reload', {});
    await timed.pass(second);
    await timed.settle();
    // Once of all of it, and once of its price.
    assert.deepEqual(told(timed), ['error', 'error']);
  });
});

describe('what is promised of a target that nobody wants scraped', () => {
  test('does not count and tells nothing while its project is archived, and goes on as it stood when that is restored', async (t) => {
    const { site, timed } = await startPromised(t, 'every: 1h\nobjectives: { errorAfter: 10m }');
    site.answer('/a', { status: 404 });
    await timed.pass(15 * minute);
    assert.deepEqual(told(timed), ['error']);
    await timed.client.call('project.archive', { id: 'a' });
    await timed.pass(hour);
    assert.deepEqual([(await all(timed)).count, await promise(timed)], [0, undefined]);
    await timed.client.call('project.restore', { id: 'a' });
    await timed.pass(10 * minute);
    assert.deepEqual(told(timed), ['error']);
    assert.equal((await promise(timed))?.lastVerifiedAt, startAt + second);
    site.answer('/a', productPage('A', '1.00'));
    await timed.pass(hour);
    assert.deepEqual(told(timed), ['error', 'recovered']);
  });

  test('is not told when it grows too old in the archive, nor after it was taken out of its project', async (t) => {
    const { site, timed } = await startPromised(t, 'every: 1h\nobjectives: { errorAfter: 30m }');
    await timed.client.call('project.archive', { id: 'a' });
    await timed.pass(hour);
    assert.deepEqual(told(timed), []);
    await timed.client.call('project.restore', { id: 'a' });
    await timed.pass(2 * second);
    await timed.settle();
    assert.deepEqual(told(timed), ['error', 'recovered']);
    const other = { source: 'shop', url: site.url('/b') };
    site.answer('/b', productPage('B', '1.00'));
    await timed.client.call('project.update', { id: 'a', targets: [other] });
    await timed.pass(2 * hour);
    assert.deepEqual(told(timed), ['error', 'recovered']);
    assert.equal((await all(timed)).count, 1);
  });

  test('counts again from when its project is restored, for one that is parked too', async (t) => {
    const { timed, broken } = await startPromised(t, 'every: 5m\nobjectives: { errorAfter: 20h }');
    broken.isBroken = true;
    await timed.pass(20 * minute);
    assert.equal(await statusOf(timed), 'parked');
    await timed.client.call('project.archive', { id: 'a' });
    assert.equal((await all(timed)).count, 0);
    await timed.client.call('project.restore', { id: 'a' });
    assert.deepEqual([(await all(timed)).count, await statusOf(timed)], [1, 'parked']);
    await timed.pass(day);
    assert.deepEqual(told(timed), ['error']);
  });

  test('is over when its target is finished', async (t) => {
    const { site, timed } = await startPromised(t, 'every: 5m\nobjectives: { errorAfter: 10m }');
    site.answer('/a', productPage('A', '1.00', 'gone'));
    await timed.pass(6 * minute);
    assert.equal(await statusOf(timed), 'finished');
    await timed.pass(hour);
    assert.deepEqual([told(timed), (await all(timed)).count], [[], 0]);
  });
});

describe('the tokens of a target', () => {
  test('are neither renewed nor lost when its project is archived and restored', async (t) => {
    const { timed } = await startPromised(t, 'tokens: { start: 4 }');
    assert.equal(await tokens(timed), 3);
    const counts: (number | undefined)[] = [];
    for (const _ of [1, 2, 3, 4]) {
      await timed.client.call('project.archive', { id: 'a' });
      await timed.pass(second);
      await timed.client.call('project.restore', { id: 'a' });
      await timed.pass(2 * second);
      counts.push(await tokens(timed));
    }
    // Each first scrape is paid for.
    assert.deepEqual(counts, [2, 1, 0, 0]);
  });

  test('are not granted for days in the archive, and what its plan had left is given back', async (t) => {
    const { timed } = await startPromised(t, 'tokens: { start: 4 }');
    await timed.until(startAt + day);
    await timed.settle();
    // Four were there at most, three of them are planned, of which one is made.
    assert.equal(await tokens(timed), 1);
    await timed.until(startAt + day + 7 * hour, 2 * hour);
    assert.equal(timed.starts('a').length, 2);
    await timed.client.call('project.archive', { id: 'a' });
    timed.clock.advance(9 * day);
    await timed.settle();
    await timed.client.call('project.restore', { id: 'a' });
    await timed.pass(2 * second);
    assert.equal(await tokens(timed), 2);
  });
});
