import { accountAt, accounts, pinnedPost, postsBefore, type Account, type Post } from '../facts/post.ts';
import { html, type Markup } from '../html.ts';
import type { Answer, Site, Visit } from '../site.ts';

const sliceSize = 20;

/**
 * Accounts that post: `/social/u/<name>?before=<cursor>` for people, `/social/api/timeline/<name>?before=<cursor>` for
 * machines. Members' accounts answer 401 until `POST /social/login` with `user=demo&password=demo` set a cookie.
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
    if (area === 'api' && name === 'timeline' && account !== undefined) return timeline(visit, account, jsonSlice);
    return undefined;
  },
  *paths(world, at) {
    yield '';
    for (const name of accounts) if (accountAt(world, name, at)?.membersOnly === false) yield `u/${name}`;
  },
};

/** What a slice of a timeline is made of, whatever form it is shown in. */
interface Slice {
  readonly account: Account;
  readonly pinned: Post | undefined;
  readonly posts: readonly Post[];
  /** Cursor of the next slice: the number of the last post shown. */
  readonly next: number | undefined;
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
  const posts = postsBefore(world, name, at, cursor === null ? account.posts : Number.parseInt(cursor, 10), sliceSize);
  const last = posts.at(-1)?.number ?? 0;
  return show({
    account,
    pinned: cursor === null ? pinnedPost(world, name, at) : undefined,
    posts,
    next: last > 0 ? last : undefined,
  });
}

function htmlSlice({ account, pinned, posts, next }: Slice): Answer {
  return {
    kind: 'page',
    title: `Posts of ${account.name}`,
    modifiedAt: account.modifiedAt,
    main: html`<section class="profile">
      <h1 class="name">${account.name}</h1>
      <p><b class="followers">${account.followers}</b> followers, <b class="posts">${account.posts}</b> posts</p>
      ${pinned === undefined ? undefined : html`<div class="pinned">${postMarkup(pinned)}</div>`}
      <div class="timeline">${posts.map(postMarkup)}</div>
      ${next === undefined ? undefined : html`<a class="older" rel="next" href="/social/u/${account.name}?before=${next}">Older</a>`}
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

function jsonSlice({ account, pinned, posts, next }: Slice): Answer {
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
  return { kind: 'json', value, modifiedAt: account.modifiedAt };
}
