import { createHash } from 'node:crypto';
import { control } from './control.ts';
import { unit } from '../../../src/demo/facts/world.ts';
import { escape, html } from '../../../src/demo/html.ts';
import { redesigned } from './markup.ts';
import type { Answer, Site, Visit } from './site.ts';
import { sites } from './sites/all.ts';
import { faultAt, type WebState } from './web-state.ts';

/** A request as it came in, with its body read. */
export interface WebRequest {
  readonly method: string;
  /** Scheme and authority that the client used. */
  readonly origin: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A response to be sent; the body of a HEAD request's is left out when sending. */
export interface WebResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Bytes of a page that does not say `?pad=<kB>`, and the most it can say. */
const usualKb = 5;
const mostKb = 1_024;

/** Returns the answer of the web at an instant of its clock. */
export function respond(state: WebState, request: WebRequest, now: number): WebResponse {
  const { pathname, searchParams } = new URL(request.target, request.origin);
  if (pathname.startsWith('/_demo/')) {
    const { status, value } = control(
      state,
      request.method,
      pathname.slice('/_demo/'.length),
      searchParams,
      request.body,
      now,
    );
    return {
      status,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: JSON.stringify(value),
    };
  }
  const fault = faultAt(state, pathname, now);
  if (fault?.kind.type === 'status') {
    const { status, retryAfterS } = fault.kind;
    return plain(
      status,
      'out of order for a while',
      retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) },
    );
  }
  if (!['GET', 'HEAD', 'POST'].includes(request.method))
    return plain(405, 'GET, HEAD or POST', { allow: 'GET, HEAD, POST' });
  if (pathname === '/robots.txt') return plain(200, state.robots ?? robots(request.origin));

  const [, prefix, ...path] = pathname.split('/').map(decoded);
  const site = sites.find((each) => each.prefix === prefix);
  if (site === undefined) return pathname === '/' ? entrance(state, request, now) : missing(pathname);
  const at = now + state.offsetMs;
  if (path.length === 1 && path[0] === 'sitemap.xml') return sitemap(state, site, request.origin, at);
  const answer = site.answer(visitOf(state, request, path, searchParams, at));
  return answer === undefined ? missing(pathname) : sent(state, request, answer, at);
}

function visitOf(
  state: WebState,
  request: WebRequest,
  path: readonly string[],
  query: URLSearchParams,
  at: number,
): Visit {
  const token = unit(state.world, 'session', state.sessions).toString(36).slice(2);
  const cookies = String(request.headers['cookie'] ?? '').split(/;\s*/);
  return {
    world: state.world,
    at,
    origin: request.origin,
    path,
    query,
    ...(request.method === 'POST' ? { form: new URLSearchParams(request.body) } : {}),
    session: { token, open: cookies.includes(`session=${token}`) },
  };
}

function sent(state: WebState, request: WebRequest, answer: Answer, at: number): WebResponse {
  switch (answer.kind) {
    case 'page':
      return validated(request, 'text/html; charset=utf-8', documentOf(state, request, answer), answer.modifiedAt, at);
    case 'fragment':
      return validated(
        request,
        'text/html; charset=utf-8',
        laidOut(state, request, answer.main.markup),
        answer.modifiedAt,
        at,
      );
    case 'json': {
      const json = validated(request, 'application/json', JSON.stringify(answer.value), answer.modifiedAt, at);
      if (answer.next === undefined) return json;
      return { ...json, headers: { ...json.headers, link: `<${answer.next}>; rel="next"` } };
    }
    case 'text':
      return validated(request, answer.type, answer.body, answer.modifiedAt, at);
    case 'redirect':
      return plain(303, 'see other', {
        location: answer.location,
        ...(answer.cookie === undefined ? {} : { 'set-cookie': answer.cookie }),
      });
    case 'unauthorized':
      return plain(401, 'members only', { 'www-authenticate': 'FormBased', link: `<${answer.logIn}>; rel="login"` });
    default:
      return answer satisfies never;
  }
}

/** With an ETag and a Last-Modified, or 304 where the client has this very answer; an ETag it sends decides alone. */
function validated(request: WebRequest, type: string, body: string, modifiedAt: number, at: number): WebResponse {
  const modified = new Date(Math.min(modifiedAt, at)).toUTCString();
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = { etag, 'last-modified': modified, 'cache-control': 'no-cache' };
  const tags = request.headers['if-none-match'];
  const since = request.headers['if-modified-since'];
  const same =
    tags === undefined
      ? since !== undefined && Date.parse(modified) <= Date.parse(String(since))
      : String(tags).split(/,\s*/).includes(etag);
  if (same && request.method !== 'POST') return { status: 304, headers, body: '' };
  return { status: 200, headers: { ...headers, 'content-type': type }, body };
}

function documentOf(
  state: WebState,
  request: WebRequest,
  { title, head, main }: Extract<Answer, { kind: 'page' }>,
): string {
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
        ${head}
      </head>
      <body>
        <header><nav>${sites.map((site) => html`<a href="/${site.prefix}/">${site.prefix}</a> `)}</nav></header>
        <main>${main}</main>
        <aside class="related"></aside>
      </body>
    </html>`;
  const end = '</aside>\n</body>\n</html>\n';
  const page = laidOut(state, request, markup);
  return page + filling(state.filler, sizeOf(request) - Buffer.byteLength(page) - end.length) + end;
}

/** Bytes that a request wants its page to have at least. */
function sizeOf({ target, origin }: WebRequest): number {
  const text = new URL(target, origin).searchParams.get('pad') ?? '';
  return 1_024 * (/^\d{1,4}$/.test(text) ? Math.min(mostKb, Number.parseInt(text, 10)) : usualKb);
}

function filling(text: string, bytes: number): string {
  const wanted = bytes - '<p></p>'.length;
  return wanted <= 0 ? '' : `<p>${text.repeat(Math.ceil(wanted / text.length)).slice(0, wanted)}</p>`;
}

function laidOut({ rebuilt }: WebState, { target }: WebRequest, markup: string): string {
  return rebuilt.some((prefix) => target.startsWith(prefix)) ? redesigned(markup) : markup;
}

function entrance(state: WebState, request: WebRequest, now: number): WebResponse {
  const main = html`<h1>The demo web</h1>
    <ul>
      ${sites.map(({ prefix }) => html`<li><a href="/${prefix}/">${prefix}</a></li>`)}
    </ul>`;
  return sent(
    state,
    request,
    { kind: 'page', title: 'The demo web', main, modifiedAt: state.world.openedAt },
    now + state.offsetMs,
  );
}

/** One file for all sites, since robots look for it at the root only. */
function robots(origin: string): string {
  const rules = sites.flatMap(({ prefix, disallow }) => disallow.map((path) => `Disallow: /${prefix}/${path}`));
  const maps = sites.map(({ prefix }) => `Sitemap: ${origin}/${prefix}/sitemap.xml`);
  return ['User-agent: *', ...rules, '', ...maps, ''].join('\n');
}

function sitemap({ world }: WebState, site: Site, origin: string, at: number): WebResponse {
  const locations = Array.from(
    site.paths(world, at),
    (path) => `<url><loc>${escape(`${origin}/${site.prefix}/${path}`)}</loc></url>`,
  );
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${locations.join('\n')}\n</urlset>\n`;
  return { status: 200, headers: { 'content-type': 'application/xml' }, body };
}

function missing(path: string): WebResponse {
  return plain(404, `nothing at ${path}`);
}

function plain(status: number, text: string, headers: Readonly<Record<string, string>> = {}): WebResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: text };
}

/** A path's part as text; one with a broken escape stays as it is, and no page has it. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
