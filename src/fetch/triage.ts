import { defined } from '../defined.ts';
import { type Answer, isBareScript, knownChallenge, maxAnswerUnits, talksToRobots } from './challenge.ts';
import { networkFailures } from './failure.ts';
import { bareHost, siteRule } from './site.ts';

/** The cause of a failed step, as the operator of a source sees it. */
export type Cause =
  | 'network'
  | 'origin_down'
  | 'rate_limited'
  | 'blocked'
  | 'login_expired'
  | 'not_found'
  | 'gone'
  | 'too_large'
  | 'unexpected';

/** The signs of a step from which its cause is found. */
export interface Symptoms extends Answer {
  /** The address of the answer, or the target of a redirect. */
  readonly url?: string;
  /** The address that was requested, if the answer is a redirect. */
  readonly from?: string;
  /** The address of an answer that could not be read. */
  readonly at?: string;
  /** The failure of the fetch or of the extraction; missing for a page that could be read. */
  readonly failure?: { readonly code: string; readonly message?: string; readonly retryAfterMs?: number };
  /**
   * Set for a page that could be read but held nothing, such as the one behind the end of a list. `isWhole`: the
   * excerpt is the whole page. `hasFewLinks`: the whole page is known to have few links.
   */
  readonly empty?: { readonly isWhole: boolean; readonly hasFewLinks: boolean };
}

/** The signs by which a source's definition tells that a log-in has expired. */
export interface LoginSigns {
  readonly urls: readonly string[];
  readonly expiredStatus: readonly number[];
}

