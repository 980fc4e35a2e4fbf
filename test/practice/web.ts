import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { openSite, type Site } from '../support/site.ts';
import { books, bookPage, shelfPage, shelves } from './books.ts';
import { escaped, sayingBlock, sayings, slicesOf } from './sayings.ts';

/** The password of the site with a log-in. */
export const password = 'canary-open-sesame';

const visitCookie = 'visit=canary-visit-1';
const memberCookie = 'member=canary-member-1';
const csrf = 'canary-csrf-0815';

/** Sites of the kinds that people learn on, all on one server. */
export async function openPractice(t: TestContext): Promise<Site> {
  const site = await openSite(t);
  const pages = slicesOf(sayings, 10);
  for (const [at, shown] of pages.entries()) {
    const next =
      at + 1 < pages.length ? `<nav><ul><li class="next"><a href="/pages/${at + 2}/">Next →</a></ul></nav>` : '';
    const main = `<main>${shown.map(sayingBlock).join('\n')}</main>`;
    site.answer(at === 0 ? '/pages/' : `/pages/${at + 1}/`, `${main}${next}`);
    site.answer(
      at === 0 ? '/members/' : `/members/${at + 1}/`,
      toMembers(`<p><a href="/logout">Log out</a></p>${main}${next.replace('/pages/', '/members/')}`),
    );
  }
  site.answer('/login', (request, response) => void login(request, response));
  site.answer('/api/sayings', (request, response) => {
    const page = Number(queryOf(request).get('page') ?? 1);
    const shown = pages[page - 1] ?? [];
    const view = {
      page,
      has_next: page < pages.length,
      sayings: shown.map(({ author, ...rest }) => ({ ...rest, author: { name: author } })),
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(view));
  });
  site.answer('/scroll/', scrolling);
  site.answer('/late/', late);
  site.answer('/search', (_, response) => html(response, searchPage()));
  site.answer('/filter', (request, response) => void filter(request, response));
  site.answer('/table/', tablePage());
  const all = slicesOf(books, 5);
  for (const [at, shown] of all.entries())
    site.answer(
      at === 0 ? '/books/' : `/books/page-${at + 1}.html`,
      shelfPage('All books', shown, { page: at + 1, pages: all.length }),
    );
  for (const shelf of shelves)
    site.answer(
      `/books/shelf/${shelf}/`,
      shelfPage(
        shelf,
        books.filter((book) => book.shelf === shelf),
        { page: 1, pages: 1 },
      ),
    );
  for (const book of books) site.answer(`/books/${book.slug}/`, bookPage(book));
  return site;
}

/** Shows a page to who has logged in, and leads all others to the log-in. */
function toMembers(page: string): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) =>
    request.headers.cookie?.includes(memberCookie) === true
      ? html(response, page)
      : void response.writeHead(302, { location: '/login' }).end();
}

function html(response: ServerResponse, page: string, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(page);
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URL(url, 'http://site.test').searchParams;
}

async function fieldsOf(request: IncomingMessage): Promise<URLSearchParams> {
  let body = '';
  for await (const bytes of request) body += String(bytes);
  return new URLSearchParams(body);
}

async function login(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const form = `<form method="post"><input type="hidden" name="csrf" value="${csrf}">
    <input name="name"><input type="password" name="password"><button>Log in</button></form>`;
  if (request.method !== 'POST') return html(response, form, { 'set-cookie': `${visitCookie}; Path=/` });
  const fields = await fieldsOf(request);
  const isRight =
    request.headers.cookie?.includes(visitCookie) === true &&
    fields.get('csrf') === csrf &&
    fields.get('name') === 'reader' &&
    fields.get('password') === password;
  if (!isRight) return html(response, `<p class="error">No.</p>${form}`);
  response.writeHead(302, { location: '/', 'set-cookie': `${memberCookie}; Path=/; HttpOnly` }).end();
}

