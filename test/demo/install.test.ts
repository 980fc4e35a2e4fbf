import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { loadSources } from '../../src/definition/load.ts';
import type { Source } from '../../src/definition/source.ts';
import { fillUrl } from '../../src/definition/url-pattern.ts';
import { campaignAt } from '../../src/demo/facts/campaign.ts';
import { amountOf } from '../../src/demo/facts/money.ts';
import { demoProjects, installSources } from '../../src/demo/install.ts';
import type { Extraction } from '../../src/extract/draft.ts';
import { extract } from '../../src/extract/extract.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import { planOf } from '../../src/provider/plans.ts';
import { heldWeb, noon } from './held-web.ts';

async function installed(t: TestContext, origin: string): Promise<ReadonlyMap<string, Source>> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-sources-'));
  t.after(() => rm(folder, { recursive: true }));
  await installSources(join(folder, 'sources'), origin, noon);
  const { sources, problems } = await loadSources(join(folder, 'sources'));
  assert.deepEqual(problems, []);
  return new Map(sources.map((source) => [source.id, source]));
}

async function read(url: string, plan: ExtractPlan): Promise<Extraction> {
  const response = await fetch(url);
  const contentType = response.headers.get('content-type') ?? '';
  const outcome = await extract({ body: await response.arrayBuffer(), url, contentType, plan });
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
  test('all eight load, and every target of the demo gives records with all of their fields', async (t) => {
    const web = await heldWeb(t);
    const sources = await installed(t, web.origin);
    assert.equal(sources.size, 8);
    const projects = demoProjects(web.origin);
    assert.equal(new Set(projects.map(({ id }) => id)).size, 12);
    for (const target of projects.flatMap(({ targets }) => targets)) {
      const source = sources.get(target.source ?? '');
      assert.ok(source);
      const url = addressOf(source, target);
      assert.ok(url.startsWith(web.origin), url);
      const { drafts, unparsed } = await read(url, planOf(source));
      assert.ok(drafts.length > 0, url);
      assert.deepEqual(unparsed, [], url);
    }
  });

  test('a page, a list, a register and a crawl are among them', async (t) => {
    const sources = [...(await installed(t, (await heldWeb(t)).origin)).values()];
    const tracked = new Set(
      demoProjects('http://127.0.0.1:1').flatMap(({ targets }) => targets.map(({ source }) => source)),
    );
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
    const web = await heldWeb(t);
    const crowd = (await installed(t, web.origin)).get('crowd');
    assert.ok(crowd);
    for (const [at, finished] of [
      [noon, false],
      [noon + 10_000, true],
    ] as const) {
      web.now = at;
      const campaign = campaignAt(web.world, 'pocket-kiln', at);
      assert.ok(campaign);
      const extraction = await read(`${web.origin}/crowd/pocket-kiln`, planOf(crowd));
      assert.equal(extraction.finished, finished);
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
