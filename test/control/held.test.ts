import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const settings = settingsOf({});
const sources = { shop: productSource('shop') };
const atSix = { available: [{ days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 360, toMinute: 480, zone: 'UTC' }] };

describe('a scrape that a person asked for', () => {
  test('is told with when it will begin and what holds it back, outside the hours', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const { client, pass, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a'), ...atSix }, { source: 'shop', url: site.url('/b') });
    await pass(minute);
    const { scrapes, paused } = await client.call('project.rescrape', { id: 'a' });
    assert.equal(paused, undefined);
    assert.deepEqual(
      scrapes.map(({ target, held }) => ({ target, held })),
      [
        {
          target: 1,
          held: {
            dueAt: startAt + 6 * hour,
            because: [
              {
                by: 'first',
                at: startAt + second,
                effect: 'asks',
                decides: false,
                text: 'its first scrape, after the initial delay',
              },
              {
                by: 'manual',
                at: startAt + minute,
                effect: 'asks',
                decides: false,
                text: 'somebody asked for it',
              },
              {
                by: 'hours',
                at: startAt + 6 * hour,
                effect: 'holds',
                decides: true,
                text: 'the hours in which it may be asked',
              },
            ],
          },
        },
        { target: 2, held: undefined },
      ],
    );
    await pass(minute);
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/b', '/b'],
    );
  });
});

describe('a target of which no definition is loaded', () => {
  test('is due at no time, and both why and the schedule say so until it is back', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, pass, track, folder } = await startTimed(t, {
      sources: { ...sources, other: productSource('other') },
      settings,
    });
    await track('a', { source: 'shop', url: site.url('/a'), everyMs: hour });
    await track('b', { source: 'other', url: site.url('/a'), everyMs: hour });
    await pass(2 * second);
    await rm(join(folder, 'sources', 'shop.yaml'));
    await client.call('source.reload', { force: true });
    await pass(2 * hour);
    const [why = assert.fail()] = (await client.call('project.why', { id: 'a' })).targets;
    assert.equal(why.dueAt, undefined);
    assert.deepEqual(
      why.because.map(({ by, effect, decides }) => [by, effect, decides]),
      [
        ['interval', 'asks', false],
        ['definition', 'holds', true],
      ],
    );
    assert.equal((await client.call('project.get', { id: 'a' })).targets[0]?.dueAt, undefined);
    const listed = await client.call('schedule.list', {});
    assert.deepEqual([listed.turns.map(({ projects: [project] }) => project), listed.unloaded], [['b'], ['shop']]);
    const ofShop = await client.call('schedule.list', { source: 'shop' });
    assert.deepEqual([ofShop.turns, ofShop.unloaded], [[], ['shop']]);
    assert.deepEqual((await client.call('schedule.list', { source: 'other' })).unloaded, undefined);
  });
});

describe('the schedule', () => {
  test('names the day that pays for the next scrape of tokens, before that day is planned', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1'), '/b': productPage('B', '1') });
    const { client, pass, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a'), tokens: true });
    await track('b', { source: 'shop', url: site.url('/b'), everyMs: 12 * hour });
    await pass(hour);
    const [why = assert.fail()] = (await client.call('project.why', { id: 'a' })).targets;
    const awaited = { project: 'a', dueAt: startAt + day, by: 'tokens', dayOnly: true };
    assert.deepEqual([why.because[0]?.effect, why.because[0]?.at], ['awaits', awaited.dueAt]);
    const list = async (asked: object) =>
      (await client.call('schedule.list', asked)).turns.map(({ projects: [project], dueAt, by, dayOnly }) => ({
        project,
        dueAt,
        by,
        dayOnly,
      }));
    const [first = assert.fail(), ...others] = await list({});
    assert.deepEqual([first.project, others], ['b', [awaited]]);
    assert.deepEqual(await list({ project: 'a' }), [awaited]);
    assert.deepEqual(await list({ project: 'a', before: startAt + day }), []);
    assert.deepEqual(await list({ before: startAt + day }), [first]);
    assert.deepEqual(await list({ limit: 1 }), [first]);
  });

  test('is of a host by its key or by the origin of what is asked there', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const keyed = productSource('shop').replace('politeness: {', 'politeness: { key: shops,');
    const { client, track } = await startTimed(t, { sources: { shop: keyed }, settings });
    await track('a', { source: 'shop', url: site.url('/a') });
    for (const key of ['shops', site.origin]) {
      const { turns } = await client.call('schedule.list', { key });
      assert.deepEqual(
        turns.map((turn) => [turn.projects[0], turn.key]),
        [['a', 'shops']],
        key,
      );
    }
  });

  test('refuses a source and a host that nothing is known of', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a') });
    await assert.rejects(client.call('schedule.list', { source: 'nosuch' }), {
      code: 'not_found',
      message: 'no source "nosuch"',
    });
    await assert.rejects(client.call('schedule.list', { key: 'nosuch' }), {
      code: 'not_found',
      message: 'no target is on host "nosuch"',
    });
    await client.call('project.archive', { id: 'a' });
    assert.deepEqual((await client.call('schedule.list', { source: 'shop' })).turns, []);
  });

  test('is forecast from the present day on, for ten years, and pruned by a list alone', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, track, pass } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a') });
    await pass(hour);
    for (const from of [8_640_000_000_000_000, -1e15, startAt - 1, startAt + 3_654 * day])
      await assert.rejects(client.call('schedule.plan', { from }), {
        code: 'invalid_params',
        message:
          /^from: expected an instant from the present day on and within ten years, got [-+]?\d+-\d\d-\d\dT[\d:.]+Z$/,
      });
    assert.equal((await client.call('schedule.plan', { from: startAt })).from, startAt);
    assert.deepEqual((await client.call('schedule.plan', { from: startAt + 3_000 * day })).requests, [6]);
    await assert.rejects(client.call('schedule.plan', { prune: true }), {
      code: 'invalid_params',
      message: 'schedule.plan: prune: expected "projects" beside it',
    });
  });
});

test('why tells that a project is archived', async (t) => {
  const site = await openSite(t, { '/a': productPage('A', '1') });
  const { client, track } = await startTimed(t, { sources, settings });
  await track('a', { source: 'shop', url: site.url('/a') });
  assert.equal((await client.call('project.why', { id: 'a' })).status, 'active');
  await client.call('project.archive', { id: 'a' });
  assert.equal((await client.call('project.why', { id: 'a' })).status, 'archived');
});
