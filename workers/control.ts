import type { Behaviour, Exit, Self } from '../src/actor/types.ts';
import type { Audited } from '../src/control/audited.ts';
import type { Handlers } from '../src/control/methods.ts';
import { startServer } from '../src/control/server.ts';

/** Clients speak to the handlers; the actor itself receives exit signals alone. */
export interface ControlMessage {
  readonly type: 'exited';
  readonly exit: Exit;
}

/** The path of the control socket, and what it serves. */
export interface ControlDeps {
  readonly path: string;
  readonly handlers: Handlers;
  /** Called with each error of a handler that is no `ControlError`. */
  failed(error: unknown, method: string): void;
  /** Called with each change that was made or failed. */
  audit(made: Audited): void;
}

/** Keeps the control socket open during its life. A path where it cannot listen is a failed start. */
export async function control(self: Self<ControlMessage>, deps: ControlDeps): Promise<Behaviour<ControlMessage>> {
  // Without `trapExit` the supervisor's shutdown would end this life before `stop` has run.
  self.trapExit((exit) => ({ type: 'exited', exit }));
  const server = await startServer(deps);
  return {
    receive(message) {
      self.stop(message.exit.reason);
    },
    stop: () => server.close(),
  };
}
