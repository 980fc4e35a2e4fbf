import { basicLogin, bearerLogin } from './fixed-login.ts';
import { formLogin } from './form-login.ts';
import type {
  Credentials,
  LoginFailure,
  LoginFlow,
  LoginOutcome,
  LoginPlan,
  LoginRequest,
  LoginStep,
} from './login.ts';
import type { LoginReading } from './read-login.ts';
import type { Secret } from './secret.ts';
import type { Auth } from '../definition/auth.ts';
import { beginRefresh, tokenLogin } from './token-login.ts';

/** A log-in of whatever kind, between two exchanges. Nothing happens by itself: each answer gives the next one. */
export type RunningLogin =
  | {
      readonly do: 'ask';
      readonly request: LoginRequest;
      readonly reading: LoginReading;
      answer(outcome: LoginOutcome): RunningLogin;
    }
  | { readonly do: 'done'; readonly credentials: Credentials }
  | { readonly do: 'fail'; readonly failure: LoginFailure };

/** Begins a log-in as the definition says. */
export function startLogin({ auth, ...given }: LoginPlan): RunningLogin {
  switch (auth.type) {
    case 'basic':
      return start(basicLogin, { auth, ...given });
    case 'bearer':
      return start(bearerLogin, { auth, ...given });
    case 'form':
      return start(formLogin, { auth, ...given });
    case 'token':
      return start(tokenLogin, { auth, ...given });
    case 'plugin':
      throw new Error('a plug-in makes the requests of its log-in itself');
    default:
      return auth satisfies never;
  }
}

/** Begins a refresh; nothing when the definition has no way to make one. */
export function startRefresh({ auth, ...given }: LoginPlan, refresh: Secret): RunningLogin | undefined {
  if (auth.type !== 'token' || auth.refresh === undefined) return undefined;
  const plan = { auth, ...given };
  return running(beginRefresh(plan, refresh), (state, outcome) => tokenLogin.next(plan, state, outcome));
}

function start<A extends Auth, S>(flow: LoginFlow<A, S>, plan: LoginPlan<A>): RunningLogin {
  return running(flow.begin(plan), (state, outcome) => flow.next(plan, state, outcome));
}

function running<S>(step: LoginStep<S>, next: (state: S, outcome: LoginOutcome) => LoginStep<S>): RunningLogin {
  if (step.do !== 'ask') return step;
  const { request, reading, state } = step;
  return { do: 'ask', request, reading, answer: (outcome) => running(next(state, outcome), next) };
}
