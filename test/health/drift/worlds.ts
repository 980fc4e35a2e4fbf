import { contentAt } from '../../../src/demo/sites.ts';
import { categories, skusOf } from '../../../src/demo/facts/product.ts';
import { openProvider } from '../../../src/provider/declared.ts';
import { Catalogue } from './catalogue.ts';
import { Random } from '../random.ts';
import { crawledWorld, itemsWorld, pagedWorld } from './sites.ts';
import { cards, product, table } from './templates.ts';
import { instantOf, loadedOf, pagesOfKind, recordPage, type World } from './world.ts';

/** The world of a seed: of those of single pages one in four is the demo's; `ofSites` gives one of many pages. */
export function worldOf(seed: number, ofSites: boolean): World {
  const random = new Random(seed * 7_919 + 1);
  const days = random.pick([
    [1, 2],
    [1, 5],
    [2, 7],
    [2, 9],
    [2, 16],
  ]);
  if (ofSites) return [crawledWorld, pagedWorld, itemsWorld][seed % 3]!(random, days);
  return seed % 4 === 0 ? demoWorld(random, days, seed) : ownWorld(random, days);
}

function ownWorld(random: Random, days: number): World {
  const isList = random.chance(0.7);
  const template = isList
    ? random.pick([
        [2, cards],
        [1, table],
      ])(random)
    : product(random);
  const size = isList ? Math.round(random.logBetween(12, 80)) : 12;
  const catalogue = new Catalogue(random, size, !isList);
  const loaded = loadedOf({ records: template.records });
  const { plan } = openProvider(loaded.source).page;
  const urls = isList
    ? ['https://own.example/all/']
    : Array.from({ length: size }, (_, at) => `https://own.example/p/${at}`);
  let shown = 0;
  return {
    name: template.name,
    loaded,
    days,
    targets: urls,
    changes: [pagesOfKind('page')],
    pagesOf(day) {
      for (; shown < day; shown += 1) catalogue.nextDay();
      const elapsedMs = random.between(150, 250) * (catalogue.isSlow() ? 4 : 1);
      const articles = catalogue.articles();
      return urls.map((url, at) => {
        const html = template.render(isList ? articles : articles.slice(at, at + 1), day);
        return recordPage({ url, status: 200, html, elapsedMs }, 'page', plan);
      });
    },
  };
}

const demoRecords = {
  campaign: {
    campaign: {
      key: 'slug',
      fields: {
        slug: { css: '.campaign', attr: 'data-slug' },
        title: '.title',
        creator: '.creator',
        pledged: { css: '.pledged', type: 'money', locale: 'en-US' },
        goal: { css: '.goal', type: 'money', locale: 'en-US' },
        backers: { css: '.backers', type: 'integer' },
      },
    },
  },
  article: {
    article: {
      key: 'sku',
      fields: {
        sku: '.sku',
        name: '.name',
        price: { css: '.price', type: 'money' },
        stock: { any: ['.stock', { const: 0 }], type: 'integer' },
      },
    },
  },
};

/** Campaigns or articles of the demo, which change by themselves. */
function demoWorld(random: Random, days: number, seed: number): World {
  const world = { seed, openedAt: instantOf(0) };
  const isShop = random.chance(0.5);
  const paths = isShop
    ? Object.keys(categories)
        .flatMap((category) => skusOf(category))
        .map((sku) => `/shop/p/${sku}`)
    : Array.from({ length: 16 }, (_, number) => `/crowd/campaign-${number + seed}`);
  const urls = paths.slice(0, 16).map((path) => `http://demo.example${path}`);
  const loaded = loadedOf({ records: isShop ? demoRecords.article : demoRecords.campaign });
  const { plan } = openProvider(loaded.source).page;
  return {
    name: isShop ? 'demo shop' : 'demo crowd',
    loaded,
    days,
    targets: urls,
    changes: [pagesOfKind('page')],
    pagesOf: (day) =>
      urls.map((url) => {
        // A day of ours is a minute of the demo, whose campaigns end within the hour.
        const content = contentAt(world, new URL(url), instantOf(0) + day * 60_000);
        const { status = 200, body = '', type } = content ?? {};
        return recordPage({ url, status, html: body, contentType: type }, 'page', plan);
      }),
  };
}
