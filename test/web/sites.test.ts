import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { campaignAt } from '../../src/demo/facts/campaign.ts';
import { amountOf, moneyText } from '../../src/demo/facts/money.ts';
import { rewardsAt } from '../support/web/reward.ts';
import { campaignSlugs } from '../support/web/sites/crowd.ts';
import { productAt, skusOf } from '../../src/demo/facts/product.ts';
import { trialAt, trialId, trialsUpdated } from '../../src/demo/facts/trial.ts';
import { escape } from '../../src/demo/html.ts';
import { allIn, heldWeb, noon, walk } from '../support/web/held-web.ts';

describe('sites of the demo web', () => {
  test('a campaign page shows the facts of its instant, and its pulse the same pledge', async (t) => {
    const web = await heldWeb(t);
    for (const at of [noon, noon + 60_000]) {
      web.now = at;
      const campaign = campaignAt(web.world, 'folding-kayak', at);
      assert.ok(campaign);
      const page = await web.text('/crowd/folding-kayak');
      assert.deepEqual(allIn(page, /class="pledged">([^<]+)</g), [moneyText(campaign.pledged)]);
      assert.deepEqual(allIn(page, /class="backers">([^<]+)</g), [String(campaign.backers)]);
      assert.deepEqual(allIn(page, /class="creator">([^<]+)</g), [escape(campaign.creator)]);
      assert.deepEqual(allIn(page, /class="ends" datetime="([^"]+)"/g), [new Date(campaign.endsAt).toISOString()]);
      assert.ok(
        (await web.text('/crowd/pulse/folding-kayak')).includes(`class="pledged">${moneyText(campaign.pledged)}<`),
      );
    }
  });

  test('the list of campaigns names every one once', async (t) => {
    const web = await heldWeb(t);
    const pages = await walk(web, '/crowd/');
    assert.ok(pages.length > 1);
    assert.deepEqual(
      pages.flatMap((page) => allIn(page, /class="card" data-slug="([^"]+)"/g)),
      campaignSlugs,
    );
  });

  test('a category names every article once, and a colour only those that have it', async (t) => {
    const web = await heldWeb(t);
    const skus = (pages: string[]) => pages.flatMap((page) => allIn(page, /class="sku">([^<]+)</g));
    assert.deepEqual(skus(await walk(web, '/shop/c/tools')), skusOf('tools'));
    const red = skusOf('tools').filter((sku) => productAt(web.world, sku, noon)?.colour === 'red');
    assert.deepEqual(skus(await walk(web, '/shop/c/tools?colour=red')), red);
    assert.equal((await web.get('/shop/c/tools?page=6')).status, 404);
    assert.equal((await web.get('/shop/c/tools?page=0')).status, 404);
  });

  test('an article describes itself to machines as it does to people', async (t) => {
    const web = await heldWeb(t);
    const product = productAt(web.world, 'shoes-1007', noon);
    assert.ok(product);
    const page = await web.text('/shop/p/shoes-1007');
    const [linked = ''] = allIn(page, /<script type="application\/ld\+json">(.*?)<\/script>/gs);
    assert.equal(JSON.parse(linked).offers.price, amountOf(product.price));
    assert.ok(page.includes(`class="price">${moneyText(product.price)}<`));
  });

  test('an article shows readers of links what it is, and its picture', async (t) => {
    const web = await heldWeb(t);
    const product = productAt(web.world, 'shoes-1007', noon);
    assert.ok(product);
    const page = await web.text('/shop/p/shoes-1007');
    assert.deepEqual(allIn(page, /property="og:title"\s+content="([^"]+)"/g), [escape(product.title)]);
    assert.deepEqual(allIn(page, /property="product:price:amount"\s+content="([^"]+)"/g), [amountOf(product.price)]);
    assert.equal((await web.get('/shop/img/shoes-1007.svg')).headers.get('content-type'), 'image/svg+xml');
    assert.equal((await web.get('/shop/img/shoes-9999.svg')).status, 404);
  });

  test('a category writes the address of its next page in two ways', async (t) => {
    const web = await heldWeb(t);
    const page = await web.text('/shop/c/tools?endless=yes');
    const links = allIn(page, /href="(\/shop\/c\/tools\?[^"]*page=2[^"]*)"/g).map((link) =>
      link.replaceAll('&amp;', '&'),
    );
    assert.deepEqual(links, [
      '/shop/c/tools?endless=yes&page=2',
      '/shop/c/tools?page=2&endless=yes&utm_source=pager#products',
    ]);
    const [one, other] = await Promise.all(links.map((link) => web.text(link)));
    assert.deepEqual(allIn(one ?? '', /class="sku">([^<]+)</g), allIn(other ?? '', /class="sku">([^<]+)</g));
  });

  test('the rewards of a campaign are in the state of its page’s script alone', async (t) => {
    const web = await heldWeb(t);
    const page = await web.text('/crowd/moss-lamp');
    const [state = ''] = allIn(page, /window\.__STATE__ = (\{.*?\});<\/script>/g);
    const [first] = rewardsAt(web.world, 'moss-lamp', noon);
    assert.ok(first);
    const { id, title, price, claimed } = first;
    const { currency } = price;
    assert.deepEqual(JSON.parse(state).campaign.rewards[0], {
      id,
      title,
      price: { amount: amountOf(price), currency },
      claimed,
    });
  });

  test('endless facets and an endless calendar never lead back to a page that was seen', async (t) => {
    const web = await heldWeb(t);
    for (const [start, pattern] of [
      ['/shop/c/bags?endless=yes', /class="facet" href="([^"]*facets=[^"]*)"/],
      ['/shop/calendar/2026-03?endless=yes', /rel="next" href="([^"]+)"/],
    ] as const) {
      const seen = new Set<string>();
      let path: string = start;
      for (let step = 0; step < 200; step += 1) {
        assert.ok(!seen.has(path), path);
        seen.add(path);
        path = pattern.exec(await web.text(path))?.[1]?.replaceAll('&amp;', '&') ?? '';
      }
    }
    const entrance = await web.text('/shop/?endless=yes');
    for (const path of ['/shop/c/bags', '/shop/calendar/2026-03'])
      assert.ok(entrance.includes(`"${path}?endless=yes"`));
    assert.equal((await walk(web, '/shop/calendar/2026-03')).length, 12);
  });

  test('a timeline is walked once from its newest post to its oldest, though posts come meanwhile', async (t) => {
    const web = await heldWeb(t);
    const ids: string[] = [];
    for (let next: string | null = ''; next !== null; web.now += 60_000) {
      const answer = await web.get(`/social/api/timeline/lighthouse${next === '' ? '' : `?before=${next}`}`);
      const slice = (await answer.json()) as { posts: { id: string }[]; next: string | null };
      ids.push(...slice.posts.map(({ id }) => id));
      next = slice.next;
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 130 }, (_, index) => `lighthouse-${129 - index}`),
    );
  });

  test('a timeline goes on by page numbers and by a Link header as well, in slices as long as they are wanted', async (t) => {
    const web = await heldWeb(t);
    const all = Array.from({ length: 130 }, (_, index) => `lighthouse-${129 - index}`);
    const pages = await walk(web, '/social/u/lighthouse?page=1');
    assert.equal(pages.length, 7);
    assert.deepEqual(
      pages.flatMap((page) => allIn(page, /class="id">([^<]+)</g)),
      all,
    );
    assert.equal((await web.get('/social/u/lighthouse?page=8')).status, 404);

    const ids: string[] = [];
    for (let path: string | undefined = '/social/api/timeline/lighthouse?limit=50'; path !== undefined;) {
      const answer: Response = await web.get(path);
      const { posts } = (await answer.json()) as { posts: { id: string }[] };
      ids.push(...posts.map(({ id }) => id));
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    }
    assert.deepEqual(ids, all);
    assert.equal((await web.get('/social/api/timeline/lighthouse?limit=0')).status, 404);
  });

  test('readers of feeds get the newest posts as RSS and as Atom', async (t) => {
    const web = await heldWeb(t);
    const newest = Array.from({ length: 20 }, (_, index) => `lighthouse-${129 - index}`);
    assert.deepEqual(allIn(await web.text('/social/rss/lighthouse'), /<guid[^>]*>([^<]+)</g), newest);
    const atom = await web.get('/social/atom/lighthouse');
    assert.equal(atom.headers.get('content-type'), 'application/atom+xml');
    assert.deepEqual(allIn(await atom.text(), /<id>tag:social\.demo,2026:(lighthouse-\d+)</g), newest);
    assert.equal((await web.get('/social/rss/backstage')).status, 401);
    assert.equal((await web.get('/social/rss/nobody')).status, 404);
  });

  test('a pinned post stands above the first slice and in its place as well', async (t) => {
    const web = await heldWeb(t);
    const first = await web.text('/social/u/heron');
    const [pinned = ''] = allIn(first, /class="pinned">\s*<article class="post">\s*<small class="id">([^<]+)</g);
    const walked = (await walk(web, '/social/u/heron')).flatMap((page) =>
      allIn(page.replace(/<div class="pinned">.*?<\/div>/s, ''), /class="id">([^<]+)</g),
    );
    assert.ok(walked.includes(pinned));
    assert.equal(new Set(walked).size, walked.length);
    assert.equal(walked.length, 130);
  });

  test('members see the members’ account after a log-in, until log-ins are ended', async (t) => {
    const web = await heldWeb(t);
    assert.equal((await web.get('/social/u/backstage')).status, 401);
    const logIn = (password: string) =>
      fetch(`${web.origin}/social/login`, {
        method: 'POST',
        body: new URLSearchParams({ user: 'demo', password }),
        redirect: 'manual',
      });
    assert.equal((await logIn('wrong')).headers.get('set-cookie'), null);
    const cookie = (await logIn('demo')).headers.get('set-cookie')?.split(';')[0] ?? '';
    assert.equal((await web.get('/social/u/backstage', { cookie })).status, 200);
    await web.control('DELETE', 'sessions');
    assert.equal((await web.get('/social/u/backstage', { cookie })).status, 401);
  });

  test('a window of the register names each trial updated in it once', async (t) => {
    const web = await heldWeb(t);
    const pages = await walk(web, '/register/trials?from=2026-01-01&to=2026-01-31');
    const ids = pages.flatMap((page) => allIn(page, /href="\/register\/trial\/([^"]+)"/g));
    assert.ok(pages.length > 1);
    assert.deepEqual(ids, trialsUpdated(web.world, noon, '2026-01-01', '2026-01-31'));
    const trial = trialAt(web.world, ids[0] ?? '', noon);
    assert.ok(trial && trial.updated >= '2026-01-01' && trial.updated <= '2026-01-31');
    assert.ok((await web.text(`/register/trial/${trial.id}`)).includes(`class="enrolment">${trial.enrolment}<`));
    assert.equal((await web.get(`/register/trial/${trialId(1_600)}`)).status, 404);

    const table = await web.text('/register/export.csv?from=2026-01-01&to=2026-01-31');
    const [columns = '', ...rows] = table.trimEnd().split('\r\n');
    assert.equal(columns, 'id,title,sponsor,phase,status,enrolment,conditions,registered,updated,start');
    assert.deepEqual(
      rows.map((row) => row.slice(0, row.indexOf(','))),
      ids,
    );
    assert.ok(rows.some((row) => row.includes('"Asthma, ')));
    assert.equal((await web.get('/register/export.csv?from=soon')).status, 404);
  });
});
