import type { Browser, BrowserContext, BrowserContextOptions, Route, Page as Tab } from 'playwright-core';
import type { Page } from '../page.ts';
import type { Ending } from './ending.ts';
import type { RenderRequest } from './render.ts';

/** What the browser is given to show. */
export interface Document {
  readonly page: Page;
  readonly setCookies: readonly string[];
}

/** The only way out for one page: a proxy, and the page's credential there. */
export interface Way {
  readonly server: string;
  readonly username: string;
  readonly password: string;
}

/** What becomes of the requests that a page makes by itself. */
interface Requests {
  mayAsk(url: URL): boolean;
  /** Told of each that is let through and asks for data. */
  askedData(): void;
}

/** What a page can need for its content; no pictures, fonts, media, beacons, reports or prefetching. */
const usefulTypes: ReadonlySet<string> = new Set([
  'document',
  'eventsource',
  'fetch',
  'preflight',
  'script',
  'stylesheet',
  'xhr',
]);

/** Those that a site answers by work, where scripts and style sheets are files that it hands out. */
const dataTypes: ReadonlySet<string> = new Set(['document', 'eventsource', 'fetch', 'xhr']);

/** Headers that are about the bytes as they were sent, or that make the browser do something else than show them. */
const unshown: ReadonlySet<string> = new Set([
  ...['connection', 'content-encoding', 'content-length', 'keep-alive', 'transfer-encoding'],
  ...['alt-svc', 'content-disposition', 'nel', 'report-to', 'reporting-endpoints'],
]);

/** A context of one page alone, which leaves by `way` only and keeps nothing. */
export async function openContext(
  browser: Browser,
  { request, userAgent, way }: { request: RenderRequest; userAgent: string; way: Way },
): Promise<BrowserContext> {
  const headers = new Map(Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const language = headers.get('accept-language');
  const login = basicLogin(headers.get('authorization') ?? '');
  const options: BrowserContextOptions = {
    proxy: way,
    acceptDownloads: false,
    permissions: [],
    serviceWorkers: 'block',
    userAgent: headers.get('user-agent') ?? userAgent,
    ...(language !== undefined && { extraHTTPHeaders: { 'accept-language': language } }),
    ...(login && { httpCredentials: { ...login, origin: new URL(request.url).origin } }),
  };
  const context = await browser.newContext(options);
  await context.addCookies(cookies(request.url, headers.get('cookie') ?? ''));
  return context;
}

/** Opens the one tab of a context: it is shown `document`, and whatever else it asks for goes through `mayAsk`. */
export async function openTab(
  context: BrowserContext,
  document: Document,
  { ending, ...requests }: { readonly ending: Ending } & Requests,
): Promise<Tab> {
  const tab = await context.newPage();
  tab.once('crash', () => ending.fail({ code: 'render_crashed', cause: 'the process of the page ended' }));
  context.on('page', (popup) => void popup.close().catch(() => undefined));
  await context.route('**/*', (route) => quietly(route.abort()));
  let shown: 'nothing' | 'document' = 'nothing';
  await tab.route('**/*', (route) => {
    if (!isOwnNavigation(route, tab)) return quietly(allow(route, requests));
    if (shown === 'document') return quietly(leave(route, ending));
    shown = 'document';
    return quietly(show(route, document));
  });
  return tab;
}

/** A request cannot be answered any more when its page is closing, and then need not be. */
async function quietly(answered: Promise<void>): Promise<void> {
  await answered.catch(() => undefined);
}

function isOwnNavigation(route: Route, tab: Tab): boolean {
  const request = route.request();
  return request.isNavigationRequest() && request.frame() === tab.mainFrame();
}

function show(route: Route, { page, setCookies }: Document): Promise<void> {
  const headers = Object.fromEntries(Object.entries(page.headers).filter(([name]) => !unshown.has(name)));
  return route.fulfill({
    status: page.status,
    headers: { ...headers, ...(setCookies.length > 0 && { 'set-cookie': setCookies.join('\n') }) },
    body: Buffer.from(page.body),
  });
}

/** Where a page sends its reader is another exchange, with a turn of its own; a redirect cannot say that of a form that is sent. */
function leave(route: Route, ending: Ending): Promise<void> {
  const request = route.request();
  const [method, url] = [request.method(), request.url()];
  if (method === 'GET' && /^https?:/.test(url)) ending.tell({ kind: 'moved', url });
  else ending.fail({ code: 'bad_redirect', location: `${method} ${url}`.slice(0, 2_000) });
  // By any other word for it the browser would show a page of its own in place of this one.
  return route.abort('aborted');
}

function allow(route: Route, { mayAsk, askedData }: Requests): Promise<void> {
  const request = route.request();
  const url = URL.parse(request.url());
  const type = request.resourceType();
  if (url === null || !usefulTypes.has(type) || !mayAsk(url)) return route.abort('blockedbyclient');
  if (dataTypes.has(type)) askedData();
  return route.continue();
}

function basicLogin(authorization: string): { username: string; password: string } | undefined {
  const encoded = /^basic (\S+)$/i.exec(authorization)?.[1];
  const login = encoded === undefined ? undefined : /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString());
  return login ? { username: login[1] ?? '', password: login[2] ?? '' } : undefined;
}

/** As a site would have set them for itself; a header does not tell more. */
function cookies(pageUrl: string, header: string): { name: string; value: string; url: string }[] {
  const url = new URL('/', pageUrl).href;
  return header.split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return name === '' ? [] : [{ name, value: value.join('='), url }];
  });
}
