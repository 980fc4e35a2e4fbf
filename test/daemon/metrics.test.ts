import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { VirtualClock } from '../../src/clock.ts';
import type { MetricView } from '../../src/control/methods/metric.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { productPage, productSource, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openSite, type Site } from '../support/site.ts';
import { run } from '../cli/terminal.ts';
import { nth } from './tracking.ts';

const startAt = Date.UTC(2026, 2, 14, 12);

const metrics = {
  income: { of: 'product', field: 'price', source: 'campaign', currency: 'EUR', min: 0 },
  spend: { of: 'ad', field: 'spend', take: 'sum', currency: 'EUR', min: 0 },
  roas: 'income / spend',
} as const;

const ads = `id: ads
provider: html
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 1ms, minDelay: 1ms }
hold: { unusual: false }
records:
  ad:
    each: .ad
    key: name
    fields:
      name: { css: b }
      spend: { css: i, type: money }
`;

const adsPage = (...spent: readonly string[]): string =>
  spent.map((amount, index) => `<p class=ad><b>ad ${index + 1}</b><i>${amount}</i></p>`).join('');

interface Scene {
  readonly site: Site;
  readonly clock: VirtualClock;
  readonly daemon: TestDaemon;
  /** Scrapes all targets, and resolves when both scrapes have ended. */
  rescrape(): Promise<void>;
  /** Lets seconds pass, or more at a time, until events of a kind were told so often, and returns what each says. */
  told(count: number, of: (event: Event) => string | undefined, atOnceMs?: number): Promise<string[]>;
  /** Replaces the table of rates. */
  setRates(rows: string): Promise<void>;
  figures(): Promise<Readonly<Record<string, MetricView>>>;
}

/** A campaign that earned 12,500 and ads in two currencies that cost 2,500 and 0 EUR. */
async function open(t: TestContext, more: object = {}): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'rates-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const setRates: Scene['setRates'] = (rows) => writeFile(join(folder, 'rates.csv'), `base,quote,day,rate\n${rows}\n`);
  await setRates('EUR,USD,2026-03-13,1.25');
  // Of two hosts, neither waits for the other.
  const campaign = await openSite(t, { '/solar': productPage('solar', '12500.00') });
  const site = await openSite(t, { '/ads': adsPage('EUR 500', 'USD 2500') });
  const clock = new VirtualClock(startAt);
  const daemon = await startDaemon(t, {
    clock,
    sources: { campaign: productSource('campaign'), ads },
    rates: { file: join(folder, 'rates.csv'), maxAgeDays: 7 },
  });
  await daemon.client.call('project.add', {
    id: 'solar',
    metrics,
    targets: [
      { source: 'campaign', url: campaign.url('/solar') },
      { source: 'ads', url: site.url('/ads') },
    ],
    ...more,
  });
  const told: Scene['told'] = async (count, of, atOnceMs = 1_000) => {
    for (;;) {
      const texts = daemon.events.flatMap((event) => of(event) ?? []);
      if (texts.length >= count) return texts;
      clock.advance(atOnceMs);
      await daemon.daemon.system.idle();
      await daemon.client.call('daemon.ping', {});
    }
  };
  let scrapes = 2;
  await told(scrapes, endText);
  return {
    site,
    clock,
    daemon,
    told,
    setRates,
    async rescrape() {
      await daemon.client.call('project.rescrape', { id: 'solar' });
      scrapes += 2;
      await told(scrapes, endText);
    },
    async figures() {
      const { metrics: found } = await daemon.client.call('metric.list', { project: 'solar' });
      return Object.fromEntries(found.map((each) => [each.name, each]));
    },
  };
}

function endText({ type }: Event): string | undefined {
  return type === 'scrape.completed' || type === 'scrape.failed' ? type : undefined;
}

/** What a change of the return on spend says: its value, or why there is none, and whether it is stale. */
function roasText(event: Event): string | undefined {
  if (event.type !== 'metric.changed' || event.data.metric !== 'roas') return undefined;
  const { new: value, reason, stale } = event.data;
  return `${reason?.code ?? JSON.stringify(value)}${stale === undefined ? '' : ' stale'}`;
}

function ruleText(event: Event): string | undefined {
  const isOfRule = event.type === 'rule.met' || event.type === 'rule.ended';
  if (!isOfRule) return undefined;
  const { data } = event;
  return `${event.type} ${data.rule} ${'key' in data ? data.key : Object.keys(data.values).join()}`;
}

