/** Which query parameters make no other page of a page. Made once per crawl by `canonicalOptions`. */
export interface CanonicalOptions {
  /** Told of a name as it is spelt in a canonical URL. */
  readonly isDropped: (name: string) => boolean;
}

/** Names of query parameters; a `*` at the end stands for any ending. Capitals do not matter. */
export interface ParamNames {
  /** Stay, whatever else is said of them. */
  readonly keepParams?: readonly string[];
  readonly dropParams?: readonly string[];
}

/** What tells a site where a visitor came from. */
const tracking = [
  ...['utm_*', 'gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'fbclid', 'msclkid', 'yclid', 'ysclid', 'twclid'],
  ...['ttclid', 'li_fat_id', 'igshid', 'mc_cid', 'mc_eid', '_ga', '_gl', '_hsenc', '_hsmi', '_openstat', 'mkt_tok'],
  ...['vero_id', 'wickedid', 'oly_anon_id', 'oly_enc_id', 's_cid', 'epik', 'srsltid', 'pk_*', 'mtm_*', 'piwik_*'],
];

/** What names a visit in place of a cookie. */
const sessions = [
  ...['phpsessid', 'jsessionid', 'sessionid', 'session_id', 'sessid', 'aspsessionid*', 'asp.net_sessionid'],
  ...['cfid', 'cftoken', 'oscsid', 'zenid', 'xtcsid'],
];

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
 * The one spelling of an address: what is asked, and what tells one page of a crawl from another. As browsers spell it, without
 * fragment, with the arguments of its query in order, with percent escapes in capitals and only where they are needed, and
 * without what tracks visitors. Nothing for what is no http or https URL or holds a user name or password.
 */
export function canonicalUrl(text: string, { isDropped }: CanonicalOptions = usual): string | undefined {
  const url = URL.parse(text);
  if (url === null || !isAskable(url)) return undefined;
  const path = withoutSession(normalEscapes(url.pathname), isDropped);
  const query = url.search === '' ? '' : normalQuery(url.search.slice(1), isDropped);
  return `${url.protocol}//${url.host}${path}${query === '' ? '' : `?${query}`}`;
}

/** Whether a request can be sent to it: credentials have their place in the source's definition. */
export function isAskable({ protocol, username, password }: URL): boolean {
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** Servers of Java write the session's id into the path. What is left of a segment must not lead to another path. */
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

/** By code units; `a` comes before `a=`. Arguments that are equal are the same text, so their order is no matter. */
function byNameThenValue(one: string, other: string): number {
  const [name, otherName] = [nameOf(one), nameOf(other)];
  const [a, b] = name === otherName ? [one, other] : [name, otherName];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Letters and digits, and what else stands for itself everywhere in a URL. */
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
