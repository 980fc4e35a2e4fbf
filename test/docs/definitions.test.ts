import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadSources } from '../../src/definition/load.ts';
import { campaignAt } from '../../src/demo/facts/campaign.ts';
import { amountOf } from '../../src/demo/facts/money.ts';
import { productAt, skusOf } from '../../src/demo/facts/product.ts';
import { rewardsAt } from '../support/web/reward.ts';
import { trialAt, trialsUpdated } from '../../src/demo/facts/trial.ts';
import type { LoggedRequest } from '../support/web/request-log.ts';
import { type HeldWeb, heldWeb, noon } from '../support/web/held-web.ts';
import { exampleFolder, track, valuesOf } from './example.ts';

const minute = 60_000;

/** What a web was asked below a prefix, in order, without robots.txt. */
async function askedOf(web: HeldWeb): Promise<string[]> {
  const log = (await web.control('GET', 'log')) as readonly LoggedRequest[];
  return log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
}

describe('shipped definitions', () => {
  test('all load, and there is one of each shape', async () => {
    const { sources, problems } = await loadSources(exampleFolder);
    assert.deepEqual(problems, []);
    const shapes = sources.map(({ feed, collect, crawl }) =>
      crawl ? 'crawl' : collect ? 'collect' : feed ? 'feed' : 'page',
    );
    assert.deepEqual(new Set(shapes), new Set(['page', 'feed', 'collect', 'crawl']));
    assert.deepEqual(new Set(sources.map(({ provider }) => provider)), new Set(['html', 'json', 'rss', 'csv']));
  });

  test('a page: a campaign with its updates, its rewards from a script, and its end', async (t) => {
    const web = await heldWeb(t);
    const daemon = await track(t, 'campaign', web.origin, { params: { slug: 'pocket-kiln' } });
    const campaign = campaignAt(web.world, 'pocket-kiln', noon);
    assert.ok(campaign);
    const money = ({ minor, currency }: typeof campaign.goal) => ({ amount: amountOf({ minor, currency }), currency });
    assert.deepEqual(valuesOf((await daemon.records('campaign')).get('pocket-kiln')), {
      slug: 'pocket-kiln',
      title: campaign.title,
      creator: campaign.creator,
      pledged: money(campaign.pledged),
      goal: money(campaign.goal),
      backers: campaign.backers,
      status: 'open',
      ends: new Date(campaign.endsAt).toISOString(),
      updates: campaign.updates.map(({ number, title, postedAt }) => ({
        number,
        headline: title,
        posted: new Date(postedAt).toISOString(),
      })),
      rewards: rewardsAt(web.world, 'pocket-kiln', noon).map(({ title, price, claimed }) => ({
        title,
        price: money(price),
        claimed,
      })),
    });
    web.now = noon + minute;
    await daemon.again();
    assert.equal(valuesOf((await daemon.records('campaign')).get('pocket-kiln'))['status'], 'closed');
    assert.equal((await daemon.client.call('project.get', { id: 'it' })).status, 'finished');
  });

  test('a list by a cursor: to its end at first, and later to the slice that holds something known', async (t) => {
    const web = await heldWeb(t);
    const daemon = await track(t, 'timeline', web.origin, { params: { account: 'lighthouse' } });
    const first = await daemon.records('post');
    assert.equal(first.size, 130);
    assert.deepEqual(await askedOf(web), [
      '/social/api/timeline/lighthouse?limit=50',
      '/social/api/timeline/lighthouse?limit=50&before=80',
      '/social/api/timeline/lighthouse?limit=50&before=30',
    ]);
    assert.equal((await daemon.records('account')).size, 1);
    const newest = [...first.values()].sort((one, other) => other.sequence - one.sequence)[0];
    assert.equal(newest?.key, 'lighthouse-129');

    web.now = noon + minute;
    await daemon.again();
    assert.deepEqual((await askedOf(web)).slice(3), ['/social/api/timeline/lighthouse?limit=20']);
    assert.ok((await daemon.records('post')).size > 130);
  });

  test('a list by page numbers: the pinned post hides no new one', async (t) => {
    const web = await heldWeb(t);
    const daemon = await track(t, 'posts', web.origin, { params: { account: 'heron' } });
    assert.equal((await daemon.records('post')).size, 130);
    assert.equal((await askedOf(web)).length, 7);
    web.now = noon + 7 * minute;
    await daemon.again();
    const asked = (await askedOf(web)).slice(7);
    assert.ok(asked.length > 1, 'it went on past the pinned post, as the rest of the first page was new');
    assert.deepEqual(
      asked,
      asked.map((_, index) => `/social/u/heron?page=${index + 1}`),
    );
    const posts = await daemon.records('post');
    assert.deepEqual(
      new Set(posts.keys()),
      new Set(Array.from({ length: posts.size }, (_, number) => `heron-${number}`)),
    );
  });

  test('a feed: the items of RSS, and of Atom, without a rule', async (t) => {
    const web = await heldWeb(t);
    for (const form of ['rss', 'atom']) {
      const daemon = await track(t, 'news', web.origin, { url: `${web.origin}/social/${form}/lighthouse` });
      const items = [...(await daemon.records('item')).values()].map(valuesOf);
      assert.equal(items.length, 20);
      for (const { id, title, link, published } of items) {
        assert.match(String(id), /lighthouse-1\d\d$/);
        assert.ok(typeof title === 'string' && title.length > 5);
        assert.ok(String(link).startsWith(`${web.origin}/social/u/lighthouse`));
        assert.match(String(published), /^2026-03-\d\dT.*Z$/);
      }
    }
  });

  test('a register: window by window at first, and later from the newest date less the overlap', async (t) => {
    const web = await heldWeb(t);
    const daemon = await track(t, 'trials', web.origin);
    const expected = trialsUpdated(web.world, noon, '2026-01-01', '2026-12-31');
    const trials = await daemon.records('trial');
    assert.deepEqual([...trials.keys()].sort(), expected);
    const [id = ''] = expected;
    const trial = trialAt(web.world, id, noon);
    assert.ok(trial);
    const { title, status, updated } = trial;
    assert.deepEqual(valuesOf(trials.get(id)), {
      id,
      link: `${web.origin}/register/trial/${id}`,
      title,
      status,
      updated,
    });
    const windows = (await askedOf(web)).map((path) => new URLSearchParams(path.split('?')[1]));
    assert.deepEqual(
      [windows[0]?.get('from'), windows[0]?.get('to'), windows[1]?.get('page')],
      ['2026-01-01', '2026-01-31', '2'],
    );
    const before = windows.length;
    web.now = noon + minute;
    await daemon.again();
    const again = (await askedOf(web)).slice(before).map((path) => new URLSearchParams(path.split('?')[1]));
    assert.equal(again[0]?.get('from'), '2026-03-13');
  });

  test('a register by its CSV export: a field that is no date is lost, and nothing else', async (t) => {
    const web = await heldWeb(t);
    const daemon = await track(t, 'export', web.origin);
    const expected = trialsUpdated(web.world, noon, '2026-01-01', '2026-12-31');
    const trials = await daemon.records('trial');
    assert.deepEqual([...trials.keys()].sort(), expected);
    let lost = 0;
    for (const [id, record] of trials) {
      const { title, sponsor, phase, enrolment, conditions, registered, updated, start } =
        trialAt(web.world, id, noon) ?? {};
      const values = valuesOf(record);
      const level = /^Phase (\d)$/.exec(phase ?? '')?.[1];
      const common = { id, title, sponsor, enrolment, conditions, registered, updated };
      assert.deepEqual(values, {
        ...common,
        ...(level !== undefined && { phase: Number(level) }),
        ...('start' in values && { start }),
      });
      lost += 'start' in values ? 0 : 1;
    }
    assert.ok(lost > 0 && lost < trials.size / 4, `${lost} of ${trials.size}`);
  });

  test('a crawl: every article of the shop once, and no page that it was told to leave', async (t) => {
    const web = await heldWeb(t);
    const daemon = await track(t, 'shop', web.origin);
    const articles = await daemon.records('article');
    assert.equal(articles.size, 240);
    for (const sku of [...skusOf('bags').slice(0, 20), ...skusOf('tools').slice(0, 20)]) {
      const product = productAt(web.world, sku, noon);
      assert.ok(product);
      const { title, price, oldPrice, stock, brand, colour, category, sizes } = product;
      const money = ({ minor, currency }: typeof price) => ({ amount: amountOf({ minor, currency }), currency });
      assert.deepEqual(valuesOf(articles.get(sku)), {
        sku,
        name: title,
        description: `${title}, ${colour}, one of our ${category}`,
        price: money(price),
        ...(oldPrice !== undefined && { oldPrice: money(oldPrice) }),
        inStock: stock > 0,
        ...(stock > 0 && { stock }),
        brand,
        sizes,
        image: `${web.origin}/shop/img/${sku}.svg`,
      });
    }
    const asked = await askedOf(web);
    assert.equal(new Set(asked).size, asked.length);
    assert.equal(asked.filter((path) => path.startsWith('/shop/p/')).length, 240);
    assert.ok(asked.every((path) => path.startsWith('/shop/')));
    assert.ok(asked.every((path) => !/basket|colour=|\.svg|\.pdf|utm_/.test(path)));
    const { crawls } = await daemon.client.call('crawl.list', { project: 'it' });
    assert.equal(crawls[0]?.endReason, 'complete');
  });
});
