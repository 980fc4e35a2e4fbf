import { ControlError } from '../control/error.ts';
import { type Audited, idOf, runAudited } from '../control/audited.ts';
import { findCall, type Call } from '../control/dispatch.ts';
import { defined } from '../defined.ts';
import type { Handlers, Method, MethodInput, Result } from '../control/methods.ts';
import { reaches } from '../schema/role.ts';
import type { Caller, Exchange } from './exchange.ts';
import { checkLimits, checkSubject, type Subjects } from './limits.ts';
import { Refusal } from './problem.ts';
import { findRoutes, isChange, type Route, routeFor } from './routes.ts';

/** The most calls under way; further ones are refused. */
const mostCalls = 256;

/** What calling control methods for those who send requests needs. */
export interface CallsDeps {
  readonly handlers: Handlers;
  readonly subjects: Subjects;
  /** Refuses every change. */
  readonly readOnly: boolean;
  /** Called with each change that was made or failed, and each call that was denied. */
  audit(made: Audited): void;
}

/** Calls control methods for those who send requests, within what these may do. */
export class Calls {
  readonly #deps: CallsDeps;
  readonly #closing = new AbortController();
  #underWay = 0;

  constructor(deps: CallsDeps) {
    this.#deps = deps;
  }

  /** Fires when the server closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Has the changes under way end, as the server closes. */
  close(): void {
    this.#closing.abort();
  }

  /** Throws a `Refusal` where a caller may not use a method, or where nobody may change anything. */
  check(caller: Caller, route: Route): void {
    const { role: held } = caller;
    const { role } = route.spec;
    if (!reaches(held, role))
      throw new Refusal('forbidden', `${route.method}: expected a token of role ${role}, got one of role ${held}`);
    checkLimits(caller, route);
    if (this.#deps.readOnly && isChange(route)) throw new Refusal('read_only', 'this daemon serves HTTP read-only');
  }

  /** Whether a caller may use a method. */
  allows(caller: Caller, route: Route): boolean {
    try {
      this.check(caller, route);
      return true;
    } catch {
      return false;
    }
  }

  /** Finds a method and validates its parameters, for a caller that may use it. Throws what is wrong with any of these. */
  find(caller: Caller, route: Route, params: unknown): Call {
    this.check(caller, route);
    const call = findCall(this.#deps.handlers, route.method, params);
    checkSubject(caller, call, this.#deps.subjects);
    const own = defined({ labels: caller.labels, viewer: caller.token });
    const note = (made: Audited): void => this.#deps.audit({ ...whoIs(caller), ...made });
    return {
      ...call,
      run: (context) => runAudited(call, { ...context, ...own }, note),
    };
  }

  /** Calls a method for a caller that may use it. Rejects with what is wrong. */
  async call<M extends Method>(
    caller: Caller,
    method: M,
    params: MethodInput<M>,
    signal: AbortSignal,
  ): Promise<Result<M>> {
    const result = await this.find(caller, routeFor(method), params).run({ signal });
    // The table pairs each handler with the schema of its result.
    return result as Result<M>;
  }

  /** Does some work as one of the calls under way. Throws a `Refusal` where these are too many. */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= mostCalls)
      throw new Refusal('too_busy', `${mostCalls} calls are under way`, { 'retry-after': '1' });
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Notes that a request was denied. */
  denied(exchange: Exchange, code: string): void {
    const found = findRoutes(exchange.url.pathname);
    const about = { method: found?.routes.get(exchange.verb)?.method, subject: idOf(found?.key) };
    this.#deps.audit({ ...whoSent(exchange), ...defined(about), outcome: 'denied', code });
  }

  /** Notes that a browser was logged in or out. */
  logged(exchange: Exchange, method: 'log-in' | 'log-out'): void {
    this.#deps.audit({ ...whoSent(exchange), method, outcome: 'done' });
  }
}

function whoSent({ caller, client }: Exchange): Pick<Audited, 'who' | 'label' | 'from'> {
  return { ...(caller && whoIs(caller)), from: client };
}

function whoIs({ id, label, from }: Caller): Pick<Audited, 'who' | 'label' | 'from'> {
  return { who: id, label, ...defined({ from }) };
}

/** Fires when the caller of a request has hung up. */
export function hangUp({ response }: Exchange): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort(new ControlError('not_ready', 'the caller hung up')));
  return gone.signal;
}
