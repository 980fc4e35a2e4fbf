import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { load } from 'cheerio';
import { loadSources } from '../../src/definition/load.ts';
import type { Source } from '../../src/definition/source.ts';
import { fillUrl } from '../../src/definition/url-pattern.ts';
import { campaignAt } from '../../src/demo/facts/campaign.ts';
import { saysFinished } from '../../src/definition/end-rule.ts';
import { amountOf } from '../../src/demo/facts/money.ts';
import { productAt, skusOf } from '../../src/demo/facts/product.ts';
import type { World } from '../../src/demo/facts/world.ts';
import { demoProjects, installSources } from '../../src/demo/install.ts';
import { contentAt } from '../../src/demo/sites.ts';
import { startWeb } from '../../src/demo/web.ts';
import type { Extraction } from '../../src/extract/draft.ts';
import { extract } from '../../src/extract/extract.ts';
import { planOf } from '../../src/provider/plans.ts';
import { heldWeb, noon } from '../support/web/held-web.ts';

async function installed(t: TestContext, origin: string): Promise<ReadonlyMap<string, Source>> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-sources-'));
  t.after(() => rm(folder, { recursive: true }));
  await installSources(join(folder, 'sources'), origin, noon);
  const { sources, problems } = await loadSources(join(folder, 'sources'));
  assert.deepEqual(problems, []);
  return new Map(sources.map((source) => [source.id, source]));
}

const world: World = { seed: 1, openedAt: noon };
const origin = 'http://127.0.0.1:1';

/** What a source's rules make of a page of the demo web at an instant. */
async function read(url: string, source: Source, at = noon): Promise<Extraction> {
  const content = contentAt(world, new URL(url), at);
  assert.ok(content, url);
  const { buffer: body } = new TextEncoder().encode(content.body);
  const outcome = await extract({ body, url, contentType: content.type, plan: planOf(source) });
  assert.ok(outcome.ok, `${url}: ${JSON.stringify(outcome)}`);
  return outcome.extraction;
}

/** The address of a project's target. */
function addressOf(
  { url = '' }: Source,
  target: { readonly url?: string; readonly params?: Readonly<Record<string, string>> },
): string {
  if (target.url !== undefined) return target.url;
  const filled = fillUrl(url, target.params ?? {});
  assert.ok(filled.ok);
  return filled.url;
}

describe('demo definitions', () => {
  test('the address of a pulse has what the pulse reads', async (t) => {
    const crowd = (await installed(t, origin)).get('crowd');
    assert.ok(crowd?.pulse?.url !== undefined);
    const filled = fillUrl(crowd.pulse.url, { slug: 'solar-backpack' });
    assert.ok(filled.ok);
    const $ = load(contentAt(world, new URL(filled.url), noon)?.body ?? '');
    const page = load(contentAt(world, new URL(`${origin}/crowd/solar-backpack`), noon)?.body ?? '');
    assert.equal($('.pulse').attr('data-slug'), 'solar-backpack');
    assert.equal($('.pledged').text(), page('.pledged').text());
  });

  test('all load, and what the demo tracks gives records with all of their fields', async (t) => {
    const sources = await installed(t, origin);
    assert.equal(sources.size, 7);
    const projects = demoProjects(origin);
    assert.equal(new Set(projects.map(({ id }) => id)).size, 10);
    for (const target of projects.flatMap(({ targets }) => targets)) {
      const source = sources.get(target.source ?? '');
      assert.ok(source);
      const url = source.crawl === undefined ? addressOf(source, target) : (articlesOf(target.url)[0] ?? '');
      assert.ok(url.startsWith(origin), url);
      const { drafts, unparsed } = await read(url, source);
      assert.ok(drafts.length > 0, url);
      assert.deepEqual(unparsed, [], url);
    }
  });

  test('a page, a list, a register and a crawl are among them', async (t) => {
    const sources = [...(await installed(t, origin)).values()];
    const tracked = new Set(demoProjects(origin).flatMap(({ targets }) => targets.map(({ source }) => source)));
    assert.deepEqual(tracked, new Set(sources.map(({ id }) => id)));
    for (const shape of ['feed', 'collect', 'crawl'] as const)
      assert.ok(
        sources.some((source) => source[shape] !== undefined),
        shape,
      );
    assert.ok(sources.some(({ feed, collect, crawl }) => (feed ?? collect ?? crawl) === undefined));
    assert.equal(sources.find(({ collect }) => collect !== undefined)?.collect?.start, '2026-03-11');
  });

  test('a campaign is read as it is, and is finished once it has ended', async (t) => {
    const crowd = (await installed(t, origin)).get('crowd');
    assert.ok(crowd);
    for (const [at, finished] of [
      [noon, false],
      [noon + 10_000, true],
    ] as const) {
      const campaign = campaignAt(world, 'pocket-kiln', at);
      assert.ok(campaign);
      const extraction = await read(`${origin}/crowd/pocket-kiln`, crowd, at);
      assert.equal(saysFinished(crowd, extraction.drafts, at), finished);
      const [draft] = extraction.drafts;
      assert.deepEqual(draft, {
        type: 'campaign',
        key: 'pocket-kiln',
        fields: {
          slug: 'pocket-kiln',
          title: campaign.title,
          creator: campaign.creator,
          pledged: { amount: amountOf(campaign.pledged), currency: campaign.pledged.currency },
          goal: { amount: amountOf(campaign.goal), currency: campaign.goal.currency },
          backers: campaign.backers,
          status: campaign.status,
          ends: new Date(campaign.endsAt).toISOString(),
          updates: campaign.updates.map(({ title }) => title),
        },
      });
    }
  });

  test('a site that was rebuilt gives no record any more', async (t) => {
    const web = await heldWeb(t);
    const crowd = (await installed(t, web.origin)).get('crowd');
    assert.ok(crowd);
    await web.control('POST', 'layout', { prefix: '/crowd/', layout: 'changed' });
    const url = `${web.origin}/crowd/moss-lamp`;
    const page = await fetch(url);
    const outcome = await extract({
      body: await page.arrayBuffer(),
      url,
      contentType: 'text/html',
      plan: planOf(crowd),
    });
    assert.ok(!outcome.ok && outcome.failure.code === 'no_record');
  });
});

