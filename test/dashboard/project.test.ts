import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'cheerio';
import type { Handlers, Params } from '../../src/control/methods.ts';
import type { MetricView } from '../../src/control/methods/metric.ts';
import type { ScrapeOfProjects } from '../../src/control/methods/scrape.ts';
import { serveHttp } from '../http/server.ts';

const lamp = {
  id: 'lamp',
  name: 'Lamp',
  labels: [],
  multiplier: 1,
  status: 'active' as const,
  createdAt: 1,
  targets: [],
};

const minuteMs = 60_000;

function scrape(number: number, of: Partial<ScrapeOfProjects>): ScrapeOfProjects {
  const counts = { added: 0, changed: 0, confirmed: 1 };
  const about = { source: 'shop', version: 'v1', bytes: 1, steps: 1, reason: 'due' as const, projects: ['lamp'] };
  return { ...about, scrape: number, target: 1, status: 'complete', startedAt: 0, counts, ...of };
}

function metricOf(name: string): MetricView {
  return { name, value: 12, records: 1, inputs: [], rates: [] };
}

/** Handlers that have one project, without figures, records and scrapes unless more is given. */
function withLamp(more: Partial<Handlers> = {}): Partial<Handlers> {
  return {
    'project.get': () => lamp,
    'metric.list': () => ({ metrics: [], problems: [] }),
    'project.records': () => ({ records: [] }),
    'project.history': () => ({ changes: [] }),
    'scrape.list': () => ({ scrapes: [] }),
    ...more,
  };
}

describe('the sources of a project', () => {
  const target = {
    target: 1,
    source: 'shop',
    url: 'https://shop.example/lamp',
    status: 'active' as const,
    conditions: [],
    crashes: { total: 0, inRow: 0 },
    lastScrape: scrape(7, {}),
  };
  test('say which field the last scrape could not read', async (t) => {
    const price = { record: 'product', field: 'price', text: 'on request', expected: 'an amount', url: target.url };
    const lastScrape = scrape(7, { unparsed: [price, price] });
    const { ask } = await serveHttp(
      t,
      withLamp({ 'project.get': () => ({ ...lamp, targets: [{ ...target, lastScrape }] }) }),
    );
    const $ = load((await ask('/projects/lamp')).text);
    assert.equal($('#sources td .bad').text(), 'product.price: expected an amount, got on request');
  });

  test('are neither active nor to be scraped where the project is archived', async (t) => {
    const { ask } = await serveHttp(
      t,
      withLamp({ 'project.get': () => ({ ...lamp, status: 'archived' as const, targets: [target] }) }),
    );
    const $ = load((await ask('/projects/lamp')).text);
    assert.equal($('#sources .status').text(), 'archived');
    assert.equal($('form[action="act/project.rescrape"]').length, 0);
  });
});

describe('the scrapes of a project', () => {
  test('are drawn on a line of time, each as wide as it took, above their table', async (t) => {
    const now = Date.now();
    const scrapes = [
      scrape(9, { status: 'running', startedAt: now - 10 * minuteMs }),
      scrape(8, { status: 'failed', startedAt: now - 20 * minuteMs, endedAt: now - 15 * minuteMs }),
      scrape(7, { startedAt: now - 100 * minuteMs, endedAt: now - 50 * minuteMs }),
    ];
    const { ask } = await serveHttp(t, withLamp({ 'scrape.list': () => ({ scrapes }) }));
    const $ = load((await ask('/projects/lamp')).text);
    const bars = $('#scrapes .timeline rect').toArray();
    assert.deepEqual(
      bars.map((bar) => [$(bar).attr('class'), ...['x', 'width'].map((name) => Math.round(Number($(bar).attr(name))))]),
      [
        ['good', 900, 100],
        ['bad', 800, 50],
        ['good', 0, 500],
      ],
    );
    assert.match($(bars[1]).text(), /^scrape 8 of shop: failed, took 5m$/);
    assert.match($('#scrapes').text(), /Took/);
    assert.equal($('#scrapes tbody tr').length, 3);
  });

  test('are no line where there is but one', async (t) => {
    const scrapes = [scrape(7, { endedAt: 1 })];
    const { ask } = await serveHttp(t, withLamp({ 'scrape.list': () => ({ scrapes }) }));
    const $ = load((await ask('/projects/lamp')).text);
    assert.equal($('.timeline').length, 0);
    assert.equal($('#scrapes tbody tr').length, 1);
  });
});

describe('the chart of a figure', () => {
  test('marks the scrapes of the project and those that found changes, and tells them as text', async (t) => {
    const now = Date.now();
    const changed = { added: 0, changed: 1, confirmed: 0 };
    const scrapes = [
      scrape(9, { status: 'running', startedAt: now - minuteMs }),
      scrape(8, { startedAt: now - 20 * minuteMs, endedAt: now - 19 * minuteMs }),
      scrape(7, { startedAt: now - 61 * minuteMs, endedAt: now - 60 * minuteMs, counts: changed }),
    ];
    const pulsed = {
      serial: 5,
      scrape: 0,
      version: '',
      source: 'shop',
      target: 1,
      type: 'offer',
      key: '1',
      fields: {},
    };
    const { ask } = await serveHttp(
      t,
      withLamp({
        'metric.list': () => ({
          metrics: [metricOf('income')],
          problems: [],
        }),
        'metric.series': () => ({
          points: [
            { metric: 'income', at: now - 90 * minuteMs, value: 10 },
            { metric: 'income', at: now - 60 * minuteMs, value: 12 },
          ],
        }),
        'scrape.list': () => ({ scrapes }),
        'project.history': () => ({
          changes: [{ ...pulsed, record: 1, kind: 'changed', at: now - 30.5 * minuteMs }],
        }),
      }),
    );
    const $ = load((await ask('/projects/lamp')).text);
    const seconds = (ms: number) => (now - ms) / 1_000;
    assert.deepEqual(JSON.parse($('.chart').attr('data-chart') ?? ''), [
      [seconds(90 * minuteMs), seconds(60 * minuteMs)],
      [10, 12],
      [seconds(19 * minuteMs), seconds(60 * minuteMs)],
      [seconds(60 * minuteMs), seconds(30.5 * minuteMs)],
    ]);
    assert.equal($('.chart .scrapes').attr('d')?.match(/M/g)?.length, 2);
    assert.equal($('.chart .changes').attr('d')?.match(/M/g)?.length, 2);
    const told = $('#figures .note').text();
    assert.match(told, /2 scrapes/);
    assert.match(told, /2 changes, the last 30m ago/);
  });

  test('begins with what held 90 days ago, and has few points however often the figure changed', async (t) => {
    const asked: Params<'metric.series'>[] = [];
    const dayMs = 86_400_000;
    const now = Date.now();
    const { ask } = await serveHttp(
      t,
      withLamp({
        'metric.list': () => ({ metrics: ['income', 'spend'].map(metricOf), problems: [] }),
        'metric.series': (params) => {
          asked.push(params);
          const { metric } = params;
          return {
            points: [
              { metric, at: now - 200 * dayMs, value: 10 },
              { metric, at: now - dayMs, value: 12 },
            ],
          };
        },
      }),
    );
    const $ = load((await ask('/projects/lamp')).text);
    assert.deepEqual(
      asked.map(({ metric, limit, thin }) => [metric, limit, thin]),
      [
        ['income', 400, true],
        ['spend', 400, true],
      ],
    );
    const [[first = 0]] = JSON.parse($('#chart-spend').attr('data-chart') ?? '');
    assert.ok(Math.abs(first * 1_000 - (now - 90 * dayMs)) < minuteMs);
  });
});