describe('the metrics of a project', () => {
  test('join the records of several sources in one currency, each with its age [B46] [B48]', async (t) => {
    const { clock, figures } = await open(t);
    clock.advance(60_000);
    const { income, spend, roas } = await figures();
    assert.deepEqual(income?.value, { amount: '12500', currency: 'EUR' });
    assert.deepEqual(spend?.value, { amount: '2500', currency: 'EUR' });
    assert.equal(roas?.value, 5);
    assert.deepEqual(roas.inputs.map(({ source }) => source).sort(), ['ads', 'ads', 'campaign']);
    assert.deepEqual(roas.rates, [{ from: 'USD', to: 'EUR', factor: '0.8', day: '2026-03-13', source: 'rates.csv' }]);
    assert.ok(roas.verifiedAt !== undefined && roas.verifiedAt <= clock.now() - 60_000);
  });

  test('are shown with what they are made of, the age of each part, and the rates', async (t) => {
    const { clock, daemon } = await open(t);
    clock.advance(60_000);
    const { out } = await run(['metrics', 'solar', '--socket', daemon.socket], { now: clock.now() });
    assert.match(
      out,
      /^roas\t5\t\d[^\t()]* ago\tcampaign product solar \(\d[^\t()]* ago\), ads ad ad 1 \(\d[^\t()]* ago\), ads ad ad 2 \(\d[^\t()]* ago\)$/m,
    );
    assert.match(out, /^RATE\tDAY\tFROM\n1 USD = 0\.8 EUR\t2026-03-13\trates\.csv$/m);
  });

  test('turn stale when a source fails, and keep their value [B49]', async (t) => {
    const { site, clock, daemon, told, rescrape, figures } = await open(t);
    assert.deepEqual(await told(1, roasText), ['5']);
    const { targets: before } = await daemon.client.call('project.get', { id: 'solar' });
    site.answer('/ads', { status: 500 });
    await rescrape();
    const { targets: after } = await daemon.client.call('project.get', { id: 'solar' });
    assert.equal(after[1]?.lastSuccessAt, before[1]?.lastScrape?.endedAt);
    assert.equal(after[0]?.lastSuccessAt, after[0]?.lastScrape?.endedAt);
    const { out } = await run(['show', 'solar', '--socket', daemon.socket], { now: clock.now() });
    assert.match(out, /target 2  ads .*\n.*\n  last scrape  scrape 4 failed .*\n  last success  .* ago\n/);
    const { income, spend, roas } = await figures();
    assert.equal(income?.stale, undefined);
    assert.match(spend?.stale ?? '', /^the last scrape of ads failed: .*500/);
    assert.match(roas?.stale ?? '', /^spend: the last scrape of ads failed/);
    assert.equal(roas?.value, 5);
    assert.ok((roas.verifiedAt ?? Infinity) < (income?.verifiedAt ?? 0));
    assert.deepEqual(await told(2, roasText), ['5', '5 stale']);

    site.answer('/ads', adsPage('EUR 500', 'USD 2500'));
    await rescrape();
    assert.deepEqual(await told(3, roasText), ['5', '5 stale', '5']);
  });

  test('are kept over time where they change, told, and null with a reason where they cannot be [B47]', async (t) => {
    const { site, daemon, told, rescrape } = await open(t);
    await told(1, roasText);
    await rescrape();
    site.answer('/ads', adsPage('EUR 0', 'USD 0'));
    await rescrape();
    assert.deepEqual(await told(2, roasText), ['5', 'division_by_zero']);
    site.answer('/ads', adsPage('EUR 100', 'JPY 1'));
    await rescrape();
    assert.deepEqual(await told(3, roasText), ['5', 'division_by_zero', 'no_rate stale']);
    const series = { project: 'solar', metric: 'roas' };
    const { points } = await daemon.client.call('metric.series', series);
    assert.deepEqual(
      points.map(({ value, reason }) => reason?.code ?? value),
      [5, 'division_by_zero', 'no_rate'],
    );
    const { points: later } = await daemon.client.call('metric.series', {
      ...series,
      since: points[1]?.at ?? 0,
      limit: 1,
    });
    assert.deepEqual(later, [points[1]]);
  });

  test('follow rates that change within the hour, though nothing else does', async (t) => {
    const { clock, told, setRates } = await open(t);
    assert.deepEqual(await told(1, roasText), ['5']);
    await setRates('EUR,USD,2026-03-13,5.000');
    const nextScrapeAt = clock.now() + 14_000_000;
    clock.advance(3_600_000);
    assert.deepEqual(await told(2, roasText, 1), ['5', '12.5']);
    assert.ok(clock.now() < nextScrapeAt);
  });

  test('that do not fit the sources are refused, with what was expected', async (t) => {
    const { site, daemon } = await open(t);
    const wrong = { income: { of: 'product', field: 'prize' }, roas: 'income / spent' };
    await assert.rejects(
      daemon.client.call('project.add', { id: 'x', metrics: wrong, targets: [{ source: 'ads', url: site.url('/x') }] }),
      /metrics\.income\.of: expected a declared record \(ad\), got "product"\nproject "x": metrics\.roas: expected a declared metric/,
    );
  });
});

