import { escape } from '../../../src/demo/html.ts';
import type { Subject } from '../../../src/drill/mutation.ts';
import { linkSubject } from '../../../src/drill/subject.ts';
import type { ShownPage } from '../../../src/drill/shown-page.ts';
import { walls } from '../../../src/drill/walls.ts';
import { openProvider } from '../../../src/provider/declared.ts';
import type { Random } from '../random.ts';
import { type Article, Catalogue } from './catalogue.ts';
import { cards, classNames, frame, product } from './templates.ts';
import { loadedOf, pagesOfKind, type Part, recordPage, type SitePage, type World } from './world.ts';

const site = 'https://own.example';

/** A shop that is crawled: a start leads to categories, and these to the pages of articles. */
export function crawledWorld(random: Random, days: number): World {
  const template = product(random);
  const c = classNames(random);
  const isRoot = random.chance(0.5);
  const start = isRoot ? `${site}/` : `${site}/shop/`;
  const categories = Math.round(random.between(2, 5));
  const catalogue = new Catalogue(random, Math.round(random.logBetween(14, 40)), false);
  const crawl = { detail: ['/p/'], ...(!isRoot && { follow: ['/c/'] }) };
  const loaded = loadedOf({ crawl, records: template.records });
  const { page, crawl: readings } = openProvider(loaded.source);
  const links = (shown: ShownPage, kind: string): SitePage => ({
    ...shown,
    kind,
    plan: readings?.listing.plan ?? page.plan,
    subject: linkSubject(shown, `li.${c('to')}`),
  });
  const list = (title: string, entries: readonly (readonly [url: string, text: string])[], day: number): string => {
    const items = entries.map(([url, text]) => `<li class="${c('to')}"><a href="${url}">${escape(text)}</a></li>`);
    return frame(title, `<h1>${title}</h1><ul>${items.join('\n')}</ul>`, day);
  };
  return {
    name: 'crawl',
    loaded,
    days,
    targets: [start],
    changes: [
      pagesOfKind('start'),
      pagesOfKind('listing'),
      pagesOfKind('article'),
      pagesOfKind('article'),
      pagesOfKind('start', 'listing', 'article'),
    ],
    pagesOf: daysOf(catalogue, (articles, day) => {
      const numbers = Array.from({ length: categories }, (_, number) => number);
      const shown = (url: string, html: string): ShownPage => ({ url, status: 200, html });
      const isIn = ({ sku }: Article, number: number): boolean => Number(sku.slice(2)) % categories === number;
      return [
        links(
          shown(
            start,
            list(
              'Shop',
              numbers.map((number) => [`/c/${number}`, `Category ${number}`]),
              day,
            ),
          ),
          'start',
        ),
        ...numbers.map((number) => {
          const entries = articles
            .filter((each) => isIn(each, number))
            .map((each) => [`/p/${each.sku}`, each.name] as const);
          return links(shown(`${site}/c/${number}`, list(`Category ${number}`, entries, day)), 'listing');
        }),
        ...(isRoot ? [links(shown(`${site}/help`, frame('Help', '<p>Ask us.</p>', day)), 'help')] : []),
        ...articles.map((each) =>
          recordPage(shown(`${site}/p/${each.sku}`, template.render([each], day)), 'article', page.plan),
        ),
      ];
    }),
  };
}

/** A list that leads on over several pages; some worlds read all of them each day. */
export function pagedWorld(random: Random, days: number): World {
  const template = cards(random);
  const by = random.pick([
    [1, 'link' as const],
    [1, 'page' as const],
  ]);
  const readsAll = random.chance(0.6);
  const size = Math.round(random.between(8, 15));
  const catalogue = new Catalogue(random, Math.round(random.logBetween(24, 70)), false);
  const feed = { by, maxPages: 20, ...(readsAll && { revisit: { every: '12h' } }) };
  const loaded = loadedOf({ feed, records: template.records });
  const provider = openProvider(loaded.source);
  const plan = provider.list?.reading.plan ?? provider.page.plan;
  const urlOf = (number: number): string => `${site}/all/${number > 1 || by === 'page' ? `?page=${number}` : ''}`;
  // Each page would have another value.
  const all: Part = { ...pagesOfKind('first', 'later'), allows: ({ name }) => name !== 'one value in all records' };
  const first: Part = { ...pagesOfKind('first'), allows: (mutation) => walls.includes(mutation) };
  const later: Part = { ...first, ...pagesOfKind('later') };
  const next: Part = { ...all, name: 'next', subjectOf: nextSubject, allows: (mutation) => !walls.includes(mutation) };
  return {
    name: readsAll ? 'whole paged list' : 'paged list',
    loaded,
    days,
    targets: [`${site}/all/`],
    changes: readsAll ? [all, all, first, later, next] : [all],
    ...(!readsAll && { readsHead: true }),
    pagesOf: daysOf(catalogue, (articles, day) => {
      const count = Math.ceil(articles.length / size);
      return Array.from({ length: count }, (_, at): SitePage => {
        const next =
          at + 1 < count
            ? `<nav class="pages"><a class="onward" rel="next" href="${urlOf(at + 2)}">next</a></nav>`
            : '';
        const html = template
          .render(articles.slice(at * size, (at + 1) * size), day)
          .replace('<footer>', `${next}<footer>`);
        return recordPage({ url: urlOf(at + 1), status: 200, html }, at === 0 ? 'first' : 'later', plan);
      });
    }),
  };
}

/** The link of a page of a list that leads to the next one. */
function nextSubject(page: SitePage): Subject | undefined {
  return page.html.includes('rel="next"') ? linkSubject(page, 'nav.pages') : undefined;
}

/** A list whose items lead to pages that say more of them. */
export function itemsWorld(random: Random, days: number): World {
  const template = cards(random, true);
  const own = product(random);
  const { text, rating } = own.records.article.fields;
  const catalogue = new Catalogue(random, Math.round(random.logBetween(14, 40)), false);
  const { article } = template.records;
  const loaded = loadedOf({
    records: { article: { ...article, page: { url: article.fields['name'], fields: { text, rating } } } },
  });
  const { page, items } = openProvider(loaded.source);
  const itemPlan = items?.reading('article')?.plan ?? page.plan;
  return {
    name: 'pages of items',
    loaded,
    days,
    targets: [`${site}/all/`],
    changes: [pagesOfKind('list'), pagesOfKind('item'), pagesOfKind('item'), pagesOfKind('list', 'item')],
    pagesOf: daysOf(catalogue, (articles, day) => [
      recordPage({ url: `${site}/all/`, status: 200, html: template.render(articles, day) }, 'list', page.plan),
      ...articles.map((each) => ({
        ...recordPage({ url: `${site}/p/${each.sku}`, status: 200, html: own.render([each], day) }, 'item', itemPlan),
        key: each.sku,
      })),
    ]),
  };
}

/** Lets a catalogue live day by day, and shows what there is on each. */
function daysOf(
  catalogue: Catalogue,
  show: (articles: readonly Article[], day: number) => readonly SitePage[],
): World['pagesOf'] {
  let shown = 0;
  return (day) => {
    for (; shown < day; shown += 1) catalogue.nextDay();
    return show(catalogue.articles(), day);
  };
}
