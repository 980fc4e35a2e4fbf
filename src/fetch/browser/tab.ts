import type { Browser, BrowserContext, BrowserContextOptions, Route, Page as Tab } from 'playwright-core';
import { defined } from '../../defined.ts';
import type { Page } from '../page.ts';
import { withoutUser } from '../site.ts';
import type { EarlyEnd, RenderRequest } from './render.ts';

/** The document that the browser renders. */
export interface Document {
  readonly page: Page;
  readonly setCookies: readonly string[];
}

/** The proxy of one page and the page's credential there. */
export interface Way {
  readonly server: string;
  readonly username: string;
  readonly password: string;
}

/** The rules for the requests of a page. */
interface Requests {
  mayAsk(url: URL): boolean;
  /** Called for each request for data that is let through. */
  askedData(): void;
}

/**
 * The resource types that a page may need for its content: no pictures, fonts, media, beacons, reports or prefetching.
 */
const usefulTypes: ReadonlySet<string> = new Set([
  'document',
  'eventsource',
  'fetch',
  'preflight',
  'script',
  'stylesheet',
  'xhr',
]);

/** The resource types that a site computes. Scripts and style sheets are files. */
const dataTypes: ReadonlySet<string> = new Set(['document', 'eventsource', 'fetch', 'xhr']);

/** Headers that describe the bytes as sent, or that make the browser do something else than show them. */
const unshown: ReadonlySet<string> = new Set([
  ...['connection', 'content-encoding', 'content-length', 'keep-alive', 'transfer-encoding'],
  ...['alt-svc', 'content-disposition', 'nel', 'report-to', 'reporting-endpoints'],
]);

/** Opens a browser context for one page. It leaves by `way` only and keeps nothing. Rejects with playwright's error. */
export async function openBrowserContext(
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
    ...defined({
      extraHTTPHeaders: language === undefined ? undefined : { 'accept-language': language },
      httpCredentials: login && { ...login, origin: new URL(request.url).origin },
    }),
  };
  const context = await browser.newContext(options);
  await context.addCookies(cookies(request.url, headers.get('cookie') ?? ''));
  return context;
}

/**
 * Opens the tab of a context. It shows `document`; every other request goes through `mayAsk`. Rejects with playwright's
 * error.
 */
export async function openTab(
  context: BrowserContext,
  document: Document,
  { ending, ...requests }: { readonly ending: EarlyEnd } & Requests,
): Promise<Tab> {
  const known = new Set((await context.cookies()).map(identityOf));
  const tab = await context.newPage();
  tab.once('crash', () => ending.fail({ code: 'render_crashed', cause: 'the process of the page ended' }));
  context.on('page', (popup) => void popup.close().catch(() => undefined));
  await context.route('**/*', (route) => quietly(route.abort()));
  let shown: 'nothing' | 'document' = 'nothing';
  await tab.route('**/*', (route) => {
    if (!isOwnNavigation(route, tab)) return quietly(allow(route, requests));
    if (shown === 'document') return quietly(endByNavigation(route, { context, document, known, ending }));
    shown = 'document';
    return quietly(show(route, document));
  });
  return tab;
}

/** Ignores that a request cannot be answered any more because its page is closing. */
async function quietly(answered: Promise<void>): Promise<void> {
  await answered.catch(() => undefined);
}

function isOwnNavigation(route: Route, tab: Tab): boolean {
  const request = route.request();
  return request.isNavigationRequest() && request.frame() === tab.mainFrame();
}

function show(route: Route, { page, setCookies }: Document): Promise<void> {
  const headers = Object.fromEntries(Object.entries(page.headers).filter(([name]) => !unshown.has(name)));
  if (setCookies.length > 0) headers['set-cookie'] = setCookies.join('\n');
  return route.fulfill({ status: page.status, headers, body: Buffer.from(page.body) });
}

/** A tab whose page leads to another address. */
interface Left {
  readonly context: BrowserContext;
  readonly document: Document;
  /** The cookies that the context was opened with, as `identityOf` names them. */
  readonly known: ReadonlySet<string>;
  readonly ending: EarlyEnd;
}

/**
 * Ends the rendering with the address that the page leads to, which is an exchange with a turn of its own. A redirect
 * cannot express a form that is sent.
 */
async function endByNavigation(route: Route, { context, document, known, ending }: Left): Promise<void> {
  const request = route.request();
  const [method, url] = [request.method(), request.url()];
  if (method === 'GET' && /^https?:/.test(url)) {
    const cookies = await context.cookies([document.page.url, url]);
    const isSet = (each: BrowserCookie): boolean =>
      known.has(identityOf(each)) || document.setCookies.some((text) => pairOf(text) === `${each.name}=${each.value}`);
    const setCookies = cookies.filter((each) => !isSet(each)).map(setCookieText);
    ending.tell({ kind: 'moved', url, setCookies });
  } else {
    ending.fail({ code: 'bad_redirect', location: `${method} ${withoutUser(url)}`.slice(0, 2_000) });
  }
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

/** The cookies of a header, as if the site had set them for itself. */
function cookies(pageUrl: string, header: string): { name: string; value: string; url: string }[] {
  const url = new URL('/', pageUrl).href;
  return header.split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.trim().split('=');
    return name === '' ? [] : [{ name, value: value.join('='), url }];
  });
}

type BrowserCookie = Awaited<ReturnType<BrowserContext['cookies']>>[number];

function identityOf({ name, value, domain, path }: BrowserCookie): string {
  return JSON.stringify([name, value, domain, path]);
}

/** The name and the value that a `Set-Cookie` header sets. */
function pairOf(text: string): string {
  return text.split(';', 1)[0]?.trim() ?? '';
}

/** A cookie of the browser as a site sets it. */
function setCookieText({ name, value, domain, path, expires, httpOnly, secure }: BrowserCookie): string {
  return [
    `${name}=${value}`,
    `Path=${path}`,
    // The browser writes a dot before the domain of a cookie that is for all hosts below it.
    ...(domain.startsWith('.') ? [`Domain=${domain.slice(1)}`] : []),
    ...(expires > 0 ? [`Expires=${new Date(expires * 1_000).toUTCString()}`] : []),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}
