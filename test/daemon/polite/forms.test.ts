import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startDaemon } from '../../support/daemon.ts';
import { openSite } from '../../support/site.ts';
import { run } from '../../cli/terminal.ts';
import { soon } from '../tracking.ts';

const [firstToken, secondToken] = ['viewstate-0001-secret', 'viewstate-0002-secret'];

const books: Readonly<Record<string, readonly string[]>> = {
  Ann: ['a1', 'a2', 'a3', 'a4', 'a5'],
  'Bo & Co': ['b1'],
};

const option = (value: string, rest = '') => `<option value="${value.replace('&', '&amp;')}"${rest}>${value}</option>`;

/** The page of a site that finds books in two steps: an author, then how they are sorted, as ViewState pages do. */
function searchPage(token: string, author?: string, items = ''): string {
  const authors = [
    option('', ' selected'),
    ...Object.keys(books).map((name) => option(name, name === author ? ' selected' : '')),
  ];
  const sorts = author === undefined ? '' : `<select name="sort">${option('')}${option('title')}</select>`;
  return `<form id="letter" method="post" action="/letter"><input name="mail"></form>
<form id="filter" method="post" action="filter"><input type="hidden" name="__VIEWSTATE" value="${token}">
<input type="hidden" name="__PAGE" value="1"><select name="author">${authors.join('')}</select>${sorts}
<button name="go" value="Search">Search</button></form>${items}`;
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let body = '';
  for await (const bytes of request) body += String(bytes);
  return new URLSearchParams(body);
}

const source = (id: string, more: string) => `id: ${id}
allowPrivate: true
robots: ignore
retry: { times: 0 }
politeness: { autoThrottle: false, delay: 0ms, minDelay: 0ms }
${more}
records: { book: { key: id, each: li, fields: { id: "." } } }
`;

