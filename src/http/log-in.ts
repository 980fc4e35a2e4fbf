import { logInPage } from '../dashboard/log-in.ts';
import type { Calls } from './calls.ts';
import { cookieOf, setCookie } from './cookie.ts';
import { type Caller, type Exchange, redirect } from './exchange.ts';
import { readForm } from './form.ts';
import { checkSameOrigin, checkVerb } from './guard.ts';
import { ownPath } from './own-path.ts';
import { baseOf, sendPage, textOf } from './pages.ts';
import type { Problem } from './problem.ts';

/** The log-ins of browsers, each named by the text of its cookie. */
export interface LogIns {
  /** Begins a log-in by a token, or by a one-time code that was right. Resolves with nothing where the token is not in force. */
  begin(by: { readonly token: string } | 'code'): Promise<string | undefined>;
  /** Returns whom a log-in stands for; nothing where it is not in force. */
  find(text: string): Caller | undefined;
  /** Keeps a log-in from ending for lack of use. */
  noteUse(text: string): Promise<void>;
  end(text: string): Promise<void>;
}

/** What logging in and out needs. */
export interface LogInDeps {
  readonly calls: Calls;
  readonly logIns: LogIns;
  /** Returns whether a one-time code is accepted, which it is once. */
  takeCode(code: string): boolean;
  /** Counts a failure of the address that sent a request, and throws a `Refusal` that says what is wrong. */
  fail(exchange: Exchange, message: string): never;
}

/** Serves `/login` and `/logout`, which need no log-in. */
export interface LogInPages {
  /** Answers a request for one of the two. Rejects with what is wrong. */
  serve(exchange: Exchange): Promise<void>;
  /** Shows the form, with what was wrong where something was. */
  show(exchange: Exchange, problem?: Problem): Promise<void>;
}

/** The most bytes of the form, which anybody may send. */
const formBytes = 4_096;

/** Creates the serving of log-ins: by a token, or by a one-time code of the control socket. */
export function createLogInPages({ calls, logIns, takeCode, fail }: LogInDeps): LogInPages {
  return {
    async serve(exchange) {
      const isForm = exchange.url.pathname === '/login';
      checkVerb(exchange, ...(isForm ? ['GET', 'POST'] : ['POST']));
      if (exchange.verb === 'GET') return show(exchange);
      checkSameOrigin(exchange);
      await (isForm ? begin(exchange) : end(exchange));
    },
    show,
  };

  async function show(exchange: Exchange, problem?: Problem): Promise<void> {
    sendPage(
      exchange,
      problem?.status ?? 200,
      await textOf(logInPage(baseOf(exchange), nextOf(exchange), problem?.detail)),
    );
  }

  async function begin(exchange: Exchange): Promise<void> {
    const secret = (await readForm(exchange.request, formBytes)).get('secret')?.trim() ?? '';
    const text = await logIns.begin(takeCode(secret) ? 'code' : { token: secret });
    const caller = text === undefined ? undefined : logIns.find(text);
    if (text === undefined || caller === undefined)
      return fail(exchange, 'expected a token or a code that is in force');
    exchange.caller = caller;
    await forget(exchange);
    setCookie(exchange, text);
    calls.logged(exchange, 'log-in');
    redirect(exchange, nextOf(exchange));
  }

  async function end(exchange: Exchange): Promise<void> {
    await forget(exchange);
    setCookie(exchange, undefined);
    calls.logged(exchange, 'log-out');
    redirect(exchange, '/login');
  }

  /** Ends the log-in that the browser has so far. */
  async function forget(exchange: Exchange): Promise<void> {
    const text = cookieOf(exchange);
    if (text === undefined) return;
    const caller = logIns.find(text);
    if (caller !== undefined) exchange.caller ??= caller;
    await logIns.end(text);
  }
}

/** The path of the log-in form of a request for a page, which leads on to that page. */
export function logInPath({ url: { pathname, search } }: Exchange): string {
  return pathname === '/' && search === ''
    ? '/login'
    : `/login?${new URLSearchParams({ next: pathname + search }).toString()}`;
}

/** The path that a log-in leads to: a page, and not one that logs in or out. */
function nextOf({ url }: Exchange): string {
  const next = ownPath(url.searchParams.get('next') ?? '/') ?? '/';
  return /^\/log(?:in|out)(?![^?#])/.test(next) ? '/' : next;
}
