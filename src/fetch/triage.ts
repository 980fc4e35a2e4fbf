import { type Answer, isBareScript, knownChallenge, maxAnswerUnits, talksToRobots } from './challenge.ts';
import { leadsToSignIn } from './sign-in.ts';
import { networkFailures } from './turn-outcome.ts';

/** What went wrong, as the one who keeps a source thinks of it. */
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

/** What is known of a step that may have gone wrong. */
export interface Symptoms extends Answer {
  /** Where the answer came from, or where a redirect leads. */
  readonly url?: string;
  /** Of a redirect: what was asked for. */
  readonly from?: string;
  /** Of the fetch or of the extraction; missing for a page that could be read. */
  readonly failure?: { readonly code: string; readonly message?: string; readonly retryAfterMs?: number };
  /**
   * Set for a page that was read and gave nothing, as the end of a list does; what else stands there tells the two apart. Of the
   * page as a whole: whether the excerpt is all of it, and whether it is known to have few links.
   */
  readonly empty?: { readonly isWhole: boolean; readonly hasFewLinks: boolean };
}

/** What a source says of its log-in; without it a page with a form for passwords is just not what was expected. */
export interface LoginSigns {
  readonly urls: readonly string[];
  readonly expiredStatus: readonly number[];
}

/** A cause, with the sentence that tells what it was seen by. */
export interface Trouble {
  readonly cause: Cause;
  readonly message: string;
  readonly retryAfterMs?: number;
}

/** Failures on the way to the site; a certificate speaks against the source as well, but asking again does not mend it. */
const networkCodes: ReadonlySet<string> = new Set([...networkFailures, 'bad_certificate']);

/** Names the cause of what a step shows; nothing when nothing is wrong with it. */
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
  return { cause, message, ...(failure?.retryAfterMs !== undefined && { retryAfterMs: failure.retryAfterMs }) };
}

type Finding = readonly [cause: Cause, message: string];

function loginTrouble(seen: Symptoms, login: LoginSigns | undefined): Finding | undefined {
  const { status, url, from } = seen;
  if (status === 401) return ['login_expired', 'answered with status 401'];
  if (from !== undefined && url !== undefined && leadsToSignIn(from, url))
    return ['login_expired', `was sent to what looks like a log-in, at ${pageOf(url)}${withoutAuth(login)}`];
  if (login !== undefined && status !== undefined && login.expiredStatus.includes(status))
    return ['login_expired', `answered with status ${status}, which the definition takes for an expired log-in`];
  if (login !== undefined && url !== undefined && login.urls.some((each) => isSamePage(each, url)))
    return ['login_expired', `was sent to the log-in at ${pageOf(url)}`];
  if ((login !== undefined || seen.empty !== undefined) && asksForPassword(seen))
    return ['login_expired', `got a form for a password in place of the page${withoutAuth(login)}`];
  return undefined;
}

/** Content may have such a form beside it, where there is some; and so may the last page of a list that is long over. */
function asksForPassword({ status = 200, failure, empty, excerpt = '' }: Symptoms): boolean {
  if (status >= 400 || !/<input\b[^>]{0,300}\btype\s*=\s*["']?password\b/i.test(excerpt)) return false;
  return failure !== undefined || (empty !== undefined && (signInTitle.test(excerpt) || empty.hasFewLinks));
}

const signInTitle = /<title>[^<]{0,200}\b(?:log|sign)[ -]?in\b/i;

function withoutAuth(login: LoginSigns | undefined): string {
  return login === undefined ? '; the definition has no auth' : '';
}

/** Such a header is certain, whatever a definition takes its status for. */
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

/** Without query and fragment, where sites say where a person came from. */
function pageOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? '' : `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`;
}

/** Causes that may pass by themselves, soon enough to ask once more; a site that blocks is left alone. */
export const passing: ReadonlySet<Cause> = new Set<Cause>(['network', 'origin_down', 'rate_limited']);

/** Causes that speak against the source as a whole, and not against one page of it. */
export const againstSource: ReadonlySet<Cause> = new Set<Cause>([...passing, 'blocked', 'login_expired']);
