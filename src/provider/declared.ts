import { definitionVersion, type Source } from '../definition/source.ts';
import type { ListPlace, OpenProvider, Reading } from './provider.ts';
import { programOf, registerOf } from '../definition/collect.ts';
import type { Crawl } from '../definition/crawl.ts';
import type { Feed } from '../definition/feed.ts';
import { Rule } from '../definition/rule.ts';
import { documentKind } from '../extract/document/all.ts';
import type { LinkPlan } from '../extract/plan.ts';
import { defined } from '../defined.ts';
import { openForms } from './forms.ts';
import { openItems } from './items.ts';
import { openList } from './list.ts';
import { documentOf, planOf, rulePlan } from './plans.ts';
import { openPulse } from './pulse.ts';
import { pageRequest } from './requests.ts';

/** Opened sources: a source is never changed, and the id of a plan takes a digest to make. */
const opened = new WeakMap<Source, OpenProvider>();

/** Opens a source, which is asked and read as its definition declares; the same source is opened once. */
export function openProvider(source: Source): OpenProvider {
  const known = opened.get(source) ?? openDeclared(source);
  opened.set(source, known);
  return known;
}

function openDeclared(source: Source): OpenProvider {
  const pulse = openPulse(source);
  const page = { source: source.id, plan: planOf(source), limitMs: source.limits.extract };
  if (programOf(source) !== undefined) return collected(page);
  const list = source.feed ?? (registerOf(source) && singlePage);
  return {
    request: (url, copy, hop, place) => pageRequest(source, url, copy, hop, place?.body),
    ...(source.request.form !== undefined && {
      forms: (url: string, place?: ListPlace) => openForms(source, url, place),
    }),
    page: source.crawl === undefined ? page : detailReading(source.crawl, page),
    ...defined({
      list: list === undefined ? undefined : openList(list, listReading(source, list, page), source.url),
      crawl: source.crawl === undefined ? undefined : crawlReadings(source, source.crawl),
      items: openItems(source),
      pulse,
    }),
  };
}

/** A source whose records a program finds: no page of it is asked for. */
function collected(page: Reading): OpenProvider {
  const message = 'a program collects the source: no page of it is asked for by itself; `heronry run` runs the program';
  return { page, request: () => Promise.resolve({ failure: { code: 'collected', message } }) };
}

/** A window of a register without more pages. */
const singlePage: Feed = {
  by: 'link',
  in: 'query',
  next: { const: null, required: false, type: 'text' },
  maxPages: 1,
  mayBeEmpty: true,
};

/** The usual links to a next page, for pages whose definition and `Link` header name none. */
const relNext = Rule.parse({
  any: [
    { css: 'link[rel~="next"]', attr: 'href' },
    { css: 'a[rel~="next"]', attr: 'href' },
  ],
});

function listReading({ collect, provider }: Source, { by, next, mayBeEmpty }: Feed, page: Reading): Reading {
  const isMarkup = documentKind(provider).view !== 'json';
  const rule = next ?? (by === 'link' && isMarkup ? relNext : undefined);
  // A link is an address, which an element has in its `href`.
  const link = rule?.type === 'text' && by === 'link' ? ({ ...rule, type: 'url' } as const) : rule;
  const plan = {
    ...page.plan,
    id: `${page.plan.id}/list`,
    ...defined({ next: link && rulePlan(link) }),
    ...((mayBeEmpty || collect !== undefined) && { mayBeEmpty: true }),
  };
  return { ...page, plan };
}

/** How a page is read that may hold records: with its links, since it leads to other pages as well. */
function detailReading(crawl: Crawl, page: Reading): Reading {
  return { ...page, plan: { ...page.plan, id: `${page.plan.id}/detail`, links: linkPlan(crawl) } };
}

function linkPlan({ links }: Crawl): LinkPlan {
  return links === undefined ? {} : { within: links };
}

function crawlReadings(source: Source, crawl: Crawl): NonNullable<OpenProvider['crawl']> {
  const common = { source: source.id, limitMs: source.limits.extract };
  const id = definitionVersion(source);
  const empty = { records: [], mayBeEmpty: true } as const;
  return {
    listing: { ...common, plan: { id: `${id}/listing`, ...documentOf(source), ...empty, links: linkPlan(crawl) } },
    sitemap: { ...common, plan: { id: `${id}/sitemap`, document: 'xml', tree: 'fast', ...empty, links: 'sitemap' } },
  };
}
