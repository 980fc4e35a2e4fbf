import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settingsOf, startAt, startTimed, type TimedDaemon } from '../daemon/passing.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const second = 1_000;
const minute = 60 * second;
const settings = settingsOf({ everyMs: 10 * minute });

/** When both say that a project's only target is due, and because of what. */
async function told({ client }: TimedDaemon, project: string) {
  const [why] = (await client.call('project.why', { id: project })).targets;
  const [listed] = (await client.call('schedule.list', { project })).turns;
  const [ofAll] = (await client.call('schedule.list', {})).turns.filter((each) => each.projects[0] === project);
  assert.deepEqual(listed, ofAll);
  return {
    why: { dueAt: why?.dueAt, by: why?.because.find(({ decides }) => decides)?.by },
    listed: { dueAt: listed?.dueAt, by: listed?.by },
  };
}

describe('why and schedule', () => {
  test('tell the same turn of a target whose host asked to be left alone', async (t) => {
    const retryAfter = { status: 503, headers: { 'retry-after': '7200' } };
    const site = await openSite(t, { '/a': retryAfter, '/b': productPage('B', '1') });
    const other = await openSite(t, { '/a': productPage('A', '1') });
    const timed = await startTimed(t, { sources: { shop: productSource('shop') }, settings });
    await timed.track('held', { source: 'shop', url: site.url('/a') });
    await timed.track('free', { source: 'shop', url: other.url('/a') });
    await timed.pass(2 * second);
    const { why, listed } = await told(timed, 'held');
    assert.deepEqual(listed, why);
    assert.equal(why.by, 'backoff');
    assert.ok(Math.abs((why.dueAt ?? 0) - (startAt + 120 * minute)) < 3 * second);
    const free = await told(timed, 'free');
    assert.deepEqual([free.listed, free.why.by], [free.why, 'interval']);
    assert.deepEqual(
      (await timed.client.call('schedule.list', {})).turns.map(({ projects: [project] }) => project),
      ['free', 'held'],
    );
    const ofHost = await timed.client.call('schedule.list', { key: site.origin });
    assert.deepEqual(ofHost.turns[0]?.dueAt, why.dueAt);
  });

  test("tell the same turn of a target whose source's circuit is open", async (t) => {
    const site = await openSite(t, { '/': '' });
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6'];
    for (const path of paths) site.answer(path, { status: 500 });
    const timed = await startTimed(t, {
      sources: { shop: productSource('shop') },
      settings: settingsOf({ everyMs: 20 * second }),
    });
    for (const path of paths) await timed.track(`p${path.slice(1)}`, { source: 'shop', url: site.url(path) });
    const circuit = async () => (await timed.client.call('source.get', { id: 'shop' })).circuit;
    for (let round = 0; round < 100 && (await circuit())?.state !== 'open'; round += 1) await timed.pass(5 * second);
    const nextAt = (await circuit())?.nextAt ?? assert.fail('its circuit is open');
    const { why, listed } = await told(timed, 'p1');
    assert.deepEqual(listed, why);
    assert.ok((why.dueAt ?? 0) >= nextAt);
    assert.ok(why.by === 'circuit' || why.by === 'backoff');
  });
});
