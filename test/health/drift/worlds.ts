import { definitionVersion, Source } from '../../../src/definition/source.ts';
import type { LoadedSource } from '../../../src/definition/catalogue.ts';
import { contentAt } from '../../../src/demo/sites.ts';
import { categories, skusOf } from '../../../src/demo/facts/product.ts';
import { pageOnly } from '../../../src/drill/rehearsal.ts';
import type { ShownPage } from '../../../src/drill/shown-page.ts';
import { Catalogue } from './catalogue.ts';
import { Random } from '../random.ts';
import { cards, product, table } from './templates.ts';

/** A site whose pages are scraped once a day. */
export interface World {
  readonly name: string;
  readonly loaded: LoadedSource;
  /** Healthy days before a change. */
  readonly days: number;
  /** The pages of a day, always at the same addresses. Days are asked for in order. */
  pagesOf(day: number): readonly ShownPage[];
}

const startAt = Date.UTC(2026, 0, 5, 6);
const dayMs = 86_400_000;

/** When a day's pages are scraped. */
export function instantOf(day: number): number {
  return startAt + day * dayMs;
}

/** The world of a seed: one in four is the demo's. */
export function worldOf(seed: number): World {
  const random = new Random(seed * 7_919 + 1);
  const days = random.pick([
    [1, 2],
    [1, 5],
    [2, 7],
    [2, 9],
    [2, 16],
  ]);
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
  let shown = 0;
  return {
    name: template.name,
    loaded: loadedOf(template.records),
    days,
    pagesOf(day) {
      for (; shown < day; shown += 1) catalogue.nextDay();
      const elapsedMs = random.between(150, 250) * (catalogue.isSlow() ? 4 : 1);
      const page = (url: string, html: string): ShownPage => ({ url, status: 200, html, elapsedMs });
      const articles = catalogue.articles();
      if (isList) return [page('https://own.example/all/', template.render(articles, day))];
      return articles.map((each, at) => page(`https://own.example/p/${at}`, template.render([each], day)));
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
  const world = { seed, openedAt: startAt };
  const isShop = random.chance(0.5);
  const paths = isShop
    ? Object.keys(categories)
        .flatMap((category) => skusOf(category))
        .map((sku) => `/shop/p/${sku}`)
    : Array.from({ length: 16 }, (_, number) => `/crowd/campaign-${number + seed}`);
  const urls = paths.slice(0, 16).map((path) => `http://demo.example${path}`);
  return {
    name: isShop ? 'demo shop' : 'demo crowd',
    loaded: loadedOf(isShop ? demoRecords.article : demoRecords.campaign),
    days,
    pagesOf: (day) =>
      urls.map((url) => {
        // A day of ours is a minute of the demo, whose campaigns end within the hour.
        const content = contentAt(world, new URL(url), startAt + day * 60_000);
        return { url, status: content?.status ?? 200, html: content?.body ?? '', contentType: content?.type };
      }),
  };
}

function loadedOf(records: unknown): LoadedSource {
  const source = pageOnly(Source.parse({ id: 'site', records }));
  return { source, version: definitionVersion(source) };
}
