import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { books, bookPage, shelfPage, shelves } from './books.ts';
import { ferriesPage } from './ferries.ts';
import { kettlePage } from './kettle.ts';
import { login, toMembers } from './members.ts';
import { bodyOf, queryOf, sendHtml } from './respond.ts';
import { sayingBlock, sayings, slicesOf } from './sayings.ts';
import { late, scrolling } from './scripts.ts';
import { filter, searchPage } from './search.ts';
import { tablePage } from './table.ts';

/** How the practice sites are opened. */
export interface PracticeOptions {
  /** The port of 127.0.0.1; 0 for any that is free. */
  readonly port: number;
  /** Called with the body of each message that is posted to `/inbox`. Default: it is dropped. */
  readonly received?: (body: string) => void;
}

/** The practice sites while they answer. */
export interface PracticeWeb {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Cuts every connection and frees the port. */
  close(): Promise<void>;
}

type Answer = string | ((request: IncomingMessage, response: ServerResponse) => unknown);

const sites = [
  ['/kettle', 'one article, whose price a button changes'],
  ['/pages/', 'a list over three pages'],
  ['/members/', 'the same behind a log-in'],
  ['/scroll/', 'the same, shown by a script as it is scrolled'],
  ['/late/', 'what a script shows late'],
  ['/api/sayings', 'the same as JSON'],
  ['/search', 'a form in two steps'],
  ['/table/', 'a table with two rows for each record'],
  ['/books/', 'a shop with a page for each book'],
  ['/ferries/', 'dates and prices in German'],
] as const;

/**
 * Opens small sites of the kinds that people learn on, on 127.0.0.1. They answer the same at all times, but for what a `POST` changes:
 * `/kettle/next` the price of the kettle, `/books/redesign` the markup of the list of books. Rejects if the port is taken.
 */
export async function openPracticeWeb({ port, received }: PracticeOptions): Promise<PracticeWeb> {
  const table = answers(received);
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*/, '');
    const { method = 'GET' } = request;
    const answer = table.get(method === 'POST' ? `POST ${path}` : path) ?? table.get(`any ${path}`);
    if (answer === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    else if (typeof answer === 'string') sendHtml(response, answer);
    else void Promise.resolve(answer(request, response)).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error(`expected a port, got ${address}`);
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The answers of all paths; what a request changes lasts as long as they do. */
function answers(received: PracticeOptions['received']): ReadonlyMap<string, Answer> {
  const table = new Map<string, Answer>([
    [
      '/',
      `<h1>Practice</h1><ul>${sites.map(([path, what]) => `<li><a href="${path}">${path}</a> ${what}`).join('')}</ul>`,
    ],
    ['any /login', login],
    ['/scroll/', scrolling],
    ['/late/', late],
    ['/search', searchPage()],
    ['POST /filter', filter],
    ['/table/', tablePage()],
    ['/ferries/', ferriesPage()],
    ['/robots.txt', (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\n')],
    [
      'POST /inbox',
      async (request, response) => {
        received?.(await bodyOf(request));
        response.writeHead(204).end();
      },
    ],
  ]);
  addSayings(table);
  addKettle(table);
  addBooks(table);
  return table;
}

function addSayings(table: Map<string, Answer>): void {
  const pages = slicesOf(sayings, 10);
  for (const [at, shown] of pages.entries()) {
    const next =
      at + 1 < pages.length ? `<nav><ul><li class="next"><a href="/pages/${at + 2}/">Next →</a></ul></nav>` : '';
    const main = `<main>${shown.map(sayingBlock).join('\n')}</main>`;
    const own = at === 0 ? '' : `${at + 1}/`;
    table.set(`/pages/${own}`, `${main}${next}`);
    const members = `<p><a href="/logout">Log out</a></p>${main}${next.replace('/pages/', '/members/')}`;
    table.set(`/members/${own}`, toMembers(members));
  }
  table.set('/api/sayings', (request, response) => {
    const page = Number(queryOf(request).get('page') ?? 1);
    const shown = pages[page - 1] ?? [];
    const view = {
      page,
      has_next: page < pages.length,
      sayings: shown.map(({ author, ...rest }) => ({ ...rest, author: { name: author } })),
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(view));
  });
}

function addKettle(table: Map<string, Answer>): void {
  let step = 0;
  table.set('/kettle', (_, response) => sendHtml(response, kettlePage(step)));
  table.set('POST /kettle/next', (_, response) => {
    step += 1;
    response.writeHead(303, { location: '/kettle' }).end();
  });
}

function addBooks(table: Map<string, Answer>): void {
  let isRedesigned = false;
  const list =
    (name: string, shown: readonly (typeof books)[number][], page: number, pages: number): Answer =>
    (_, response) =>
      sendHtml(response, shelfPage(name, shown, { page, pages, isRedesigned }));
  const all = slicesOf(books, 5);
  for (const [at, shown] of all.entries())
    table.set(at === 0 ? '/books/' : `/books/page-${at + 1}.html`, list('All books', shown, at + 1, all.length));
  for (const shelf of shelves)
    table.set(
      `/books/shelf/${shelf}/`,
      list(
        shelf,
        books.filter((book) => book.shelf === shelf),
        1,
        1,
      ),
    );
  for (const book of books) table.set(`/books/${book.slug}/`, bookPage(book));
  table.set('POST /books/redesign', (_, response) => {
    isRedesigned = !isRedesigned;
    response.writeHead(303, { location: '/books/' }).end();
  });
}
