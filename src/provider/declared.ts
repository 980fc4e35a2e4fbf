import type { Crawl } from '../definition/crawl.ts';
import type { Feed } from '../definition/feed.ts';
import { Rule } from '../definition/rule.ts';
import type { Source } from '../definition/source.ts';
import { definitionVersion } from '../definition/version.ts';
import type { LinkPlan } from '../extract/plan.ts';
import { openList } from './list.ts';
import { documentOf, planOf } from './plans.ts';
import type { OpenProvider, Reading } from './provider.ts';
import { openPulse } from './pulse.ts';
import { pageRequest } from './requests.ts';
import { rulePlan } from './rule-plan.ts';

/** A source that is asked and read as its definition declares. */
export function openDeclared(source: Source): OpenProvider {
  const pulse = openPulse(source);
  const page = { plan: planOf(source), limitMs: source.limits.extract };
  const list = source.feed ?? (source.collect && singlePage);
  return {
    request: (url, copy, hop, place) => pageRequest(source, url, copy, hop, place?.body),
    page: source.crawl === undefined ? page : detailReading(source.crawl, page),
    ...(list !== undefined && { list: openList(list, listReading(source, list, page)) }),
    ...(source.crawl !== undefined && { crawl: crawlReadings(source, source.crawl) }),
    ...(pulse !== undefined && { pulse }),
  };
}

/** A window of a register without more pages. */
const singlePage: Feed = { by: 'link', in: 'query', next: nothing(), maxPages: 1, pinned: 0, mayBeEmpty: true };

function nothing(): NonNullable<Feed['next']> {
  return { const: null, required: false, type: 'text' };
}

/** By what pages mark the one that comes next, where neither the definition nor a `Link` header says it. */
const relNext = Rule.parse({
  any: [
    { css: 'link[rel~="next"]', attr: 'href' },
    { css: 'a[rel~="next"]', attr: 'href' },
  ],
});

function listReading({ collect, provider }: Source, { by, next, mayBeEmpty }: Feed, page: Reading): Reading {
  const isMarkup = provider !== 'json' && provider !== 'csv';
  const rule = next ?? (by === 'link' && isMarkup ? relNext : undefined);
  const plan = {
    ...page.plan,
    id: `${page.plan.id}/list`,
    ...(rule !== undefined && { next: rulePlan(rule) }),
    ...((mayBeEmpty || collect !== undefined) && { mayBeEmpty: true }),
  };
  return { ...page, plan };
}

/** A page that may hold records leads on as well. */
function detailReading(crawl: Crawl, page: Reading): Reading {
  return { ...page, plan: { ...page.plan, id: `${page.plan.id}/detail`, links: linkPlan(crawl) } };
}

function linkPlan({ links }: Crawl): LinkPlan {
  return links === undefined ? {} : { within: links };
}

function crawlReadings(source: Source, crawl: Crawl): NonNullable<OpenProvider['crawl']> {
  const limitMs = source.limits.extract;
  const id = definitionVersion(source);
  const common = { records: [], mayBeEmpty: true } as const;
  return {
    listing: { plan: { id: `${id}/listing`, ...documentOf(source), ...common, links: linkPlan(crawl) }, limitMs },
    sitemap: { plan: { id: `${id}/sitemap`, document: 'xml', tree: 'fast', ...common, links: 'sitemap' }, limitMs },
  };
}
