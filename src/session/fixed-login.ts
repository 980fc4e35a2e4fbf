import type { Auth } from '../definition/auth.ts';
import { failed, type LoginFlow, textOf, tokenCredentials } from './login.ts';
import { Secret } from './secret.ts';

/** User and password with each request, as RFC 7617 has it. */
export const basicLogin: LoginFlow<Extract<Auth, { type: 'basic' }>, never> = {
  begin({ auth, secrets }) {
    const user = textOf(auth.user, secrets);
    if (user.includes(':'))
      return failed('login_unreadable', 'expected a user name without ":", which would end it in the header');
    const pair = Buffer.from(`${user}:${textOf(auth.password, secrets)}`).toString('base64');
    return tokenCredentials({ scheme: 'Basic' }, new Secret('user and password', pair));
  },
  next: (_plan, state) => state,
};

/** A token that is known beforehand. */
export const bearerLogin: LoginFlow<Extract<Auth, { type: 'bearer' }>, never> = {
  begin: ({ auth, secrets }) => tokenCredentials(auth, new Secret(auth.token.secret, textOf(auth.token, secrets))),
  next: (_plan, state) => state,
};
