import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { openSite } from '../../support/site.ts';
import { isEnd, json, recordsOf, type ScrapeEndEvent } from '../lists/listing.ts';
import { settingsOf, startAt, startTimed, type TimedDaemon } from '../passing.ts';
import { hold } from '../tracking.ts';
import { pluggedSource } from './plugging.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** The daemon starts at midnight. */
const opensAt = startAt + 6 * hour;
const closesAt = startAt + 8 * hour;

/** A daemon with one collector, whose source may be asked in the morning, and a target of it that is due at once. */
async function startCollector(t: TestContext, collect: string): Promise<TimedDaemon> {
  const timed = await startTimed(t, { sources: {}, settings: settingsOf({ timeLimitMs: 10 * hour }) });
  await mkdir(join(timed.folder, 'plugins'));
  await writeFile(join(timed.folder, 'plugins', 'morning.ts'), collect);
  await timed.define('morning', pluggedSource('morning', 'every: 30m\navailable: { hours: "06:00-08:00" }'));
  await timed.client.call('source.reload', {});
  await timed.track('morning', { source: 'morning', params: {} });
  return timed;
}

/** How the next scrape ends that has not yet. */
async function nextEnd({ event, events, settle }: TimedDaemon): Promise<readonly [string, unknown]> {
  const before = events.filter(isEnd).length;
  let seen = 0;
  const { type, data } = await event((each): each is ScrapeEndEvent => isEnd(each) && (seen += 1) > before);
  await settle();
  return [type, data.endReason];
}

async function dueAt({ client }: TimedDaemon): Promise<number | undefined> {
  return (await client.call('project.why', { id: 'morning' })).targets[0]?.dueAt;
}

describe('a collector whose source may be asked at some hours only', () => {
  test('is not started before they begin, neither when it is due nor when a person asks (O43)', async (t) => {
    const timed = await startCollector(
      t,
      `export function* collect(context, id = 'due') {
        yield { type: 'trial', fields: { id } };
      }`,
    );
    await timed.pass(10 * second);
    await timed.client.call('project.rescrape', { id: 'morning', wish: { args: ['wished'] } });
    await timed.until(opensAt - 1);
    assert.deepEqual(timed.starts('morning'), []);
    assert.equal(await dueAt(timed), opensAt);
    const ended = nextEnd(timed);
    await timed.pass(1);
    assert.deepEqual(await ended, ['scrape.completed', 'end']);
    assert.deepEqual(timed.starts('morning'), [opensAt]);
    assert.deepEqual([...(await recordsOf(timed.client, 'morning')).keys()], ['wished']);
  });

  test('asks no more once they are over: it ends with the reason, keeps what it found and begins again with them (O43)', async (t) => {
    const site = await openSite(t, { '/a': json({ id: 'a' }), '/b': json({ id: 'b' }) });
    const timed = await startCollector(
      t,
      `export async function* collect({ fetch }) {
        for (const path of ['a', 'b']) {
          const page = await fetch('${site.origin}/' + path).catch(() => undefined);
          const { id } = page?.json() ?? { id: 'caught' };
          for (let n = 0; n < 200; n += 1) yield { type: 'trial', fields: { id: id + n } };
        }
      }`,
    );
    const held = hold(site, '/a');
    const ended = nextEnd(timed);
    timed.clock.advance(opensAt - timed.clock.now());
    const response = await held;
    timed.clock.advance(closesAt - timed.clock.now());
    response.setHeader('content-type', 'application/json').end('{"id":"a"}');
    assert.deepEqual(await ended, ['scrape.aborted', 'unavailable']);
    assert.deepEqual(
      site.asked.map(({ path }) => path),
      ['/a'],
    );
    // What it had handed over by then, all of it or nothing; the rest is found again next time.
    const { scrapes } = await timed.client.call('scrape.list', {});
    assert.deepEqual([scrapes[0]?.counts.added, scrapes[0]?.steps], [200, 2]);
    const kept = [...(await recordsOf(timed.client, 'morning')).keys()];
    assert.deepEqual([kept.length, kept.every((key) => key.startsWith('a'))], [200, true]);
    assert.equal(await dueAt(timed), opensAt + day);
    timed.clock.advance(opensAt + day - timed.clock.now());
    await timed.event(({ type, at }) => type === 'scrape.started' && at > opensAt);
    assert.deepEqual(timed.starts('morning'), [opensAt, opensAt + day]);
  });

  test('is left to finish when they end if it asks nobody any more; its next turn is within them (O43)', async (t) => {
    const site = await openSite(t, {});
    const timed = await startCollector(
      t,
      `export async function* collect({ fetch }) {
        const { trials } = (await fetch('${site.origin}/all')).json();
        for (const fields of trials) yield { type: 'trial', fields };
      }`,
    );
    const held = hold(site, '/all');
    const ended = nextEnd(timed);
    timed.clock.advance(opensAt - timed.clock.now());
    const response = await held;
    timed.clock.advance(closesAt + hour - timed.clock.now());
    response.setHeader('content-type', 'application/json').end('{"trials":[{"id":"a"},{"id":"b"}]}');
    assert.deepEqual(await ended, ['scrape.completed', 'end']);
    assert.equal((await recordsOf(timed.client, 'morning')).size, 2);
    assert.equal(await dueAt(timed), opensAt + day);
  });
});
