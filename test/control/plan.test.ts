import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { run } from '../cli/terminal.ts';
import { settingsOf, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const hour = 3_600_000;
const settings = settingsOf({});
const perDay = (ms: number) => Math.round(86_400_000 / ms);
const pausing = (id: string, pause: string, more = '') =>
  productSource(id, more).replace('delay: 1ms, minDelay: 1ms', `delay: ${pause}, minDelay: ${pause}`);

describe('the plan of a target that follows on itself', () => {
  test('fills its host when it does not sleep, whatever the pause is', async (t) => {
    const site = await openSite(t);
    const sources = { shop: pausing('shop', '300ms'), odd: pausing('odd', '700ms') };
    const { client } = await startTimed(t, { sources, settings });
    const plan = async (source: string, sleepMs: number) => {
      const targets = [{ source, url: site.url('/'), continuous: { sleepMs } }];
      const { requests, overloaded, busiest } = await client.call('schedule.plan', {
        projects: [{ id: 'a', targets }],
      });
      return [requests, overloaded, Math.round((busiest[0]?.load ?? 0) * 100)];
    };
    // The first scrape comes a second after the target is added.
    assert.deepEqual(await plan('shop', 0), [[perDay(300) - 3], 0, 100]);
    assert.deepEqual(await plan('odd', 0), [[perDay(700) - 1], 0, 100]);
    // A pause that is over when the sleep is takes nothing besides; an answer, of which nothing is known yet, a quarter of a second.
    assert.deepEqual(await plan('shop', second), [[perDay(1_250)], 0, 24]);
  });

  for (const sleepMs of [0, second, 3 * second])
    test(`says what is asked when it sleeps for ${sleepMs / second} s at a pause of 2 s`, async (t) => {
      const site = await openSite(t, { '/': productPage('A', '1') });
      const sources = { shop: pausing('shop', '2s') };
      const { client, track, pass, sent } = await startTimed(t, { sources, settings });
      await track('a', { source: 'shop', url: site.url('/'), continuous: { sleepMs } });
      await pass(60 * second);
      const before = sent.length;
      await pass(120 * second);
      const [planned = 0] = (await client.call('schedule.plan', {})).requests;
      const done = (sent.length - before) * 720;
      assert.ok(Math.abs(planned - done) <= 0.1 * done, `${planned} were planned, ${done} would be made`);
    });
});

describe('the plan of a target whose site is down', () => {
  const sources = { shop: productSource('shop', 'every: 1h') };

  test('counts a request for each scrape when none of them got as far as one', async (t) => {
    const site = await openSite(t);
    await site.close();
    const obedient = { shop: (sources.shop ?? '').replace('robots: ignore\n', '') };
    const { client, track, pass } = await startTimed(t, { sources: obedient, settings });
    await track('a', { source: 'shop', url: site.url('/') });
    await pass(3 * hour);
    const { all } = await client.call('waste.report', {});
    assert.ok(all.scrapes > 0, 'no scrape was made');
    assert.deepEqual((await client.call('schedule.plan', {})).requests, [24]);
  });

  test('counts what its scrapes took while it answered, in requests and in bytes', async (t) => {
    const page = productPage('A', '1');
    const site = await openSite(t, { '/': { status: 302, headers: { location: '/there' } }, '/there': page });
    const { client, track, pass } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/') });
    await pass(3 * hour);
    const planned = async () => {
      const { requests, bytes } = await client.call('schedule.plan', {});
      return [requests, bytes];
    };
    const up = [[48], 24 * Buffer.byteLength(page)];
    assert.deepEqual(await planned(), up);
    await site.close();
    await pass(6 * hour);
    const { all } = await client.call('waste.report', {});
    assert.ok(all.scrapes > 4, 'no scrape failed');
    assert.deepEqual(await planned(), up);
  });
});

test('a plan tells one figure of what comes late, which the minutes come to', async (t) => {
  const site = await openSite(t);
  const { client, socket } = await startTimed(t, { sources: { shop: pausing('shop', '2s') }, settings });
  const target = { source: 'shop', url: site.url('/'), everyMs: second, initialDelayMs: 2 * hour };
  await client.call('project.add', { id: 'a', targets: [target] });
  const plan = await client.call('schedule.plan', {});
  const [requests = 0, undone = 0] = [plan.requests[0], plan.undone[0]];
  const { out } = await run(['plan', '--socket', socket], { now: Date.now() });
  assert.match(out, new RegExp(`^late +${undone} of them, `, 'm'));
  assert.match(out, new RegExp(` so that of ${requests} ${undone} come late or never$`, 'm'));
});

test('a plan has re-checks come as early as they fall due beside those of shorter objectives on their host', async (t) => {
  const site = await openSite(t);
  const { client, track, pass } = await startTimed(t, { sources: { shop: pausing('shop', '2s') }, settings });
  const targetsOf = (name: string, count: number, warnAfterMs: number) =>
    Array.from({ length: count }, (_, number) => {
      site.answer(`/${name}-${number}`, productPage(name, '1'));
      return { source: 'shop', url: site.url(`/${name}-${number}`), objective: { warnAfterMs } };
    });
  const planned = async () => (await client.call('schedule.plan', {})).requests[0] ?? 0;
  await track('long', ...targetsOf('long', 20, 600 * second));
  await pass(60 * second);
  await client.call('project.add', { id: 'short', targets: targetsOf('short', 20, 180 * second) });
  const both = await planned();
  const [why = assert.fail()] = (await client.call('project.why', { id: 'long' })).targets;
  const at = why.because.find(({ by }) => by === 'objective')?.at ?? assert.fail('nothing is promised');
  const leadMs = (why.objectives[0]?.deadlineAt ?? 0) - at;
  await client.call('project.archive', { id: 'long' });
  const each = (both - (await planned())) / 20;
  assert.ok(Math.abs(each - perDay(600 * second - leadMs)) <= 1.5, `${each} a day with a lead of ${leadMs} ms`);
});
