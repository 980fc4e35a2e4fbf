import { campaignAt, namedCampaigns } from './facts/campaign.ts';
import { amountOf, moneyText } from './facts/money.ts';
import { accountAt, postsBefore } from './facts/post.ts';
import { categories, productAt, skusOf, type Product } from './facts/product.ts';
import { adsAt, areAdsDown, ratesAt, takingsAt } from './facts/trade.ts';
import { trialAt, trialsUpdated } from './facts/trial.ts';
import type { World } from './facts/world.ts';
import { html, type Markup } from './html.ts';

/** A text that the demo web sends, and its media type. */
export interface Content {
  /** Default: 200. */
  readonly status?: number;
  readonly type: string;
  readonly body: string;
}

/** A request as far as an answer depends on it: the parts of the path below a site's own, and the query. */
interface Visit {
  readonly world: World;
  readonly at: number;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** The sites, by the first part of their paths; each returns its content for a visit, or `undefined`. */
const sites: Readonly<Record<string, (visit: Visit) => Content | undefined>> = {
  crowd,
  shop,
  social,
  register,
  ads,
  abroad,
  bank,
};

const articlesPerPage = 12;
const postsPerSlice = 20;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the content of the demo web at an address at the instant `at`, or `undefined` where it has none. */
export function contentAt(world: World, { pathname, searchParams }: URL, at: number): Content | undefined {
  const [, site = '', ...path] = pathname.split('/');
  if (pathname === '/') return entrance();
  return Object.hasOwn(sites, site) ? sites[site]?.({ world, at, path, query: searchParams }) : undefined;
}

function entrance(): Content {
  const paths = [
    '/crowd/solar-backpack',
    ...Object.keys(categories).map((category) => `/shop/c/${category}`),
    '/social/api/timeline/heron',
    '/register/export.csv',
    '/ads/paper-radio',
    '/abroad/paper-radio',
    '/bank/rates.csv',
  ];
  return page(
    'The demo web',
    html`<ul>
      ${paths.map((path) => html`<li><a href="${path}">${path}</a></li>`)}
    </ul>`,
  );
}

/** `/crowd/<slug>`: a crowdfunding campaign, whose pledges rise until it ends. `/crowd/pulse/<slug>` has its pledges alone. */
function crowd({ world, at, path }: Visit): Content | undefined {
  if (path[0] === 'pulse') return pledges(world, path.slice(1), at);
  const [slug = '', ...rest] = path;
  const campaign = rest.length === 0 ? campaignAt(world, slug, at) : undefined;
  if (campaign === undefined) return undefined;
  const { title, creator, pledged, goal, backers, status, endsAt, updates } = campaign;
  return page(
    title,
    html`<article class="campaign" data-slug="${slug}">
      <p>by <span class="creator">${creator}</span></p>
      <dl>
        <dt>Pledged</dt>
        <dd class="pledged">${moneyText(pledged)}</dd>
        <dt>Goal</dt>
        <dd class="goal">${moneyText(goal)}</dd>
        <dt>Backers</dt>
        <dd class="backers">${backers}</dd>
        <dt>Status</dt>
        <dd class="status">${status}</dd>
        <dt>Ends</dt>
        <dd><time class="ends" datetime="${new Date(endsAt).toISOString()}">soon</time></dd>
      </dl>
      <ol>
        ${updates.map((update) => html`<li class="headline">${update.title}</li>`)}
      </ol>
    </article>`,
  );
}

function pledges(world: World, [slug = '', ...rest]: readonly string[], at: number): Content | undefined {
  const campaign = rest.length === 0 ? campaignAt(world, slug, at) : undefined;
  if (campaign === undefined) return undefined;
  const { title, pledged } = campaign;
  return page(title, html`<p class="pulse" data-slug="${slug}"><b class="pledged">${moneyText(pledged)}</b></p>`);
}

/** `/shop/c/<category>?colour=red&page=2` lists articles, `/shop/p/<sku>` shows one. Prices and stock change. */
function shop(visit: Visit): Content | undefined {
  const [area, name, ...rest] = visit.path;
  if (name === undefined || rest.length > 0) return undefined;
  if (area === 'c') return category(visit, name);
  const product = area === 'p' ? productAt(visit.world, name, visit.at) : undefined;
  return product && page(product.title, article(product));
}

function category({ world, at, query }: Visit, name: string): Content | undefined {
  const colour = query.get('colour');
  const products = skusOf(name).flatMap((sku) => productAt(world, sku, at) ?? []);
  const wanted = products.filter((product) => colour === null || product.colour === colour);
  const number = Number(query.get('page') ?? 1);
  const shown = wanted.slice((number - 1) * articlesPerPage, number * articlesPerPage);
  if (shown.length === 0) return undefined;
  const search = new URLSearchParams({ ...(colour !== null && { colour }), page: String(number + 1) }).toString();
  return page(
    `Our ${name}`,
    html`<ul class="products">
        ${shown.map(({ sku, title }) => html`<li><a href="/shop/p/${sku}">${title}</a></li>`)}
      </ul>
      ${number * articlesPerPage < wanted.length ? html`<a class="next" href="/shop/c/${name}?${search}">More</a>` : undefined}`,
  );
}

function article({ sku, title, price, oldPrice, stock }: Product): Markup {
  return html`<article class="item">
    <span class="sku">${sku}</span> <span class="name">${title}</span> <span class="price">${moneyText(price)}</span>
    ${oldPrice && html`<s class="old-price">${moneyText(oldPrice)}</s>`}
    ${stock > 0 ? html`<span class="stock">${stock}</span>` : 'Sold out'}
  </article>`;
}

/** `/social/api/timeline/<account>?before=<cursor>&limit=20`: posts in JSON, newest first. More are posted every few seconds. */
function social({ world, at, path, query }: Visit): Content | undefined {
  const [area, list, name = '', ...rest] = path;
  const account = accountAt(world, name, at);
  if (area !== 'api' || list !== 'timeline' || rest.length > 0 || account === undefined) return undefined;
  const [before, limit] = [Number(query.get('before') ?? account.posts), Number(query.get('limit') ?? postsPerSlice)];
  if (!(before >= 0 && limit >= 1)) return undefined;
  const posts = postsBefore(world, name, at, before, Math.min(limit, postsPerSlice));
  const last = posts.at(-1)?.number ?? 0;
  const view = {
    account: { name, followers: account.followers, posts: account.posts },
    posts: posts.map(({ id, text, postedAt, likes }) => ({
      id,
      text,
      posted: new Date(postedAt).toISOString(),
      likes,
    })),
    next: last > 0 ? String(last) : null,
  };
  return { type: 'application/json', body: JSON.stringify(view) };
}

/** `/register/export.csv?from=2026-01-01&to=2026-01-31`: the trials last updated in a window of days, today by default. */
function register({ world, at, path, query }: Visit): Content | undefined {
  const today = new Date(at).toISOString().slice(0, 10);
  const [from, to] = [query.get('from') ?? today, query.get('to') ?? today];
  if (path.join('/') !== 'export.csv' || !dayPattern.test(from) || !dayPattern.test(to)) return undefined;
  const trials = trialsUpdated(world, at, from, to).flatMap((id) => trialAt(world, id, at) ?? []);
  const rows = trials.map((trial) => [trial.id, trial.title, trial.status, String(trial.enrolment), trial.updated]);
  const lines = [['id', 'title', 'status', 'enrolment', 'updated'], ...rows].map((row) => row.map(cell).join(','));
  return { type: 'text/csv; charset=utf-8', body: `${lines.join('\r\n')}\r\n` };
}

/** `/ads/<slug>`: what the ads of a campaign cost, in JSON. Down for a while now and then. */
function ads({ world, at, path: [slug = '', ...rest] }: Visit): Content | undefined {
  if (rest.length > 0 || !Object.hasOwn(namedCampaigns, slug)) return undefined;
  if (areAdsDown(world, at)) return { status: 503, type: 'text/plain', body: 'back soon' };
  const view = adsAt(world, slug, at).map(({ id, spend, clicks }) => ({ id, spend: amountOf(spend), clicks }));
  return { type: 'application/json', body: JSON.stringify({ ads: view }) };
}

/** `/abroad/<slug>`: what a campaign's shop abroad has taken. */
function abroad({ world, at, path: [slug = '', ...rest] }: Visit): Content | undefined {
  if (rest.length > 0 || !Object.hasOwn(namedCampaigns, slug)) return undefined;
  const total = moneyText(takingsAt(world, slug, at));
  return page('Takings', html`<p class="takings" data-slug="${slug}">${total}</p>`);
}

/** `/bank/rates.csv`: rates of currencies of the last days. */
function bank({ world, at, path }: Visit): Content | undefined {
  if (path.join('/') !== 'rates.csv') return undefined;
  const rows = ratesAt(world, at).map(({ base, quote, day, rate }) => [base, quote, day, rate].join(','));
  return { type: 'text/csv; charset=utf-8', body: `${['base,quote,day,rate', ...rows].join('\r\n')}\r\n` };
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function page(title: string, main: Markup): Content {
  const { markup } = html`<!doctype html>
    <html lang="en">
      <title>${title}</title>
      <h1 class="title">${title}</h1>
      ${main}
    </html>`;
  return { type: 'text/html; charset=utf-8', body: markup };
}
