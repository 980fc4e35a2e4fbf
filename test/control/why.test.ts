import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingsOf, startAt, startTimed } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const sources = { shop: productSource('shop') };
const settings = settingsOf({});

describe('project.why', () => {
  test('tells the first scrape, then the interval with its grid, and what the host, robots.txt and user agent are', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, pass, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a') });
    const [before = assert.fail()] = (await client.call('project.why', { id: 'a' })).targets;
    assert.deepEqual(before.because, [
      {
        by: 'first',
        at: startAt + second,
        effect: 'asks',
        decides: true,
        text: 'its first scrape, after the initial delay',
      },
    ]);
    assert.deepEqual(before.host, { key: site.origin, nextAt: before.host?.nextAt, waiting: 0, delayMs: 1 });
    await pass(second);
    const { at, targets } = await client.call('project.why', { id: 'a' });
    assert.equal(at, startAt + second);
    const [why = assert.fail()] = targets;
    const dueAt = startAt + second + 4 * hour;
    assert.equal(why.dueAt, dueAt);
    assert.deepEqual(why.because, [
      { by: 'interval', at: dueAt, effect: 'asks', decides: true, text: 'every 4h on its grid' },
    ]);
    assert.deepEqual(why.pace, { kind: 'interval', everyMs: 4 * hour, originAt: startAt + second, phaseMs: 0 });
    assert.equal(why.host?.key, site.origin);
    assert.deepEqual(why.robots, { verdict: 'ignored' });
    assert.equal(why.userAgent, 'Heronry/0.0.0');
    assert.deepEqual(why.session, { code: 'ready' });
  });

  test("a host's Retry-After holds the next turn back", async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, pass, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a'), everyMs: 10 * minute });
    await pass(2 * second);
    site.answer('/a', { status: 503, headers: { 'retry-after': '1800' } });
    await pass(10 * minute);
    const [why = assert.fail()] = (await client.call('project.why', { id: 'a' })).targets;
    assert.equal(why.host?.hold?.kind, 'retry_after');
    const heldUntil = startAt + second + 40 * minute;
    assert.equal(why.dueAt, heldUntil);
    assert.deepEqual(
      why.because.map(({ by, at, decides }) => ({ by, at, decides })),
      [
        { by: 'interval', at: startAt + second + 20 * minute, decides: false },
        { by: 'backoff', at: heldUntil, decides: true },
      ],
    );
  });

  test('tokens, with the priority as it is after every scrape that ended well (J12)', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, pass, track } = await startTimed(t, {
      sources: { shop: productSource('shop', 'tokens: true') },
      settings,
    });
    await track('a', { source: 'shop', url: site.url('/a') });
    const pace = async () => (await client.call('project.why', { id: 'a' })).targets[0]?.pace;
    const before = await pace();
    assert.ok(before?.kind === 'tokens');
    assert.deepEqual([before.priority, before.found], [1, []]);
    await pass(2 * second);
    const after = await pace();
    assert.ok(after?.kind === 'tokens');
    assert.deepEqual([after.priority, after.found, after.tokens], [1.75, [1], 0]);
    await client.call('project.rescrape', { id: 'a' });
    await pass(minute);
    const again = await pace();
    assert.ok(again?.kind === 'tokens');
    assert.deepEqual(again.found, [0, 1]);
    assert.ok(again.priority < 1.75);
  });

  test('what is promised, with its age and its deadline; and the objective that draws a turn forward', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, pass, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a') });
    await client.call('project.update', {
      id: 'a',
      objectives: { warnAfterMs: hour, fields: { price: { errorAfterMs: 2 * hour } } },
    });
    await pass(10 * minute);
    const [why = assert.fail()] = (await client.call('project.why', { id: 'a' })).targets;
    const verifiedAt = startAt + second;
    assert.equal(why.because.find(({ decides }) => decides)?.by, 'objective');
    assert.ok((why.dueAt ?? Infinity) < verifiedAt + hour);
    const [whole = assert.fail(), price = assert.fail()] = why.objectives;
    assert.ok(Math.abs(whole.lastVerifiedAt - verifiedAt) < second);
    assert.deepEqual(
      [whole.field, whole.warnAfterMs, whole.level, whole.deadlineAt - whole.lastVerifiedAt],
      [undefined, hour, 'fresh', hour],
    );
    assert.deepEqual([price.field, price.errorAfterMs, price.level], ['price', 2 * hour, 'fresh']);
  });

  test('what was never verified counts from its creation, and is broken from when that was told', async (t) => {
    const site = await openSite(t, { '/a': { status: 404 } });
    const daemon = await startTimed(t, { sources, settings });
    await daemon.track('a', {
      source: 'shop',
      url: site.url('/a'),
      objective: { warnAfterMs: 10 * second, errorAfterMs: 20 * second },
    });
    await daemon.pass(25 * second);
    const shown = async () => {
      const [why = assert.fail()] = (await daemon.client.call('project.why', { id: 'a' })).targets;
      return why.objectives[0] ?? assert.fail();
    };
    const { isVerified, lastVerifiedAt, level, sinceAt, brokenAt } = await shown();
    assert.deepEqual(
      [isVerified, lastVerifiedAt, level, sinceAt, brokenAt],
      [false, startAt, 'error', startAt + 10 * second, startAt + 20 * second],
    );
    const told = daemon.events.find(({ type }) => type === 'objective.error') ?? assert.fail();
    assert.ok(Math.abs(told.at - startAt - 20 * second) <= 1);

    site.answer('/a', productPage('A', '1'));
    await daemon.pass(10 * second);
    const after = await shown();
    assert.deepEqual([after.isVerified, after.level, after.brokenAt], [true, 'fresh', undefined]);
  });

  test('of an archived project nothing is due, and an unknown one is not found', async (t) => {
    const site = await openSite(t, { '/a': productPage('A', '1') });
    const { client, track } = await startTimed(t, { sources, settings });
    await track('a', { source: 'shop', url: site.url('/a') });
    await client.call('project.archive', { id: 'a' });
    const [why = assert.fail()] = (await client.call('project.why', { id: 'a' })).targets;
    assert.deepEqual([why.dueAt, why.because], [undefined, []]);
    await assert.rejects(client.call('project.why', { id: 'nope' }), { code: 'not_found' });
    await assert.rejects(client.call('project.why', { id: 'a', target: 9 }), { code: 'not_found' });
  });
});
