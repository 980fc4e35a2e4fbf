import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import type { Handlers, Params, Result } from '../../src/control/methods.ts';
import type { FieldChanges } from '../../src/view/fields.ts';
import { serveHttp } from '../http/server.ts';
import { assertHarmless, hostile } from './hostile.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];

const tally = {
  scrapes: 4,
  unchanged: 3,
  requests: 5,
  pulses: 1,
  notModified: 1,
  validated: 0,
  bytes: 100,
  unchangedBytes: 50,
  cpuMs: 12,
};
const fresh = { count: 0, maxMs: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0, shareWithin: 1, breaches: 0 };

/** Handlers of a daemon where all is well and nothing was scraped unless more is given. */
function quiet(more: Partial<Handlers> = {}): Partial<Handlers> {
  return {
    'ticket.list': () => ({ tickets: [] }),
    'held.list': () => ({ together: [], values: [] }),
    'objective.report': () => ({ at: 0, all: fresh, sources: [], next: [], infeasible: [] }),
    'scrape.list': () => ({ scrapes: [] }),
    'waste.report': () => ({ from: 0, all: tally, sources: [], targets: [] }),
    'event.recent': () => ({ events: [] }),
    'sink.list': () => ({ sinks: [] }),
    ...more,
  };
}

type Event = Result<'event.recent'>['events'][number];

function changed(
  agoMs: number,
  key: string,
  fields: FieldChanges = { price: { old: '10', new: '12' } },
): Extract<Event, { type: 'record.changed' }> {
  const of = { version: 1 as const, projects: ['lamp'], source: 'shop', target: 1, scrape: 7 };
  return { ...of, id: 1, at: Date.now() - agoMs, type: 'record.changed', data: { type: 'offer', key, fields } };
}

describe('the changes of the last day on the overview', () => {
  test('are those of records, the newest first, with their projects, sources and scrapes', async (t) => {
    const asked: Params<'event.recent'>[] = [];
    const { ask } = await serveHttp(
      t,
      quiet({
        'event.recent': (params) => {
          asked.push(params);
          return { events: [changed(5.5 * minuteMs, `sku ${hostile}`), changed(dayMs + minuteMs, 'old')] };
        },
      }),
    );
    const { text } = await ask('/');
    assert.deepEqual(
      asked.map(({ types }) => types),
      [['record.*']],
    );
    assertHarmless(text);
    const $ = load(text);
    const rows = $('#changes tbody tr');
    assert.equal(rows.length, 1, 'one is older than a day');
    assert.match(rows.text(), /5m \d+s ago/);
    assert.equal(rows.find('del').text(), '10');
    assert.equal(rows.find('ins').text(), '12');
    const links = rows.find('a').toArray();
    assert.deepEqual(
      links.map((link) => $(link).attr('href')),
      ['projects/lamp', 'sources/shop', 'scrapes/7'],
    );
  });

  test('name each project, and one that is gone by its id', async (t) => {
    const lamp = { id: 'lamp', name: 'Desk lamp', labels: [], multiplier: 1, createdAt: 1, targets: [] };
    const known: Partial<Handlers> = { 'project.get': () => ({ ...lamp, status: 'active' as const }) };
    const recent: Partial<Handlers> = { 'event.recent': () => ({ events: [changed(minuteMs, 'sku')] }) };
    const nameIn = async (handlers: Partial<Handlers>) => {
      const { ask } = await serveHttp(t, quiet(handlers));
      return load((await ask('/')).text)('#changes a[href="projects/lamp"]').text();
    };
    assert.equal(await nameIn({ ...recent, ...known }), 'Desk lamp');
    assert.equal(await nameIn(recent), 'lamp');
  });

  test('say of a value that it was held', async (t) => {
    const event = changed(minuteMs, 'sku');
    const held = { ...event, data: { ...event.data, wasHeld: true as const } };
    const { ask } = await serveHttp(t, quiet({ 'event.recent': () => ({ events: [held] }) }));
    assert.match(load((await ask('/')).text)('#changes tbody').text(), /changed was held/);
  });

  test('show an instant by the clock', async (t) => {
    const event = changed(minuteMs, 'sku', { ends: { new: '2026-12-16T11:56:12.405Z' } });
    const { ask } = await serveHttp(t, quiet({ 'event.recent': () => ({ events: [event] }) }));
    const time = load((await ask('/')).text)('#changes ins time');
    assert.deepEqual([time.attr('data-form'), time.text()], ['clock', '2026-12-16 11:56:12 UTC']);
  });

  test('say so where older events were not looked at', async (t) => {
    const { ask } = await serveHttp(t, quiet({ 'event.recent': () => ({ events: [], next: 7 }) }));
    assert.match(load((await ask('/')).text)('#changes').text(), /Of the events, the newest 10,000 were looked at/);
  });

  test('are said to be none where there are none', async (t) => {
    const { ask } = await serveHttp(t, quiet());
    assert.match(load((await ask('/')).text)('#changes').text(), /Nothing has changed within a day/);
  });
});

test('the overview says from when on it counts the requests of today', async (t) => {
  const { ask } = await serveHttp(t, quiet());
  const card = load((await ask('/')).text)('.card[href=sources]').text();
  assert.match(card, /Requests today\s+5\s+since 00:00 UTC: 100 B, 1 of 4 scrapes with changes/);
});
