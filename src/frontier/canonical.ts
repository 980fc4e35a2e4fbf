import { hash } from 'node:crypto';

/** The query parameters that do not make another page. Made once per crawl by `canonicalOptions`. */
export interface CanonicalOptions {
  /** Whether a parameter is dropped, by its name as a canonical URL spells it. */
  readonly isDropped: (name: string) => boolean;
}

/** Names of query parameters, in any case. A `*` at the end stands for any ending. */
export interface ParamNames {
  /** Parameters that are kept even if another list names them. */
  readonly keepParams?: readonly string[];
  readonly dropParams?: readonly string[];
}

/** Parameters that track visitors. */
const tracking = [
  ...['utm_*', 'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'yclid', 'ysclid', 'twclid'],
  ...['ttclid', 'li_fat_id', 'igshid', 'mc_cid', 'mc_eid', '_ga', '_gl', '_hsenc', '_hsmi', '_openstat', 'mkt_tok'],
  ...['vero_id', 'wickedid', 'oly_anon_id', 'oly_enc_id', 's_cid', 'epik', 'srsltid', 'pk_*', 'mtm_*', 'piwik_*'],
];

/** Parameters that hold the id of a session. */
const sessions = [
  ...['phpsessid', 'jsessionid', 'sessionid', 'session_id', 'sessid', 'aspsessionid*', 'asp.net_sessionid'],
  ...['cfid', 'cftoken', 'oscsid', 'zenid', 'xtcsid'],
];

/** Compiles the names of parameters to keep and to drop; tracking and session parameters are dropped by default. */
export function canonicalOptions({ keepParams = [], dropParams = [] }: ParamNames = {}): CanonicalOptions {
  const isKept = oneOf(keepParams);
  const isNamed = oneOf([...tracking, ...sessions, ...dropParams]);
  return {
    isDropped(name) {
      const lower = name.toLowerCase();
      return isNamed(lower) && !isKept(lower);
    },
  };
}

function oneOf(names: readonly string[]): (lower: string) => boolean {
  const lower = names.map((name) => name.toLowerCase());
  const whole = new Set(lower.filter((name) => !name.endsWith('*')));
  const beginnings = lower.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => whole.has(name) || beginnings.some((beginning) => name.startsWith(beginning));
}

const usual = canonicalOptions();

/**
 * The canonical spelling of an address, by which a crawl requests pages and tells them apart: spelt as browsers do,
 * without fragment, with sorted query parameters, with percent escapes in capitals and only where they are needed, and
 * without tracking parameters. `undefined` for anything but an http or https URL without user name and password.
 */
export function canonicalUrl(text: string, options: CanonicalOptions = usual): string | undefined {
  return canonicalPage(text, options)?.url;
}

/** A canonical URL and the parts by which links are judged. */
export interface CanonicalPage {
  readonly url: string;
  readonly hostname: string;
  readonly path: string;
}

/** Does what `canonicalUrl` does, and gives parts of the URL, so that it need not be parsed again. */
export function canonicalPage(text: string, { isDropped }: CanonicalOptions): CanonicalPage | undefined {
  const url = URL.parse(text);
  if (url === null || !isAskable(url)) return undefined;
  const path = withoutSession(normalEscapes(url.pathname), isDropped);
  const query = url.search === '' ? '' : normalQuery(url.search.slice(1), isDropped);
  return { url: `${url.protocol}//${url.host}${path}${query === '' ? '' : `?${query}`}`, hostname: url.hostname, path };
}

/** Whether a URL can be requested. Credentials belong into the source's definition, not into URLs. */
export function isAskable({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/**
 * The path without the session id that Java servers write into it. The rest of a segment must not lead to another path.
 */
function withoutSession(path: string, isDropped: CanonicalOptions['isDropped']): string {
  if (!path.includes(';') || !isDropped('jsessionid')) return path;
  return path.replaceAll(/(?<!\/\.{1,2});jsessionid=[^/;]*/gi, '');
}

function normalQuery(query: string, isDropped: CanonicalOptions['isDropped']): string {
  const given = normalEscapes(query).split('&');
  const kept = given.filter((argument) => argument !== '' && !isDropped(nameOf(argument)));
  return kept.sort(byNameThenValue).join('&');
}

function nameOf(argument: string): string {
  const end = argument.indexOf('=');
  return end < 0 ? argument : argument.slice(0, end);
}

/** Compares by code units; `a` comes before `a=`. */
function byNameThenValue(one: string, other: string): number {
  const [name, otherName] = [nameOf(one), nameOf(other)];
  const [a, b] = name === otherName ? [one, other] : [name, otherName];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Characters that stand for themselves everywhere in a URL. */
const unreserved = /^[\w.~-]$/;

function normalEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%[0-9a-f]{2}/gi, (escape, offset: number) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    if (!unreserved.test(character)) return escape.toUpperCase();
    // After a stray "%" a digit would become part of an escape that nobody wrote.
    const makesEscape = /[0-9a-f]/i.test(character) && /%[0-9a-f]?$/i.test(text.slice(Math.max(0, offset - 2), offset));
    return makesEscape ? escape.toUpperCase() : character;
  });
}

/** The part of a request that decides which page comes back; headers do not count. */
export interface AskedRequest {
  /** Canonical. */
  readonly url: string;
  /** Default: `GET`. */
  readonly method?: string;
  readonly body?: string;
}

/**
 * The key of a request within a crawl: the canonical URL for a GET without body, else with method and digest of the
 * body.
 */
export function requestKey({ url, method = 'GET', body = '' }: AskedRequest): string {
  const verb = method.toUpperCase();
  if (verb === 'GET' && body === '') return url;
  return `${verb} ${url} ${hash('sha256', body, 'base64url')}`;
}
