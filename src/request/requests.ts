import type { Source } from '../definition/source.ts';
import { createMakeRequest } from './make-request.ts';
import type { MakeRequest } from './intent.ts';
import type { RequestPorts } from './ports.ts';
import { createRobots, type Robots } from './robots.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createExchangeInTurn } from './turn.ts';

/** The requests of a daemon, and the robots.txt and sessions that they share. */
export interface Requests {
  readonly make: MakeRequest;
  /**
   * Brings about what must be known before a source is asked at an origin: its robots.txt, and then a log-in; `undefined` where nothing is
   * missing. Rejects with the signal's reason when that fires first.
   */
  prepare(source: Source, origin: string, signal: AbortSignal): Promise<unknown> | undefined;
  readonly robots: Robots;
  readonly sessions: Sessions;
}

/**
 * Builds what makes requests. A request meets it in this order:
 *
 * 1. `make-request.ts`: for a pulse, the state of its source's circuit
 * 2. `robots.ts`: robots.txt
 * 3. `sessions.ts`: the session, logged in if need be
 * 4. `turn.ts`: its turn: the one with which its scrape begins, or one at the gate: the line of its host, a late look at robots.txt, the
 *    circuit of its source for its target
 * 5. `turn.ts`: the exchange, with the credentials of the session and by the proxy of the source
 * 6. `sent-credentials.ts`: the secrets that it was sent with are taken out of the result
 * 7. `redirects.ts`: a redirect is followed by a further request, which begins at the first step; `src/scrape/visit.ts` makes it
 *
 * The requests of robots.txt and of log-ins begin at their turn.
 */
export function createRequests(ports: RequestPorts): Requests {
  const exchange = createExchangeInTurn(ports);
  const robots = createRobots(ports, exchange);
  const sessions = createSessions(ports, robots.exchange);
  return {
    make: createMakeRequest({ ...ports, circuits: ports.hosts.circuits }, { robots, sessions, exchange }),
    prepare(source, origin, signal) {
      const login = () => sessions.prepare(source);
      return robots.prepare(source, `${origin}/`, signal)?.then(login) ?? login();
    },
    robots,
    sessions,
  };
}
