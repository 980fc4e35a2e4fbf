import { setTimeout as delay } from 'node:timers/promises';
import { atMost } from './at-most.ts';
import type { QueueServer } from './queue-server.ts';

/** How long the lease on a cluster lasts unless it is renewed, in ms: two renewals may fail. */
const leaseMs = 20_000;

/** How often a daemon asks for a lease that another one holds, in ms. */
const askEveryMs = 2_000;

/** How long it may take to give it up, in ms. */
const giveUpMs = 2_000;

/** Who asks for a lease. */
export interface LeaseHolder {
  /** Names the daemon, the same in each of its lives: the next life has the lease at once. */
  readonly holder: string;
  /** Names one life of the daemon. */
  readonly life: string;
  /** The epoch of a lease that is renewed: it is kept where the server has lost the lease. */
  readonly epoch?: number;
}

/** What a lease is taken with. */
export interface LeaseDeps extends LeaseHolder {
  /** The name of the cluster. */
  readonly cluster: string;
  /** The server's time, in ms. */
  now(): number;
  /** Called each time that the server was asked while another daemon holds the lease, with who that is. */
  waits(holder: LeaseHolder | undefined): void;
}

/** The right of one daemon to use the queues of a cluster. It ends by itself, by the server's clock; a request may be sent only before it has. */
export class Lease {
  /** Higher than that of every life that had the lease before. */
  readonly epoch: number;
  readonly #server: QueueServer;
  readonly #deps: LeaseDeps;
  #until: number;

  private constructor(server: QueueServer, deps: LeaseDeps, held: { readonly epoch: number; readonly until: number }) {
    this.epoch = held.epoch;
    this.#server = server;
    this.#deps = deps;
    this.#until = held.until;
  }

  /** Takes the lease, and waits for it while another daemon has it. Rejects as the server does, and with the signal's reason. */
  static async take(server: QueueServer, deps: LeaseDeps, signal: AbortSignal): Promise<Lease> {
    for (;;) {
      signal.throwIfAborted();
      const askedAt = deps.now();
      const epoch = await server.takeLease(deps.cluster, deps, leaseMs);
      if (epoch !== undefined) return new Lease(server, deps, { epoch, until: askedAt + leaseMs });
      deps.waits(await server.leaseHolder(deps.cluster));
      await delay(askEveryMs, undefined, { signal });
    }
  }

  /** The server's time at which it ends, in ms. */
  get until(): number {
    return this.#until;
  }

  /** Renews it. Resolves with whether it is still held. */
  async renew(): Promise<boolean> {
    const askedAt = this.#deps.now();
    const holder = { ...this.#deps, epoch: this.epoch };
    const epoch = await this.#server.takeLease(this.#deps.cluster, holder, leaseMs);
    if (epoch !== this.epoch) return false;
    this.#until = askedAt + leaseMs;
    return true;
  }

  /** Gives it up, so that another daemon need not wait for its end. Resolves also where the server is away. */
  async giveUp(): Promise<void> {
    this.#until = 0;
    await atMost(giveUpMs, this.#server.takeLease(this.#deps.cluster, this.#deps, 0));
  }
}
