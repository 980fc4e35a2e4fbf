import { defined } from '../../defined.ts';
import { createToken, type TokenRow } from '../../store/tokens.ts';
import { forgetViewer } from '../../store/viewers.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { TokenView } from '../methods/token.ts';
import type { Ports } from './ports.ts';

/** Creates the handlers of the tokens of the HTTP API. */
export function tokenHandlers(
  deps: Pick<Ports, 'clock' | 'store'>,
): Pick<Handlers, `token.${'create' | 'list' | 'revoke'}`> {
  return {
    async 'token.create'({ forMs, ...wish }) {
      const expiresAt = forMs === undefined ? undefined : deps.clock.now() + forMs;
      const { row, text } = await createToken(deps.store(), { ...wish, ...defined({ expiresAt }) });
      return { ...viewOf(row), token: text };
    },
    'token.list': () => {
      const tokens = Array.from(deps.store().tokens.rows(), viewOf);
      return { tokens: tokens.sort((a, b) => a.createdAt - b.createdAt) };
    },
    async 'token.revoke'({ id }) {
      const { tokens, write } = deps.store();
      const row = tokens.get(id);
      if (row === undefined) throw new ControlError('not_found', `no token "${id}"`);
      await write(() => tokens.remove(id), { durable: true });
      await forgetViewer(deps.store(), id);
      return viewOf(row);
    },
  };
}

function viewOf({ digest: _digest, ...view }: TokenRow): TokenView {
  return view;
}
