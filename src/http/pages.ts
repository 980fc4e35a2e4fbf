import { gzipSync } from 'node:zlib';
import type { Clock } from '../clock.ts';
import { refusalOf } from '../control/dispatch.ts';
import { isMethod, type Method, type MethodInput, type Result } from '../control/methods.ts';
import { findAsset } from '../dashboard/parts/assets.ts';
import { frameDocument, frameHeaders } from '../dashboard/frame.ts';
import { layout, refusalDocument, refusalPage } from '../dashboard/layout.ts';
import { sectionsFor } from '../dashboard/navigation.ts';
import { orRefusal } from '../dashboard/parts/refused.ts';
import type { Html, Outcome, ViewContext, Viewer } from '../dashboard/parts/view.ts';
import { findView, type FoundView } from '../dashboard/views.ts';
import { apiPage, apiPath } from './api-page.ts';
import { type Calls, hangUp } from './calls.ts';
import { SlowAnswers } from './slow-answers.ts';
import { type Caller, type Exchange, redirect, send } from './exchange.ts';
import { formParams, readForm } from './form.ts';
import { checkSameOrigin, checkVerb } from './guard.ts';
import { Outcomes } from './outcomes.ts';
import { pictureDigest, sendPicture } from './picture.ts';
import { type Problem, Refusal } from './problem.ts';
import { recordsFileOf, sendRecordsFile } from './records-file.ts';
import { routeFor } from './routes.ts';

/** What serving the pages of the dashboard needs. */
export interface PagesDeps {
  readonly clock: Clock;
  readonly calls: Calls;
  /** The id of the newest event. */
  lastEvent(): Promise<number>;
  /** Called where a handler throws an unexpected error, which is a bug. */
  failed(error: unknown, method: string): void;
}

/** Serves the pages of the dashboard. */
export interface Pages {
  /** Answers a request for a file that browsers load, which needs no log-in. Returns false for any other request. */
  serveAsset(exchange: Exchange): boolean;
  /** Answers a request for a page, or one that a form has sent. Rejects with what is wrong. */
  serve(exchange: Exchange, caller: Caller): Promise<void>;
  /** Answers a request that is refused. */
  refuse(exchange: Exchange, problem: Problem): void;
}

const htmlType = 'text/html; charset=utf-8';

