import { defined } from '../defined.ts';
import type { Auth } from '../definition/auth.ts';
import { shownUrl } from '../definition/url-pattern.ts';
import {
  answerTo,
  type FailedLogin,
  failed,
  formBody,
  type LoginAnswer,
  type LoginEnd,
  type LoginPlan,
  type LoginRequest,
  textsOf,
} from './login.ts';
import type { Secret } from './secret.ts';

type Form = Extract<Auth, { type: 'form' }>;
type Plan = LoginPlan<Form>;
type Test = keyof Form['success'];

/** The largest number of redirects in one log-in. */
const maxRedirects = 5;

/**
 * Logs in by a form: requests the form's page if hidden values of it must be sent along, sends the form, and follows redirects only
 * as far as the tests of success need. Rejects as `ask` of the plan does.
 */
export async function formLogin(plan: Plan): Promise<LoginEnd> {
  const { auth, secrets } = plan;
  const names = Object.keys(auth.hidden);
  const page = names.length === 0 ? undefined : await requestPage(plan);
  if (page !== undefined && 'do' in page) return page;
  const values = page?.read.values ?? {};
  const missing = names.filter((name) => !Object.hasOwn(values, name));
  if (page !== undefined && missing.length > 0)
    return failed(
      'login_unreadable',
      `the log-in page ${shownUrl(page.url)} has nothing for ${missing.map((name) => `hidden.${name}`).join(', ')}`,
    );
  const hidden = Object.entries(values).filter(([name]) => Object.hasOwn(auth.hidden, name));
  return send(plan, formBody([...hidden, ...textsOf(auth.fields, secrets)]));
}

/** Requests the page of the form, and follows its redirects. */
async function requestPage(plan: Plan): Promise<LoginAnswer | FailedLogin> {
  const { auth } = plan;
  let url = auth.page ?? auth.url;
  for (let redirects = 0; ; redirects += 1) {
    const answer = await answerTo(plan, { url, method: 'GET', headers: {} }, { values: auth.hidden });
    if ('do' in answer) return answer;
    if (answer.location === undefined) return answer.status < 400 ? answer : unavailablePage(answer);
    if (redirects >= maxRedirects) return tooFar(answer.location);
    url = answer.location;
  }
}

function unavailablePage({ url, status }: LoginAnswer): FailedLogin {
  return failed('login_refused', `the log-in page ${shownUrl(url)} answered with status ${status}`);
}

/**
 * Sends the form. The log-in is done when all tests are passed, by the answer or by one of the redirects after it. Without another redirect
 * it was refused.
 */
async function send(plan: Plan, body: Secret): Promise<LoginEnd> {
  const { auth } = plan;
  const reading = defined({ matches: auth.success.selector });
  let open = testsOf(auth);
  let request = formRequest(auth, auth.url, body);
  for (let redirects = 0; ; redirects += 1) {
    const answer = await answerTo(plan, request, reading);
    if ('do' in answer) return answer;
    const { location, status } = answer;
    const sent = redirects;
    open = open.filter((test) => !passes(auth, test, sent, answer));
    if (open.length === 0) return { do: 'done', credentials: { kind: 'cookies' } };
    if (location === undefined || open.includes('status')) return refused(auth, open, answer);
    if (redirects >= maxRedirects) return tooFar(location);
    const keepsMethod = status === 307 || status === 308;
    request = keepsMethod ? formRequest(auth, location, body) : { url: location, method: 'GET', headers: {} };
  }
}

function formRequest(auth: Form, url: string, body: Secret): LoginRequest {
  // Sites tell their own forms from others' by where they say they come from.
  const page = new URL(auth.page ?? auth.url);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: page.origin,
    referer: `${page.origin}${page.pathname}`,
  };
  return { url, method: 'POST', headers, body };
}

function testsOf({ success }: Form): Test[] {
  return (['status', 'redirect', 'selector', 'cookie'] as const).filter((test) => success[test] !== undefined);
}

function passes({ success }: Form, test: Test, redirects: number, answer: LoginAnswer): boolean {
  switch (test) {
    case 'status':
      return redirects === 0 && answer.status === success.status;
    case 'redirect':
      return answer.location !== undefined && URL.parse(answer.location)?.pathname === success.redirect;
    case 'selector':
      return answer.location === undefined && answer.status < 400 && answer.read.isMatched;
    case 'cookie':
      return answer.setCookies.some((text) => nameOfSet(text) === success.cookie);
    default:
      return test satisfies never;
  }
}

/** The name of the cookie that a `Set-Cookie` header sets; `undefined` for one that it removes. */
function nameOfSet(text: string): string | undefined {
  const [, name, value] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(text) ?? [];
  const isTaken = value?.trim() === '' || /;\s*max-age\s*=\s*(?:0|-\d+)\s*(?:;|$)/i.test(text);
  return isTaken ? undefined : name;
}

function refused({ success }: Form, open: readonly Test[], { url, status }: LoginAnswer): FailedLogin {
  const wanted = open.map((test) => `${test} ${success[test]}`).join(', ');
  return failed(
    'login_refused',
    `the log-in was refused: expected ${wanted}, got status ${status} from ${shownUrl(url)} without it`,
  );
}

function tooFar(url: string): FailedLogin {
  return failed('login_refused', `more than ${maxRedirects} redirects in the log-in, the last to ${shownUrl(url)}`);
}
