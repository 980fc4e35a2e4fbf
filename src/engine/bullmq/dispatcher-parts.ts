import { nanoid } from 'nanoid';
import { Channel } from './channel.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import { Lease, type LeaseDeps } from './lease.ts';
import type { QueueServer } from './queue-server.ts';
import { ServerTime } from './server-time.ts';

/** What a dispatcher has to do with others by. */
export interface DispatcherParts {
  /** Measured. */
  readonly time: ServerTime;
  readonly channel: Channel;
  /** Taken. */
  readonly lease: Lease;
}

/** Opens the parts of a dispatcher, once no other daemon has the lease. Rejects when the server cannot be used, and with the signal's reason. */
export async function openParts(
  server: QueueServer,
  deps: DispatcherDeps,
  signal: AbortSignal,
): Promise<DispatcherParts> {
  const { cluster, clock } = deps;
  const time = new ServerTime(
    () => server.now(),
    () => clock.monotonic(),
  );
  await time.measure();
  const asking = askingFor(deps, () => time.now());
  const lease = await Lease.take(server, asking, signal);
  return { time, lease, channel: new Channel(await server.openRelay(cluster.name), cluster, time) };
}

/** Returns what a lease is taken with by a life of its own. While another daemon has it, the log is told once. */
function askingFor(
  { cluster, holder, watch, warn }: Pick<DispatcherDeps, 'cluster' | 'holder' | 'watch' | 'warn'>,
  now: () => number,
): LeaseDeps {
  let isTold = false;
  return {
    ...{ cluster: cluster.name, holder, life: `${process.pid} ${nanoid()}`, now },
    waits(other) {
      watch?.waits(other);
      const name = other?.holder ?? '';
      if (!isTold)
        warn(`the queues of cluster ${cluster.name} wait for another daemon to end: "${name}" has the lease on them`);
      isTold = true;
    },
  };
}