/** What the pages may load and do: files of their own, and forms that are sent to their own origin. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'",
  // Without a referrer browsers would send forms with `Origin: null`.
  'referrer-policy': 'same-origin',
};

/** Creates the serving of the pages. */
export function createPages({ clock, calls, failed, lastEvent }: PagesDeps): Pages {
  const outcomes = new Outcomes(() => clock.monotonic());
  const slowAnswers = new SlowAnswers(clock);

  return { serveAsset, serve, refuse };

  function serveAsset(exchange: Exchange): boolean {
    const { url, verb, response, request } = exchange;
    const name = /^\/assets\/([a-z.]{1,40})$/.exec(url.pathname)?.[1];
    const asset = name === undefined || verb !== 'GET' ? undefined : findAsset(name);
    if (asset === undefined) return false;
    const isVersion = url.search === `?${asset.digest}`;
    response.setHeader('cache-control', isVersion ? 'public, max-age=31536000, immutable' : 'no-cache');
    // A shared worker has the policy of its own file, not that of the pages that start it.
    response.setHeader('content-security-policy', "default-src 'none'; connect-src 'self'; frame-ancestors 'none'");
    response.setHeader('vary', 'accept-encoding').setHeader('etag', `"${asset.digest}"`);
    if (request.headers['if-none-match'] === `"${asset.digest}"`) {
      send(exchange, 304, '');
    } else if (takesGzip(exchange)) {
      response.setHeader('content-encoding', 'gzip');
      send(exchange, 200, asset.gzipped, asset.type);
    } else {
      send(exchange, 200, asset.body, asset.type);
    }
    return true;
  }

  async function serve(exchange: Exchange, caller: Caller): Promise<void> {
    const path = exchange.url.pathname.slice(1);
    if (path.startsWith('act/')) return act(exchange, caller, path.slice('act/'.length));
    const picture = pictureDigest(path);
    if (picture !== undefined) return sendPicture(exchange, caller, calls, picture);
    const records = recordsFileOf(path);
    if (records !== undefined) return sendRecordsFile(exchange, caller, calls, records);
    const found = path === apiPath ? apiView(exchange) : findView(path);
    if (found === undefined) throw new Refusal('unknown_path', `no such page: ${path.slice(0, 200)}`);
    checkVerb(exchange, 'GET');
    const context = contextOf(exchange, caller, path, { places: found.places, lastEvent: await lastEvent() });
    // A viewer that may not open the overview, as one limited to labels, starts in the first section that it may open.
    const [first] = sectionsFor(context.viewer);
    if (path === '' && first !== undefined && first.path !== '') return redirect(exchange, `/${first.path}`);
    await calls.within(async () => {
      const page = await found.view.show(context);
      if ('html' in page) return sendZipped(frameHeaders, exchange, 200, frameDocument(page, baseOf(exchange)));
      const surroundings = {
        base: baseOf(exchange),
        outcome: page.outcome ?? context.outcome,
        lastEvent: context.lastEvent,
      };
      const text = await textOf(layout(page, context, surroundings));
      // What an action came to may be a secret, whose length must not tell how much of it stands elsewhere on the page.
      if (context.outcome === undefined) sendPage(exchange, 200, text);
      else sendWith(pageHeaders, exchange, 200, text);
    });
  }

  function apiView({ origin, base }: Exchange): FoundView {
    return { view: { path: apiPath, show: async () => apiPage(origin + base) }, places: new Map() };
  }

  function contextOf(
    exchange: Exchange,
    caller: Caller,
    path: string,
    { places, lastEvent: newest }: { readonly places: ReadonlyMap<string, string>; readonly lastEvent: number },
  ): ViewContext {
    const signal = hangUp(exchange);
    const query = new URLSearchParams(exchange.url.searchParams);
    query.delete('outcome');
    const name = exchange.url.searchParams.get('outcome') ?? '';
    const outcome = outcomes.find(caller.id, name);
    const names = new Map<string, Promise<string>>();
    return {
      ...(outcome && { outcome: { ...outcome, name } }),
      viewer: viewerOf(caller),
      now: clock.now(),
      at: query.size === 0 ? path : `${path}?${query.toString()}`,
      query,
      lastEvent: newest,
      call: (method, params) => calls.call(caller, method, params, signal),
      count: (method, params) => count(caller, method, params),
      place: (name) => places.get(name) ?? '',
      projectName(id) {
        const name = names.get(id) ?? nameOf(id);
        names.set(id, name);
        return name;
      },
    };

    async function nameOf(id: string): Promise<string> {
      const found = await orRefusal(calls.call(caller, 'project.get', { id }, signal));
      return found.ok ? found.result.name : id;
    }
  }

  function viewerOf(caller: Caller): Viewer {
    return { label: caller.label, can: (method) => calls.allows(caller, routeFor(method)) };
  }

  async function count<M extends Method>(
    caller: Caller,
    method: M,
    params: MethodInput<M>,
  ): Promise<Result<M> | undefined> {
    // Throws where the caller may not know; what each may know of all projects is kept apart.
    calls.find(caller, routeFor(method), params);
    const key = JSON.stringify([method, params, caller.labels]);
    return slowAnswers.find(key, () => calls.call(caller, method, params, calls.closing));
  }

  /** Does what a form asks for and leads on to the page that it names, which shows what came of it. */
  async function act(exchange: Exchange, caller: Caller, method: string): Promise<void> {
    checkVerb(exchange, 'POST');
    checkSameOrigin(exchange);
    if (!isMethod(method)) throw new Refusal('unknown_path', `no such action: ${method.slice(0, 100)}`);
    const route = routeFor(method);
    calls.check(caller, route);
    const form = await readForm(exchange.request);
    // A form with several buttons has what belongs to one of them in the address of that one.
    for (const [name, text] of exchange.url.searchParams) form.append(name, text);
    let outcome: Outcome;
    try {
      const call = calls.find(caller, route, formParams(route, form));
      const result = await calls.within(async () => call.run({ signal: calls.closing }));
      outcome = { text: form.get('.done') ?? 'Done.', isError: false, method, result, given: form };
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const refusal = refusalOf(error, method);
      if (refusal.code === 'internal') failed(error, method);
      outcome = { text: refusal.message, isError: true, method, given: form };
    }
    const next = outcome.isError ? (form.get('.from') ?? '') : withMembers(form.get('.then') ?? '', outcome.result);
    // A path within the dashboard: whatever the form says, it leads nowhere else.
    const url = new URL('http://own/');
    url.pathname = (next.split('?')[0] ?? '').replace(/^\/+/, '');
    url.search = next.split('?')[1] ?? '';
    url.searchParams.set('outcome', outcomes.keep(caller.id, outcome));
    redirect(exchange, url.pathname.replace(/^\/+/, '/') + url.search);
  }

  function refuse(exchange: Exchange, { status, detail, title }: Problem): void {
    textOf(refusal(exchange, title, detail)).then(
      (text) => sendPage(exchange, status, text),
      () => exchange.response.destroy(),
    );
  }

  /** The page of a refusal. Who is logged in gets it with the navigation, to go on from there. */
  function refusal(exchange: Exchange, title: string, detail: string): Html {
    const { caller, url } = exchange;
    const base = baseOf(exchange);
    if (caller === undefined) return refusalDocument(base, title, detail);
    const at = url.pathname.slice(1);
    const context = { viewer: viewerOf(caller), at, query: url.searchParams };
    return layout(refusalPage(title, detail), context, { base, lastEvent: 0 });
  }
}

/** Where the dashboard is, with a slash at its end. */
export function baseOf({ base }: Exchange): string {
  return `${base}/`;
}

/** A path in which `{id}` is replaced by the member `id` of a result, which the form cannot know. */
function withMembers(path: string, result: unknown): string {
  if (typeof result !== 'object' || result === null) return path;
  const members = new Map<string, unknown>(Object.entries(result));
  return path.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const member = members.get(name);
    return typeof member === 'string' ? encodeURIComponent(member) : place;
  });
}

/** The text of a page. */
export async function textOf(page: Html): Promise<string> {
  return String(await page);
}

/** From this length on a page is compressed, in characters. */
const longText = 1_024;

/** Sends a page with what it may load and do, compressed where the client takes that. */
export function sendPage(exchange: Exchange, status: number, text: string): void {
  sendZipped(pageHeaders, exchange, status, text);
}

type Headers = Readonly<Record<string, string>>;

function sendZipped(headers: Headers, exchange: Exchange, status: number, text: string): void {
  exchange.response.setHeader('vary', 'accept-encoding');
  if (text.length < longText || !takesGzip(exchange)) return sendWith(headers, exchange, status, text);
  const zipped = gzipSync(text, { level: 1 });
  sendWith({ ...headers, 'content-encoding': 'gzip' }, exchange, status, zipped);
}

function sendWith(headers: Headers, exchange: Exchange, status: number, page: string | Buffer): void {
  for (const [name, value] of Object.entries(headers)) exchange.response.setHeader(name, value);
  send(exchange, status, page, htmlType);
}

function takesGzip({ request }: Exchange): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(request.headers['accept-encoding']));
}
