import { setTimeout as delay } from 'node:timers/promises';
import { type RunStep, type Step, TurnUnused } from '../../../src/engine/step.ts';

/** A step for an address of a site that is not there. */
export function stepOf(path: string): Step {
  const limits = { connectMs: 1_000, headersMs: 1_000, bodyMs: 1_000, totalMs: 1_000, maxBytes: 1_000 };
  return { request: { url: `http://site.test${path}`, allowPrivate: false, limits } };
}

/** The paths of the steps that were played in this process. */
export const playedPaths: string[] = [];

let held = Promise.withResolvers<void>();

/** Ends the steps for `/held` that are played in this process. */
export function letGo(): void {
  held.resolve();
  held = Promise.withResolvers();
}

/** Plays steps: `/deadly` ends its process, `/beside` ends only in a process of its own, `/held` when it is let go, `/hang` is sent and ends when it is cancelled, `/unsent` is never sent, `/busy` is refused by the site, `/broken` is an error, any other one is a redirect. */
export function played(now: () => number, { isAlone = false } = {}): RunStep {
  return async (step, signal, onSent) => {
    if (now() > (step.sendBy ?? Infinity)) throw new TurnUnused('late');
    const { pathname } = new URL(step.request.url);
    if (pathname === '/broken') throw new Error('broken inside');
    if (pathname !== '/unsent') onSent();
    playedPaths.push(pathname);
    if (pathname === '/held') await held.promise;
    if (pathname === '/deadly') process.kill(process.pid, 'SIGKILL');
    if (pathname === '/beside' && !isAlone) await new Promise(() => undefined);
    if (pathname === '/hang' || pathname === '/unsent') {
      await delay(600_000, undefined, { signal }).catch(() => undefined);
      return {
        kind: 'failed',
        failure: { code: 'cancelled', message: 'cancelled' },
        at: now(),
        elapsedMs: 5,
        bytes: 0,
      };
    }
    if (pathname === '/busy') {
      const failure = { code: 'status', message: 'too many', retryAfterMs: 60_000 };
      return { kind: 'failed', failure, at: now(), elapsedMs: 5, bytes: 0, status: 429 };
    }
    return { kind: 'redirect', location: `${step.request.url}#there`, at: now(), elapsedMs: 5, bytes: 0, status: 302 };
  };
}
