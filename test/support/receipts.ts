import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { FromHosts, HostOptions, HostReport, Receipt } from './receipts.thread.ts';

/** Hosts that note when they are asked, each on a port of its own. */
export interface Hosts {
  readonly ports: readonly number[];
  /** Resolves when they have been sent so many requests in all, give or take a hundred. */
  received(count: number): Promise<unknown>;
  report(): Promise<readonly HostReport[]>;
}

/** How often the hosts look at the time; longer pauses between two looks are what `lateMs` tells of. */
export const beatMs = 1;

/** A timer of the daemon may fire within the millisecond before its instant is over. */
const clockMs = 1;

/** Opens hosts on a thread of their own; resolves when they listen. They end with the test. */
export async function openHosts(t: TestContext, options: readonly HostOptions[]): Promise<Hosts> {
  const worker = new Worker(join(import.meta.dirname, 'receipts.thread.ts'), { workerData: options });
  t.after(() => worker.terminate());
  const heard = new Set<(message: FromHosts) => void>();
  worker.on('message', (message: FromHosts) => {
    for (const hear of heard) hear(message);
  });
  const { ports } = await until('listening');
  return {
    ports,
    received: (count) => until('received', (message) => message.requests >= count),
    async report() {
      const told = until('report');
      worker.postMessage('report', []);
      return (await told).hosts;
    },
  };

  function until<T extends FromHosts['type']>(
    type: T,
    isWanted: (message: Extract<FromHosts, { type: T }>) => boolean = () => true,
  ): Promise<Extract<FromHosts, { type: T }>> {
    const { promise, resolve } = Promise.withResolvers<Extract<FromHosts, { type: T }>>();
    const hear = (message: FromHosts): void => {
      if (message.type !== type || !isWanted(message as Extract<FromHosts, { type: T }>)) return;
      heard.delete(hear);
      resolve(message as Extract<FromHosts, { type: T }>);
    };
    heard.add(hear);
    return promise;
  }
}

/**
 * By how much each gap between the requests of a host is shorter than `policyMs`; negative where it is longer. Fails where
 * that is more than the clock and the host's own lateness explain: what was seen late seems closer to what followed, while
 * a next one that was seen late as well hides nothing.
 */
export function shortfallsOf(receipts: readonly Receipt[], policyMs: number, name: string): number[] {
  return receipts.slice(1).map(({ at }, index) => {
    const before = receipts[index] ?? assert.fail();
    const gapMs = at - before.at;
    const { lateMs } = before;
    assert.ok(gapMs >= policyMs - lateMs - clockMs, `${name}: a gap of ${gapMs} ms, seen up to ${lateMs} ms late`);
    return policyMs - gapMs;
  });
}