describe('a rule of a project', () => {
  test('is told when a record begins to meet it and when it no longer does, once each', async (t) => {
    const { site, told, rescrape } = await open(t, { rules: { free: { of: 'ad', when: 'spend.amount == 0' } } });
    site.answer('/ads', adsPage('EUR 0', 'USD 1'));
    await rescrape();
    await rescrape();
    site.answer('/ads', adsPage('EUR 2', 'USD 0'));
    await rescrape();
    assert.deepEqual(await told(3, ruleText), ['rule.met free ad 1', 'rule.ended free ad 1', 'rule.met free ad 2']);
  });

  test('that is new is held against what is known, and one that is gone is forgotten', async (t) => {
    const { daemon } = await open(t);
    const { client } = daemon;
    await client.call('project.update', { id: 'solar', rules: { some: { of: 'ad', when: 'spend.amount > 600' } } });
    const { data } = await nth(1, 'rule.met', 'solar', daemon);
    assert.deepEqual(
      [data.rule, 'key' in data && data.key, data.values['spend']],
      ['some', 'ad 2', { amount: '2500.00', currency: 'USD' }],
    );
    const { rules: listed } = await client.call('rule.list', { project: 'solar' });
    assert.deepEqual(
      listed.map(({ met, ...rule }) => [rule, met.map(({ key }) => key)]),
      [[{ name: 'some', when: 'spend.amount > 600', records: 1 }, ['ad 2']]],
    );
    await client.call('project.update', { id: 'solar', rules: {} });
    await nth(1, 'rule.ended', 'solar', daemon);
  });

  test('on metrics is told with the metrics when they begin to meet it and when they no longer do', async (t) => {
    const { site, daemon, told, rescrape } = await open(t, { rules: { poor: { of: 'metrics', when: 'roas < 4' } } });
    await told(1, roasText);
    site.answer('/ads', adsPage('EUR 5000'));
    await rescrape();
    assert.deepEqual(await told(1, ruleText), ['rule.met poor income,spend,roas']);
    const { rules } = await daemon.client.call('rule.list', { project: 'solar' });
    assert.deepEqual(
      rules.map(({ name, records, metricsSince = 0 }) => [name, records, metricsSince > startAt]),
      [['poor', 0, true]],
    );
    site.answer('/ads', adsPage('EUR 500'));
    await rescrape();
    assert.deepEqual((await told(2, ruleText)).slice(1), ['rule.ended poor income,spend,roas']);
  });

  test('that depends on the present is told at the instants at which it turns, while nothing changes', async (t) => {
    const { told, daemon, clock } = await open(t);
    await told(1, roasText);
    const [from, until] = [clock.now() + 20_000, clock.now() + 40_000];
    const instant = (at: number): string => `timestamp("${new Date(at).toISOString()}")`;
    const rules = {
      soon: { of: 'metrics', when: `roas > 1 && now >= ${instant(from)}` },
      still: { of: 'ad', when: `spend.amount > 600 && now < ${instant(until)}` },
    };
    await daemon.client.call('project.update', { id: 'solar', rules });
    await nth(1, 'rule.met', 'solar', daemon);
    await told(3, ruleText);
    const events = daemon.events.filter(({ type }) => type.startsWith('rule.'));
    assert.deepEqual(events.map(ruleText), [
      'rule.met still ad 2',
      'rule.met soon income,spend,roas',
      'rule.ended still ad 2',
    ]);
    assert.ok(events.every(({ at }, index) => at >= ([0, from, until][index] ?? Infinity)));
  });

  test('is refused where it names no field or metric, or a source of metrics', async (t) => {
    const { daemon } = await open(t);
    const update = (rule: object) =>
      daemon.client.call('project.update', { id: 'solar', rules: { one: { of: 'ad', when: 'true', ...rule } } });
    await assert.rejects(update({ when: 'spend > money_limit' }), /rules\.one\.when: .*got "money_limit"/);
    await assert.rejects(update({ of: 'metrics', when: 'roa < 1' }), /rules\.one\.when: .*got "roa".*roas/);
    await assert.rejects(update({ of: 'metrics', source: 'ads' }), /rules\.one\.source: expected no source/);
  });
});

test('a sum over several targets has no value while one of them was never read', async (t) => {
  const one = await openSite(t, { '/a': productPage('a', '10.00') });
  const other = await openSite(t, { '/b': { status: 500 } });
  const { client, event } = await startDaemon(t, {
    sources: { shop: productSource('shop') },
    settings: { initialDelayMs: 1, everyMs: 14_400_000, timeLimitMs: 600_000, logLevel: 'silent' },
  });
  const targets = [one.url('/a'), other.url('/b')].map((url) => ({ source: 'shop', url }));
  const total = { of: 'product', field: 'price', take: 'sum' } as const;
  await client.call('project.add', { id: 'both', metrics: { total }, targets });
  await event(({ type }) => type === 'scrape.completed');
  await event(({ type }) => type === 'scrape.failed');
  const {
    metrics: [found],
  } = await client.call('metric.list', { project: 'both' });
  assert.equal(found?.value, null);
  assert.deepEqual(found.reason, { code: 'missing', message: 'target 2 of shop was never read' });
});
