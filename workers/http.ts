import type { Behaviour, Exit, Self } from '../src/actor/types.ts';
import { startHttpServer, type HttpServerOptions } from '../src/http/server.ts';

/** Clients speak to the handlers; the actor itself receives exit signals alone. */
export interface HttpMessage {
  readonly type: 'exited';
  readonly exit: Exit;
}

/** Where the API is served and by what, and what comes first. */
export interface HttpDeps extends HttpServerOptions {
  /** Makes the first token where there is none. */
  prepare(): Promise<void>;
  /** Called when the server listens. */
  listens(port: number): void;
}

/** Serves the HTTP API during its life. A port where it cannot listen is a failed start. */
export async function http(
  self: Self<HttpMessage>,
  { prepare, listens, ...deps }: HttpDeps,
): Promise<Behaviour<HttpMessage>> {
  // Without `trapExit` the supervisor's shutdown would end this life before `stop` has run.
  self.trapExit((exit) => ({ type: 'exited', exit }));
  await prepare();
  const server = await startHttpServer(deps);
  listens(server.port);
  return {
    receive(message) {
      self.stop(message.exit.reason);
    },
    stop: () => server.close(),
  };
}