/** What a script needs to show sayings. */
const show = `const show = ({ text, author, tags }) => {
  const block = document.createElement('div');
  block.className = 'saying';
  block.innerHTML = '<p class="words"></p><small class="by"></small><div class="tags"></div>';
  block.querySelector('.words').textContent = '“' + text + '”';
  block.querySelector('.by').textContent = author;
  for (const tag of tags)
    block.querySelector('.tags').append(Object.assign(document.createElement('a'), { className: 'tag', textContent: tag }), ' ');
  document.querySelector('main').append(block);
};`;

/** Has ten sayings, and gets more whenever its end is seen. */
const scrolling = `<!doctype html><style>.saying { height: 120px }</style><main></main><p id="loading" hidden>Loading…</p><script>
  ${show}
  let page = 0, isBusy = false, isLast = false;
  async function more() {
    if (isBusy || isLast) return;
    isBusy = true;
    loading.hidden = false;
    const found = await (await fetch('/api/sayings?page=' + (page + 1))).json();
    found.sayings.forEach((each) => show({ ...each, author: each.author.name }));
    [page, isLast, isBusy] = [page + 1, !found.has_next, false];
    loading.hidden = true;
  }
  addEventListener('scroll', () => innerHeight + scrollY > document.body.scrollHeight - 100 && more());
  more();
</script>`;

/** Shows its sayings late. */
const late = `<!doctype html><main></main><p class="wait">Loading…</p><script>
  const data = ${JSON.stringify(sayings.slice(0, 10)).replaceAll('<', String.raw`\u003c`)};
  ${show}
  setTimeout(() => { data.forEach(show); document.querySelector('.wait').remove(); }, 1_500);
</script>`;

/** What a page remembers of itself, as text that only its server understands. */
function stateOf(author = ''): string {
  return Buffer.from(`state of ${author}`).toString('base64');
}

/** A page on which an author is chosen, then one of the author's tags, then what is found is shown. */
function searchPage(author?: string, tag?: string): string {
  const own = sayings.filter((each) => each.author === author);
  const option = (value: string, chosen?: string): string =>
    `<option${value === chosen ? ' selected' : ''}>${escaped(value)}</option>`;
  const authors = [...new Set(sayings.map((each) => each.author))].map((each) => option(each, author));
  const tags = [...new Set(own.flatMap((each) => each.tags))].map((each) => option(each, tag));
  const found = own.filter((each) => tag !== undefined && each.tags.includes(tag));
  return `<form id="find" method="post" action="/filter">
  <input type="hidden" name="__VIEWSTATE" value="${stateOf(author)}">
  <label>Author <select name="author"><option value="">…</option>${authors.join('')}</select></label>
  <label>Tag <select name="tag"><option value="">…</option>${tags.join('')}</select></label>
  <input type="submit" name="go" value="Search"></form>
  <div class="results">${found.map(sayingBlock).join('')}</div>`;
}

async function filter(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const fields = await fieldsOf(request);
  const [author, tag] = [fields.get('author') ?? '', fields.get('tag') ?? ''];
  // A tag can be chosen only on the page that offers it.
  const isFirst = tag === '';
  if (fields.get('__VIEWSTATE') !== stateOf(isFirst ? '' : author)) return void response.writeHead(403).end('stale');
  if (!isFirst && fields.get('go') !== 'Search') return void response.writeHead(403).end('not sent by the button');
  html(response, searchPage(author, isFirst ? undefined : tag));
}

/** Two rows for each saying: its words, and below them its tags. */
function tablePage(): string {
  const rows = sayings.map(
    ({ text, author, tags }) =>
      `<tr style="border: 0"><td>“${escaped(text)}” Author: ${escaped(author)}</td></tr>
       <tr><td style="padding-bottom: 2em">Tags: ${tags.map((tag) => `<a href="/tag/${tag}">${tag}</a>`).join(' ')}</td></tr>`,
  );
  return `<h1>Sayings</h1><table><tr><th>All of them</th></tr>${rows.join('\n')}<tr><td>That was all.</td></tr></table>`;
}
