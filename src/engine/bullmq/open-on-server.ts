import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { MissingPeer } from '../../load-peer.ts';
import { openQueueServer } from './open-queue-server.ts';
import type { QueueServer } from './queue-server.ts';
import { unlessAborted } from './unless-aborted.ts';

/** The pauses between two attempts to reach a server, in ms: the first, and the longest. */
const [firstPauseMs, longestPauseMs] = [1_000, 30_000];

/** A warning that is repeated is told again after so long, in ms. */
const apartMs = 60_000;

/** The warnings that are remembered as told. */
const mostNoted = 1_000;

/** Of all warnings together one is told in so long, in ms, and one that says the same as the last of its kind is dropped. */
const secondMs = 1_000;

/** The queues of a daemon and its worker processes. */
export interface Queues {
  /** Resolves with the address of their server, password included. Rejects while that is not known. */
  address(): Promise<string>;
  /** The name that they share. */
  readonly cluster: string;
  /** The 32 bytes with which they seal what they tell each other. */
  readonly key: Uint8Array;
}

/** How the server of the queues is reached. */
export interface Reach extends Pick<Queues, 'address'> {
  /** Whether the tables that the server needs are made. */
  readonly migrate: boolean;
  monotonic(): number;
  warn(what: string, error?: unknown): void;
  /** Called with each error, also with those of which no warning is given. Default: nobody is told. */
  failed?(error: unknown): void;
}

/**
 * Opens something on the server of the queues, and the server itself; tries again until it succeeds. Rejects with the signal's reason, within seconds also
 * where the server does not answer, and with a `MissingPeer`.
 *
 * @param open - opens it; what it opened on the server before it rejects is closed.
 */
export async function openOnServer<T>(
  reach: Reach,
  open: (server: QueueServer) => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly server: QueueServer; readonly opened: T }> {
  const tell = sparingly(reach, 'the queues cannot be used, and are tried again');
  const failed = (error: unknown): void => {
    reach.failed?.(error);
    tell(error);
  };
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    let server: QueueServer | undefined;
    try {
      const address = await unlessAborted(reach.address(), signal);
      const opening = openQueueServer(address, { failed, migrate: reach.migrate });
      server = await unlessAborted(opening, signal, (late) => void late.close().catch(failed));
      return { server, opened: await unlessAborted(open(server), signal) };
    } catch (error) {
      await server?.close().catch(failed);
      signal.throwIfAborted();
      if (error instanceof MissingPeer) throw error;
      failed(error);
      await delay(pauseMs, undefined, { signal });
    }
  }
}

/** Returns a function that warns once a minute at most: a server that is away fails many times a second. */
function sparingly({ warn, monotonic }: Reach, what: string): (error: unknown) => void {
  let toldAt = -Infinity;
  return (error) => {
    if (monotonic() - toldAt < apartMs) return;
    toldAt = monotonic();
    warn(what, plainError(error));
  };
}

/**
 * Returns a `warn` that tells errors by their messages alone, and one a second at most: a server that goes away fails all that is under way at once. What
 * comes sooner is told in turn, the newest of its kind alone; a kind that was told within the second is dropped, and what was told in the same words within
 * the minute.
 *
 * @param deps.ending - from its firing on, all that would have to wait is dropped.
 */
export function plainWarn({
  warn,
  clock,
  ending,
}: Pick<Reach, 'warn'> & { readonly clock: Clock; readonly ending: AbortSignal }): Reach['warn'] {
  const waiting = new Map<string, Error | undefined>();
  const told = new Map<string, number>();
  let last: { readonly what: string; readonly at: number } | undefined;
  let timer: number | undefined;
  ending.addEventListener('abort', () => {
    if (timer !== undefined) clock.cancel(timer);
    timer = undefined;
    waiting.clear();
  });

  return (what, error) => {
    const now = clock.monotonic();
    const isRecent = last !== undefined && now - last.at < secondMs;
    if (isRecent && (last?.what === what || ending.aborted)) return;
    const plain = error === undefined ? undefined : plainError(error);
    if (now - (told.get(wordsOf(what, plain)) ?? -Infinity) < apartMs) return;
    waiting.set(what, plain);
    if (!isRecent && timer === undefined) return tellNext();
    arm();
  };

  function arm(): void {
    if (timer !== undefined || waiting.size === 0) return;
    timer = clock.at((last?.at ?? -Infinity) + secondMs, () => {
      timer = undefined;
      tellNext();
    });
  }

  function note(words: string, at: number): void {
    for (const [each, before] of told) if (at - before >= apartMs || told.size >= mostNoted) told.delete(each);
    told.set(words, at);
  }

  function tellNext(): void {
    for (const [what, error] of waiting) {
      waiting.delete(what);
      last = { what, at: clock.monotonic() };
      note(wordsOf(what, error), last.at);
      warn(what, error);
      break;
    }
    arm();
  }
}

function wordsOf(what: string, error: Error | undefined): string {
  return `${what}: ${error?.message}`;
}

/** Returns an error with the message alone: those of the packages hold the commands that failed, and so the password. */
export function plainError(error: unknown): Error {
  return new Error(error instanceof Error ? error.message : String(error));
}
