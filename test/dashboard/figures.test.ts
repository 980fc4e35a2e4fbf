import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { load } from 'cheerio';
import { VirtualClock } from '../../src/clock.ts';
import type { Event } from '../../src/event/catalogue.ts';
import { startServing } from '../daemon/serving.ts';
import { soon } from '../daemon/tracking.ts';
import { productPage, productSource } from '../support/daemon.ts';
import { openSite } from '../support/site.ts';

const startAt = Date.UTC(2026, 2, 14, 12);
const minuteMs = 60_000;

const metrics = {
  income: { of: 'product', field: 'price', source: 'campaign', currency: 'EUR' },
  spend: { of: 'product', field: 'price', source: 'ads', currency: 'EUR' },
  roas: 'income / spend',
} as const;

/** A figure as it stands on the page of a project. */
interface Shown {
  readonly figure: string;
  /** What stands below it: why there is none, whether it is stale, and when it was verified. */
  readonly notes: string;
  /** Its sources, each with the age of what it is made of. */
  readonly sources: readonly string[];
  readonly isMarked: boolean;
}

/** A campaign that earned an amount and ads that cost another, as two sources of one project. */
async function open(t: TestContext, earned: string, spent: string) {
  const campaign = await openSite(t, { '/solar': productPage('solar', earned) });
  const ads = await openSite(t, { '/ads': productPage('ads', spent) });
  const clock = new VirtualClock(startAt);
  const served = await startServing(t, {
    clock,
    settings: soon,
    sources: { campaign: productSource('campaign'), ads: productSource('ads') },
  });
  const { client, daemon, events } = served;
  await client.call('project.add', {
    id: 'solar',
    metrics,
    targets: [
      { source: 'campaign', url: campaign.url('/solar') },
      { source: 'ads', url: ads.url('/ads') },
    ],
  });
  /** Lets moments pass until so many events of a kind were told. */
  const told = async (count: number, isWanted: (event: Event) => boolean): Promise<void> => {
    while (events.filter(isWanted).length < count) {
      clock.advance(10);
      await daemon.system.idle();
      await client.call('daemon.ping', {});
    }
  };
  let scrapes = 2;
  await told(scrapes, isEnd);
  await told(2, isInput);
  return {
    ads,
    clock,
    /** Scrapes one source, and resolves once it is over and the return on spend is told anew. */
    async rescrape(target: number) {
      await client.call('project.rescrape', { id: 'solar', target });
      scrapes += 1;
      await told(scrapes, isEnd);
    },
    told,
    async figures(): Promise<Readonly<Record<string, Shown>>> {
      const { text } = await served.ask('/projects/solar');
      const $ = load(text);
      const cards = $('#figures .card').map((_, card) => ({
        name: $(card).find('.name').text(),
        figure: $(card).find('.figure').text().trim(),
        notes: $(card).find('span.note').text(),
        sources: $(card)
          .find('li')
          .map((_, line) => $(line).text().replaceAll(/\s+/g, ' ').trim())
          .get(),
        isMarked: $(card).hasClass('warn'),
      }));
      return Object.fromEntries(cards.get().map(({ name, ...shown }) => [name, shown]));
    },
  };
}

function isEnd({ type }: Event): boolean {
  return type === 'scrape.completed' || type === 'scrape.failed';
}

/** Whether an event tells one of the two figures that are read. */
function isInput(event: Event): boolean {
  return event.type === 'metric.changed' && event.data.metric !== 'roas';
}

function isRoas(event: Event): boolean {
  return event.type === 'metric.changed' && event.data.metric === 'roas';
}

describe('the figures on the page of a project', () => {
  test('tell the return on spend of two sources: 5 of 12,500 earned and 2,500 spent [B46]', async (t) => {
    const { figures } = await open(t, '12500.00', '2500.00');
    const { income, spend, roas } = await figures();
    assert.deepEqual([income?.figure, spend?.figure, roas?.figure], ['12,500.00 EUR', '2,500.00 EUR', '5']);
  });

  test('tell a dash and why where nothing was spent, and 0 where nothing was earned [B47]', async (t) => {
    const unspent = await (await open(t, '12500.00', '0.00')).figures();
    assert.deepEqual([unspent['spend']?.figure, unspent['roas']?.figure], ['0.00 EUR', '–']);
    assert.match(unspent['roas']?.notes ?? '', /zero/);
    const unearned = await (await open(t, '0.00', '100.00')).figures();
    assert.deepEqual([unearned['income']?.figure, unearned['roas']?.figure], ['0.00 EUR', '0']);
    assert.doesNotMatch(unearned['roas']?.notes ?? '', /zero/);
  });

  test('tell the age of what each source gave [B48]', async (t) => {
    const { figures, clock, rescrape } = await open(t, '12500.00', '2500.00');
    clock.advance(10 * minuteMs);
    await rescrape(2);
    clock.advance(minuteMs);
    const { roas } = await figures();
    const ages = Object.fromEntries((roas?.sources ?? []).map((line) => line.split(' ', 2)));
    assert.deepEqual(ages, { campaign: '11m', ads: '1m' });
    assert.match(roas?.notes ?? '', /verified 11m/);
  });

  test('stay where a source fails, marked as stale with its age, beside those that are fresh [B49]', async (t) => {
    const { figures, ads, clock, rescrape, told } = await open(t, '12500.00', '2500.00');
    clock.advance(10 * minuteMs);
    ads.answer('/ads', { status: 500 });
    await rescrape(2);
    await told(2, isRoas);
    await rescrape(1);
    const { income, spend, roas } = await figures();
    assert.deepEqual([income?.figure, spend?.figure, roas?.figure], ['12,500.00 EUR', '2,500.00 EUR', '5']);
    assert.deepEqual([income?.isMarked, spend?.isMarked, roas?.isMarked], [false, true, true]);
    assert.match(spend?.notes ?? '', /stale.*the last scrape of ads failed.*verified 10m/s);
    assert.match(spend?.sources.join() ?? '', /^ads 10m .*ago stale$/);
    assert.match(roas?.notes ?? '', /stale.*spend: the last scrape of ads failed/);
    assert.doesNotMatch(income?.notes ?? '', /stale/);
  });
});