describe('demo web', () => {
  test('the pages of a list name every article of a colour once', () => {
    const red = skusOf('shoes').filter((sku) => productAt(world, sku, noon)?.colour === 'red');
    assert.deepEqual(
      articlesOf(`${origin}/shop/c/shoes?colour=red`).map((url) => url.split('/').at(-1)),
      red,
    );
  });

  test('a timeline is followed by its cursor to its oldest post', () => {
    const ids: string[] = [];
    for (let next: string | null = '1000'; next !== null;) {
      const url = new URL(`/social/api/timeline/heron?limit=15&before=${next}`, origin);
      const slice = JSON.parse(contentAt(world, url, noon)?.body ?? '') as { posts: { id: string }[]; next: string };
      ids.push(...slice.posts.map(({ id }) => id));
      next = slice.next;
    }
    assert.deepEqual(
      ids,
      Array.from({ length: 130 }, (_, index) => `heron-${129 - index}`),
    );
  });

  test('nothing is at other addresses', () => {
    const paths = ['/nowhere', '/crowd/', '/crowd/moss-lamp/x', '/shop/', '/shop/c/hats', '/shop/c/bags?page=9'];
    const odd = ['/shop/p/bags-9', '/social/api/timeline/nobody', '/register/export.csv?from=soon', '/toString/x'];
    for (const path of [...paths, ...odd]) assert.equal(contentAt(world, new URL(path, origin), noon), undefined, path);
  });

  test('it answers as long as it is open, with 304 for what a client has', async () => {
    const web = await startWeb({ seed: 1, openedAt: noon });
    const first = await fetch(`${web.origin}/`);
    assert.equal(first.status, 200);
    assert.match(await first.text(), /href="\/crowd\/solar-backpack"/);
    const again = await fetch(`${web.origin}/`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    assert.equal(again.status, 304);
    assert.equal((await fetch(`${web.origin}/robots.txt`)).status, 200);
    assert.equal((await fetch(`${web.origin}/nowhere`)).status, 404);
    assert.equal((await fetch(web.origin, { method: 'POST' })).status, 405);
    await web.close();
    await assert.rejects(fetch(web.origin));
  });
});

/** The addresses of the articles on a list of the shop, page after page. */
function articlesOf(list = ''): string[] {
  const found: string[] = [];
  for (let url: string | undefined = list; url !== undefined;) {
    const page: string = contentAt(world, new URL(url), noon)?.body ?? '';
    found.push(...Array.from(page.matchAll(/href="(\/shop\/p\/[^"]+)"/g), ([, path = '']) => origin + path));
    const next: string | undefined = /class="next" href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&');
    url = next === undefined ? undefined : origin + next;
  }
  return found;
}
