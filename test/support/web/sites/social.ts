import { defined } from '../../../../src/defined.ts';
import { accountAt, accounts, postsBefore, type Account, type Post } from '../../../../src/demo/facts/post.ts';
import type { World } from '../../../../src/demo/facts/world.ts';
import { html, type Markup } from '../../../../src/demo/html.ts';
import { pageNumber, type Answer, type Site, type Visit } from '../site.ts';
import { atomOf, rssOf } from './syndication.ts';

const usualSize = 20;
const mostSize = 50;

/**
 * Accounts that post: `/social/u/<name>?before=<cursor>` or `?page=<number>` for people, `/social/api/timeline/<name>?before=<cursor>`
 * for machines, which may ask for a `limit` and find the next slice in the `Link` header as well; `/social/rss/<name>` and
 * `/social/atom/<name>` for readers of feeds. Members' accounts answer 401 until `POST /social/login` with
 * `user=demo&password=demo` set a cookie.
 */
export const social: Site = {
  prefix: 'social',
  disallow: ['login'],
  answer(visit) {
    const [area = '', name, account, ...rest] = visit.path;
    if (rest.length > 0) return undefined;
    if (area === '' && name === undefined) return home(visit);
    if (area === 'login' && name === undefined) return logIn(visit);
    if (area === 'u' && name !== undefined && account === undefined) return timeline(visit, name, htmlSlice);
    if ((area === 'rss' || area === 'atom') && name !== undefined && account === undefined)
      return feed(visit, name, area);
    if (area === 'api' && name === 'timeline' && account !== undefined) return timeline(visit, account, jsonSlice);
    return undefined;
  },
  *paths(world, at) {
    yield '';
    for (const name of accounts) if (accountAt(world, name, at)?.membersOnly === false) yield `u/${name}`;
  },
};

/** A slice of a timeline, independent of the form in which it is shown. */
interface Slice {
  readonly account: Account;
  readonly pinned: Post | undefined;
  readonly posts: readonly Post[];
  /** Cursor of the next slice: the number of the last post shown. */
  readonly next: number | undefined;
  /** Set where the next slice is the page of this number. */
  readonly nextPage?: number;
  /** Set where another size than the usual one was asked for. */
  readonly limit?: string;
}

function home({ world }: Visit): Answer {
  return {
    kind: 'page',
    title: 'Who posts here',
    modifiedAt: world.openedAt,
    main: html`<h1>Who posts here</h1>
      <ul>
        ${accounts.map((name) => html`<li><a class="account" href="/social/u/${name}">${name}</a></li>`)}
      </ul>`,
  };
}

function logIn({ world, form, session }: Visit): Answer {
  if (form?.get('user') === 'demo' && form.get('password') === 'demo') {
    return {
      kind: 'redirect',
      location: '/social/',
      cookie: `session=${session.token}; Path=/social/; HttpOnly; SameSite=Lax`,
    };
  }
  return {
    kind: 'page',
    title: 'Log in',
    modifiedAt: world.openedAt,
    main: html`<h1>Log in</h1>
      ${form === undefined ? undefined : html`<p class="refused">Wrong name or password.</p>`}
      <form method="post" action="/social/login">
        <input name="user" /><input name="password" type="password" /><button>Log in</button>
      </form>`,
  };
}

function timeline(
  { world, at, query, session }: Visit,
  name: string,
  show: (slice: Slice) => Answer,
): Answer | undefined {
  const account = accountAt(world, name, at);
  const cursor = query.get('before');
  if (account === undefined || (cursor !== null && !/^\d{1,9}$/.test(cursor))) return undefined;
  if (account.membersOnly && !session.open) return { kind: 'unauthorized', logIn: '/social/login' };
  const limit = query.get('limit');
  const size = limit === null ? usualSize : Math.min(mostSize, Number.parseInt(limit, 10));
  const page = pageNumber(query);
  if (!(size >= 1) || !(page >= 1) || (cursor !== null && page > 1)) return undefined;
  const before = cursor === null ? account.posts - (page - 1) * size : Number.parseInt(cursor, 10);
  if (page > 1 && before <= 0) return undefined;
  const posts = postsBefore(world, name, at, before, size);
  const last = posts.at(-1)?.number ?? 0;
  return show({
    account,
    pinned: cursor === null && page === 1 ? pinnedPost(world, account, at) : undefined,
    posts,
    next: last > 0 ? last : undefined,
    ...(query.has('page') && last > 0 && { nextPage: page + 1 }),
    ...(limit !== null && { limit: String(size) }),
  });
}

/** The post that an account shows above all others, if it shows one. */
function pinnedPost(world: World, { name, posts }: Account, at: number): Post | undefined {
  return postsBefore(world, name, at, posts, posts).find(({ pinned }) => pinned);
}

function feed({ world, at, origin, session }: Visit, name: string, form: 'rss' | 'atom'): Answer | undefined {
  const account = accountAt(world, name, at);
  if (account === undefined) return undefined;
  if (account.membersOnly && !session.open) return { kind: 'unauthorized', logIn: '/social/login' };
  const posts = postsBefore(world, name, at, account.posts, usualSize);
  const body = (form === 'rss' ? rssOf : atomOf)(account, posts, origin);
  return { kind: 'text', type: `application/${form}+xml`, body, modifiedAt: account.modifiedAt };
}

function htmlSlice({ account, pinned, posts, next, nextPage, limit }: Slice): Answer {
  const search = new URLSearchParams({
    ...(nextPage === undefined ? { before: String(next) } : { page: String(nextPage) }),
    ...defined({ limit }),
  });
  return {
    kind: 'page',
    title: `Posts of ${account.name}`,
    modifiedAt: account.modifiedAt,
    head: html`<link rel="alternate" type="application/rss+xml" href="/social/rss/${account.name}" />`,
    main: html`<section class="profile">
      <h1 class="name">${account.name}</h1>
      <p><b class="followers">${account.followers}</b> followers, <b class="posts">${account.posts}</b> posts</p>
      ${pinned === undefined ? undefined : html`<div class="pinned">${postMarkup(pinned)}</div>`}
      <div class="timeline">${posts.map(postMarkup)}</div>
      ${next === undefined ? undefined : html`<a class="older" rel="next" href="/social/u/${account.name}?${search.toString()}">Older</a>`}
    </section>`,
  };
}

function postMarkup({ id, text, postedAt, likes }: Post): Markup {
  return html`<article class="post">
    <small class="id">${id}</small>
    <p class="text">${text}</p>
    <time class="posted" datetime="${new Date(postedAt).toISOString()}">then</time> <span class="likes">${likes}</span>
  </article>`;
}

function jsonSlice({ account, pinned, posts, next, limit }: Slice): Answer {
  const view = ({ id, text, postedAt, likes, pinned }: Post) => ({
    id,
    text,
    posted: new Date(postedAt).toISOString(),
    likes,
    pinned,
  });
  const value = {
    account: { name: account.name, followers: account.followers, posts: account.posts },
    pinned: pinned === undefined ? null : view(pinned),
    posts: posts.map(view),
    next: next === undefined ? null : String(next),
  };
  if (next === undefined) return { kind: 'json', value, modifiedAt: account.modifiedAt };
  const search = new URLSearchParams({ before: String(next), ...defined({ limit }) });
  const following = `/social/api/timeline/${account.name}?${search.toString()}`;
  return { kind: 'json', value, modifiedAt: account.modifiedAt, next: following };
}