/** A cause, and the sentence that says how it was recognised. */
export interface Trouble {
  readonly cause: Cause;
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** Failures on the way to the site. A bad certificate is among them, though asking again does not help. */
export const networkCodes: ReadonlySet<string> = new Set([...networkFailures, 'bad_certificate']);

/** Finds the cause of a failed step; `undefined` if nothing is wrong with it. */
export function triage(symptoms: Symptoms, login?: LoginSigns): Trouble | undefined {
  const seen = { ...symptoms, excerpt: (symptoms.excerpt ?? '').slice(0, maxAnswerUnits) };
  const { failure } = seen;
  const found =
    challengeByHead(seen) ??
    loginTrouble(seen, login) ??
    challenge(seen) ??
    (failure && failureTrouble(seen, failure.code));
  if (found === undefined) return undefined;
  const [cause, message] = found;
  return { cause, message, ...defined({ retryAfterMs: failure?.retryAfterMs }) };
}

type Finding = readonly [cause: Cause, message: string];

function loginTrouble(seen: Symptoms, login: LoginSigns | undefined): Finding | undefined {
  const { status, url, from, at, failure, excerpt } = seen;
  if (status === 401) return ['login_expired', 'answered with status 401'];
  if (from !== undefined && url !== undefined && leadsToSignIn(from, url))
    return ['login_expired', `was sent to what looks like a log-in, at ${pageOf(url)}${withoutAuth(login)}`];
  if (login !== undefined && status !== undefined && login.expiredStatus.includes(status))
    return ['login_expired', `answered with status ${status}, which the definition takes for an expired log-in`];
  if (login !== undefined && url !== undefined && login.urls.some((each) => isSamePage(each, url)))
    return ['login_expired', `was sent to the log-in at ${pageOf(url)}`];
  const isWithoutRecord = failure?.code === 'no_record';
  const page = isWithoutRecord && at !== undefined ? URL.parse(at) : null;
  if (page !== null && isSignIn(page))
    return ['login_expired', `got what looks like a log-in page, at ${pageOf(page.href)}${withoutAuth(login)}`];
  const isExpected =
    login !== undefined || seen.empty !== undefined || (isWithoutRecord && signInTitle.test(excerpt ?? ''));
  if (isExpected && asksForPassword(seen))
    return ['login_expired', `got a form for a password in place of the page${withoutAuth(login)}`];
  return undefined;
}

/**
 * Whether a page asks for a password. Content may have such a form beside it, and so may the last page of a list, so
 * that an empty page needs a further sign.
 */
function asksForPassword({ status = 200, failure, empty, excerpt = '' }: Symptoms): boolean {
  if (status >= 400 || !/<input\b[^>]{0,300}\btype\s*=\s*["']?password\b/i.test(excerpt)) return false;
  return failure !== undefined || (empty !== undefined && (signInTitle.test(excerpt) || empty.hasFewLinks));
}

const signInTitle = /<title>[^<]{0,200}\b(?:log|sign)[ -]?in\b/i;

function withoutAuth(login: LoginSigns | undefined): string {
  return login === undefined ? '; the definition has no auth' : '';
}

/** Recognises a challenge by its headers, which are certain whatever a definition says of the status. */
function challengeByHead({ headers }: Symptoms): Finding | undefined {
  return headers && knownFinding({ headers });
}

function knownFinding(seen: Answer): Finding | undefined {
  const product = knownChallenge(seen);
  return product === undefined ? undefined : ['blocked', `stopped by a challenge of ${product}`];
}

function challenge(seen: Symptoms): Finding | undefined {
  const known = knownFinding(seen);
  if (known !== undefined) return known;
  // Beyond the known ones only a failure, or a page that gave nothing, is suspect: content may well talk of robots.
  const { failure, empty, status } = seen;
  if ((failure === undefined && empty === undefined) || status === 429 || status === 404) return undefined;
  // The pages of a site link to each other; what stands in their place does not.
  if (talksToRobots(seen) && (failure !== undefined || empty?.hasFewLinks === true))
    return ['blocked', 'got a page that asks whether a person is there'];
  // The head of a longer page is full of scripts.
  if (isBareScript(seen) && (failure !== undefined || empty?.isWhole === true))
    return ['blocked', 'got a page of nothing but a script'];
  return undefined;
}

function failureTrouble({ status, failure }: Symptoms, code: string): Finding {
  const said = failure?.message ?? code;
  if (networkCodes.has(code)) return ['network', said];
  if (code === 'too_large') return ['too_large', said];
  if (code !== 'status' || status === undefined) return ['unexpected', said];
  return [statusCause(status, failure?.retryAfterMs !== undefined), said];
}

function statusCause(status: number, asksToWait: boolean): Cause {
  switch (status) {
    case 403:
    case 451:
      return 'blocked';
    case 404:
      return 'not_found';
    case 408:
    case 425:
      return 'network';
    case 410:
      return 'gone';
    case 429:
      return 'rate_limited';
    case 503:
      return asksToWait ? 'rate_limited' : 'origin_down';
    default:
      return status >= 500 ? 'origin_down' : 'unexpected';
  }
}

function isSamePage(one: string, other: string): boolean {
  return pageOf(one) === pageOf(other);
}

/** The address without query and fragment, where sites put the page that the visitor came from. */
function pageOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '' : `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
}

/** The causes that may pass soon enough to try once more. A site that blocks is left alone. */
export const passing: ReadonlySet<Cause> = new Set<Cause>(['network', 'origin_down', 'rate_limited']);

/** The causes that speak against the source as a whole, not against one page. */
export const againstSource: ReadonlySet<Cause> = new Set<Cause>([...passing, 'blocked', 'login_expired']);

/** Names of sign-in pages in paths, with common prefixes and extensions. */
const names = /^(?:wp-|user-?|account-?)?(?:log[-_]?[io]n|sign[-_]?[io]n|authenticate)(?:\.\w{1,5})?$/i;

/** Names that articles may have too: they count only at the end of a path. */
const lastNames = /^(?:auth|authentication)(?:\.\w{1,5})?$/i;

/**
 * Whether a redirect leads to a sign-in page of the same site that will lead back: its path has the name of a sign-in
 * page, and its query names the page that was requested. Redirects of a sign-in page itself do not count.
 */
function leadsToSignIn(from: string, to: string): boolean {
  const [page, target] = [URL.parse(from), URL.parse(to)];
  if (page === null || target === null || isSignIn(page) || !isSignIn(target)) return false;
  return (
    siteRule(page.href)(bareHost(target)) &&
    [...target.searchParams.values()].some((value) => value.trim() !== '' && namesPage(value, page))
  );
}

function isSignIn({ pathname }: URL): boolean {
  const parts = pathname.split('/').filter((part) => part !== '');
  return parts.some((part) => names.test(part)) || lastNames.test(parts.at(-1) ?? '');
}

/** Whether a query value names a page: as a URL, or as a path with or without its first slash. Queries are ignored. */
function namesPage(value: string, page: URL): boolean {
  return [value, `/${value}`].some((text) => {
    const named = URL.parse(text, page.origin);
    return named !== null && named.host === page.host && bare(named) === bare(page);
  });
}

function bare({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}