test('a page that is the answer to forms', async (t) => {
  const site = await openSite(t);
  const other = await openSite(t, { '/': '<li>stolen</li>' });
  const sent: string[] = [];
  const search = (response: ServerResponse, page: string, headers = {}) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(page);
  site.answer('/search', (_, response) =>
    search(response, searchPage(firstToken), { 'set-cookie': 'visit=visit-cookie-1; Path=/' }),
  );
  site.answer('/filter', (request, response) => void filter(request, response));
  site.answer(
    '/find',
    `<form action="/found"><input type=hidden name=token value="${firstToken}"><input name=q></form>`,
  );
  site.answer('/found', '<li>f1</li>');
  site.answer('/letter', searchPage(secondToken));
  site.answer('/away', `<form method=post action="${other.url('/')}"><input type=hidden name=token value=x></form>`);
  site.answer('/led', { status: 302, headers: { location: other.url('/') } });
  site.answer('/kept', '<form method=post action=/handed><input type=hidden name=token value=x></form>');
  site.answer('/handed', { status: 307, headers: { location: other.url('/') } });
  const steps = `form:
    - { page: "${site.url('/search')}", css: "#filter", button: false, fields: { author: "{author}" } }
    - { css: "#filter", fields: { sort: title, __VIEWSTATE: { css: "#filter [name=__VIEWSTATE]", attr: value } } }`;
  const at = (path: string, form: string) => `url: "${site.url(path)}"\nrequest: { form: ${form} }`;
  const daemon = await startDaemon(t, {
    settings: soon,
    sources: {
      steps: source('steps', `url: "${site.url('/search')}#author={author}"\nrequest:\n  ${steps}`),
      paged: source(
        'paged',
        `url: "${site.url('/search')}#{author}"\nfeed: { by: page, in: form, param: __PAGE }\nrequest: { form: { css: "#filter", fields: { author: "{author}" } } }`,
      ),
      found: source('found', at('/find', '{ fields: { q: lamps } }')),
      away: source('away', at('/away', '{}')),
      answered: source('answered', at('/kept', '{}')),
      led: source('led', at('/led', '{}')),
      empty: source('empty', at('/search', '{ css: "#letter" }')),
      lost: source('lost', at('/search', '{ css: "#search" }')),
      wrong: source('wrong', at('/search', '{ css: "#filter", fields: { writer: Ann } }')),
      stranger: source('stranger', at('/search', '{ css: "#filter", fields: { author: Cy } }')),
    },
  });

  async function filter(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const form = await formOf(request);
    sent.push(form.toString());
    const author = form.get('author') ?? '';
    const token = form.get('__VIEWSTATE');
    const isKnown =
      request.headers.cookie === 'visit=visit-cookie-1' && (token === firstToken || token === secondToken);
    if (!isKnown || books[author] === undefined) return response.writeHead(400).end('no such visit');
    if (token === firstToken && form.get('go') === null) return search(response, searchPage(secondToken, author));
    const page = Number(form.get('__PAGE'));
    const items = books[author].slice(2 * page - 2, 2 * page).map((id) => `<li>${id}</li>`);
    return search(response, searchPage(secondToken, author, items.join('')));
  }

  /** Tracks one target of a source, and waits for the end of its scrape. */
  async function scraped(id: string, params: Readonly<Record<string, string>> = {}) {
    const { client, event } = daemon;
    await client.call('project.add', { id, targets: [{ source: id, params }] });
    const end = await event(({ type, projects }) => /^scrape\.(completed|failed)$/.test(type) && projects?.[0] === id);
    const { scrape, steps } = await client.call('scrape.get', { scrape: end.scrape ?? 0 });
    const { records } = await client.call('project.records', { id, type: 'book' });
    return { scrape, steps, keys: records.map(({ key }) => key).sort() };
  }

  await t.test(
    'is reached by two forms, one on the answer of the other, with hidden values, cookies and parameters',
    async () => {
      sent.length = 0;
      const { scrape, steps, keys } = await scraped('steps', { author: 'Bo & Co' });
      assert.deepEqual([scrape.status, keys], ['complete', ['b1']]);
      assert.deepEqual(sent, [
        `__VIEWSTATE=${firstToken}&__PAGE=1&author=Bo+%26+Co`,
        `__VIEWSTATE=${secondToken}&__PAGE=1&author=Bo+%26+Co&sort=title&go=Search`,
      ]);
      assert.deepEqual(
        steps.map(({ url }) => url),
        [site.url('/search'), site.url('/filter'), site.url('/filter')],
      );
    },
  );

  await t.test('is one of a list, whose number is the value of a control', async () => {
    sent.length = 0;
    const { scrape, keys } = await scraped('paged', { author: 'Ann' });
    assert.deepEqual([scrape.status, keys], ['complete', ['a1', 'a2', 'a3', 'a4', 'a5']]);
    const pages = sent.map((body) => new URLSearchParams(body).get('__PAGE'));
    assert.deepEqual(pages.slice(0, 4), ['1', '2', '3', '4']);
  });

  await t.test('is tried with each exchange and the names of what it sends, without hidden values', async () => {
    const tried = await daemon.client.call('source.try', { id: 'steps', params: { author: 'Ann' } });
    assert.deepEqual(
      tried.drafts.map(({ key }) => key),
      ['a1', 'a2'],
    );
    assert.deepEqual(
      tried.steps.map(({ method, form }) => [method, form]),
      [
        ['GET', undefined],
        ['POST', { preset: ['__VIEWSTATE', '__PAGE'], given: ['author'] }],
        ['POST', { preset: ['__PAGE', 'author', 'go'], given: ['sort', '__VIEWSTATE'] }],
      ],
    );
    assert.doesNotMatch(JSON.stringify(tried), /viewstate-000/);
    const { out } = await run(['try', 'steps', '--param', 'author=Ann', '--socket', daemon.socket]);
    const lines = out.replaceAll(site.origin, '').split('\n');
    assert.deepEqual(lines.slice(1, 4), [
      '  GET /search  200',
      '  POST /filter  200, given author; as the page has it __VIEWSTATE, __PAGE',
      '  POST /filter  200, given sort, __VIEWSTATE; as the page has it __PAGE, author, go',
    ]);
  });

  await t.test(
    'has no hidden value in what is stored of it, though a form by GET puts it into the address',
    async () => {
      const { steps, keys } = await scraped('found');
      assert.deepEqual(keys, ['f1']);
      assert.equal(site.asked.at(-1)?.path, `/found?token=${firstToken}&q=lamps`);
      assert.equal(steps.at(-1)?.url, site.url('/found?token=…&q=lamps'));
      const { scrape } = await scraped('empty');
      assert.match(scrape.failure?.excerpt ?? '', /name="__VIEWSTATE" value="…"/);
      assert.doesNotMatch(JSON.stringify(daemon.events), /viewstate-000/);
    },
  );

  for (const [id, message] of [
    ['away', /the form leads to http:\/\/127\.0\.0\.1:\d+\/, expected an origin that the definition allows: http/],
    ['led', /was led to http:\/\/127\.0\.0\.1:\d+\/, expected an origin/],
    ['answered', /was led to http:\/\/127\.0\.0\.1:\d+\/, expected an origin/],
    [
      'lost',
      /expected a form that matches "#search", got form#letter \(mail\), form#filter \(__VIEWSTATE, __PAGE, author, go\)/,
    ],
    ['wrong', /form#filter: expected a control "writer", got __VIEWSTATE, __PAGE, author$/],
    ['stranger', /expected a value that "author" offers, one of , Ann, Bo & Co, got "Cy"/],
  ] as const)
    await t.test(`fails where the definition does not fit the page or the site leads elsewhere: ${id}`, async () => {
      const { scrape } = await scraped(id);
      assert.equal(scrape.failure?.code, 'form');
      assert.match(scrape.failure?.message ?? '', message);
      assert.deepEqual(other.asked, []);
    });
});
