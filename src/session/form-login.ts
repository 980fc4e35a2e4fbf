import type { Auth } from '../definition/auth.ts';
import {
  failed,
  formBody,
  type LoginFlow,
  type LoginOutcome,
  type LoginPlan,
  type LoginStep,
  shownUrl,
  textsOf,
  unavailable,
} from './login.ts';
import type { Secret } from './secret.ts';

type Form = Extract<Auth, { type: 'form' }>;
type Plan = LoginPlan<Form>;
type Answer = Extract<LoginOutcome, { kind: 'answered' }>;
type Step = LoginStep<FormState>;

/** Before the form is sent its page is looked at; afterwards the tests that its answers have passed are kept. */
export type FormState =
  | { readonly phase: 'page'; readonly redirects: number }
  | { readonly phase: 'sent'; readonly redirects: number; readonly body: Secret; readonly passed: readonly Test[] };

type Test = keyof Form['success'];

/** More hops than an honest log-in needs. */
const maxRedirects = 5;

/**
 * A log-in by form: the form's page if it holds something to send along, the form, and redirects only as far as the tests
 * of success need. Each is a step of its own, and none leaves the origins that the definition names.
 */
export const formLogin: LoginFlow<Form, FormState> = {
  begin(plan) {
    const { auth } = plan;
    if (Object.keys(auth.hidden).length === 0) return send(plan, {});
    return askPage(plan, auth.page ?? auth.url, 0);
  },

  next(plan, state, outcome) {
    const down = unavailable(outcome);
    if (down !== undefined || outcome.kind === 'failed') return down ?? failed('login_unavailable', 'no answer');
    return state.phase === 'page' ? readPage(plan, state.redirects, outcome) : judge(plan, state, outcome);
  },
};

function askPage({ auth, origins }: Plan, url: string, redirects: number): Step {
  if (!isWithin(url, origins)) return elsewhere(url);
  return {
    do: 'ask',
    request: { url, method: 'GET', headers: {} },
    reading: { values: auth.hidden },
    state: { phase: 'page', redirects },
  };
}

function readPage(plan: Plan, redirects: number, answer: Answer): Step {
  if (answer.location !== undefined)
    return redirects < maxRedirects ? askPage(plan, answer.location, redirects + 1) : tooFar(answer.location);
  if (answer.status >= 400)
    return failed('login_refused', `the log-in page ${shownUrl(answer.url)} answered with status ${answer.status}`);
  const missing = Object.keys(plan.auth.hidden).filter((name) => !Object.hasOwn(answer.read.values, name));
  if (missing.length === 0) return send(plan, answer.read.values);
  return failed(
    'login_unreadable',
    `the log-in page ${shownUrl(answer.url)} has nothing for ${missing.map((name) => `hidden.${name}`).join(', ')}`,
  );
}

function send({ auth, secrets, origins }: Plan, hidden: Readonly<Record<string, string>>): Step {
  if (!isWithin(auth.url, origins)) return elsewhere(auth.url);
  const own = Object.entries(hidden).filter(([name]) => Object.hasOwn(auth.hidden, name));
  const body = formBody([...own, ...textsOf(auth.fields, secrets)]);
  return post(auth, auth.url, { phase: 'sent', redirects: 0, body, passed: [] });
}

function post(auth: Form, url: string, state: FormState & { readonly phase: 'sent' }): Step {
  // Sites tell their own forms from others' by where they say they come from.
  const page = new URL(auth.page ?? auth.url);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    origin: page.origin,
    referer: `${page.origin}${page.pathname}`,
  };
  return { do: 'ask', request: { url, method: 'POST', headers, body: state.body }, reading: readingOf(auth), state };
}

function readingOf({ success }: Form): { readonly matches?: string } {
  return success.selector === undefined ? {} : { matches: success.selector };
}

/** Done when all tests are passed; else one redirect further; at the end of them the log-in was refused. */
function judge({ auth, origins }: Plan, state: FormState & { readonly phase: 'sent' }, answer: Answer): Step {
  const tests = testsOf(auth);
  const passed = tests.filter((test) => state.passed.includes(test) || passes(auth, test, state.redirects, answer));
  const open = tests.filter((test) => !passed.includes(test));
  if (open.length === 0) return { do: 'done', credentials: { kind: 'cookies' } };
  const { location } = answer;
  if (location === undefined || open.includes('status')) return refused(auth, open, answer);
  if (!isWithin(location, origins)) return elsewhere(location);
  if (state.redirects >= maxRedirects) return tooFar(location);
  const next = { ...state, redirects: state.redirects + 1, passed };
  if (answer.status === 307 || answer.status === 308) return post(auth, location, next);
  return { do: 'ask', request: { url: location, method: 'GET', headers: {} }, reading: readingOf(auth), state: next };
}

function testsOf({ success }: Form): Test[] {
  return (['status', 'redirect', 'selector', 'cookie'] as const).filter((test) => success[test] !== undefined);
}

function passes({ success }: Form, test: Test, redirects: number, answer: Answer): boolean {
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

/** The name of a cookie that an answer sets, not of one that it takes away. */
function nameOfSet(text: string): string | undefined {
  const [, name, value] = /^\s*([^=;\s]+)\s*=\s*([^;]*)/.exec(text) ?? [];
  const isTaken = value?.trim() === '' || /;\s*max-age\s*=\s*(?:0|-\d+)\s*(?:;|$)/i.test(text);
  return isTaken ? undefined : name;
}

function refused({ success }: Form, open: readonly Test[], { url, status }: Answer): Step {
  const wanted = open.map((test) => `${test} ${success[test]}`).join(', ');
  return failed(
    'login_refused',
    `the log-in was refused: expected ${wanted}, got status ${status} from ${shownUrl(url)} without it`,
  );
}

function isWithin(url: string, origins: ReadonlySet<string>): boolean {
  return origins.has(URL.parse(url)?.origin ?? '');
}

function elsewhere(url: string): Step {
  return failed(
    'login_refused',
    `the log-in leads to ${shownUrl(url)}, which is none of the origins that the definition names`,
  );
}

function tooFar(url: string): Step {
  return failed('login_refused', `more than ${maxRedirects} redirects in the log-in, the last to ${shownUrl(url)}`);
}
