import type { Behaviour, Exit, Self } from '../src/actor/types.ts';
import type { Handlers } from '../src/control/methods.ts';
import { startServer } from '../src/control/server.ts';

/** Its clients speak to the handlers, so that all it hears of is the end of a life linked to it. */
export interface ControlMessage {
  readonly type: 'exited';
  readonly exit: Exit;
}

export interface ControlDeps {
  readonly path: string;
  readonly handlers: Handlers;
  /** Told of what a handler threw that is no `ControlError`. */
  failed(error: unknown, method: string): void;
}

/** Keeps the control socket open for as long as it lives; a place where it cannot listen is a failed start. */
export async function control(self: Self<ControlMessage>, deps: ControlDeps): Promise<Behaviour<ControlMessage>> {
  // Without it a supervisor's shutdown would end this life before `stop` has run.
  self.trapExit((exit) => ({ type: 'exited', exit }));
  const server = await startServer(deps);
  return {
    receive(message) {
      self.stop(message.exit.reason);
    },
    stop: () => server.close(),
  };
}
