import type { Registry } from '../src/actor/registry.ts';
import type { Behaviour, Exit, Reply, Self } from '../src/actor/types.ts';
import { OneTimeCodes } from '../src/http/one-time-codes.ts';
import { startHttpServer, type HttpServer, type HttpServerOptions } from '../src/http/server.ts';

/** Clients speak to the handlers; the actor itself receives exit signals, and questions for a way to log in. */
export type HttpMessage =
  | { readonly type: 'exited'; readonly exit: Exit }
  /** Asks for an address that logs a browser in, once. */
  | { readonly type: 'invite'; readonly reply: Reply<LogInAddress> };

/** An address that logs a browser in, once. */
export interface LogInAddress {
  readonly url: string;
  readonly expiresAt: number;
}

/** Where the API is served and by what, and what comes first. */
export interface HttpDeps extends Omit<HttpServerOptions, 'takeCode'> {
  readonly registry: Registry<'http', HttpMessage>;
  /** Makes the first token where there is none. */
  prepare(): Promise<void>;
  /** Called when the server listens. */
  listens(server: HttpServer): void;
}

/** Serves the HTTP API during its life. A port where it cannot listen is a failed start. */
export async function http(
  self: Self<HttpMessage>,
  { registry, prepare, listens, ...deps }: HttpDeps,
): Promise<Behaviour<HttpMessage>> {
  // Without `trapExit` the supervisor's shutdown would end this life before `stop` has run.
  self.trapExit((exit) => ({ type: 'exited', exit }));
  await prepare();
  const codes = new OneTimeCodes(deps.clock);
  const server = await startHttpServer({ ...deps, takeCode: (code) => codes.take(code) });
  self.register(registry, 'http');
  listens(server);
  return {
    receive(message) {
      switch (message.type) {
        case 'invite':
          return message.reply(invite());
        case 'exited':
          return self.stop(message.exit.reason);
        default:
          return message satisfies never;
      }
    },
    stop: () => server.close(),
  };

  function invite(): LogInAddress {
    const { code, expiresAt } = codes.make();
    // Browsers send no fragment, so that no log of a server has it.
    return { url: `${server.url}login#code=${code}`, expiresAt };
  }
}
