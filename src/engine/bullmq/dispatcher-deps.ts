import type { Clock } from '../../clock.ts';
import type { CarriedTurn } from '../../fetch/ledger/turn-leases.ts';
import type { StepOutcome } from '../step.ts';
import type { Cluster } from './cluster.ts';
import type { DeathStore } from './deaths.ts';
import type { QueuesWatch } from './queues-watch.ts';

/** The dependencies of a dispatcher. */
export interface DispatcherDeps {
  readonly clock: Clock;
  readonly cluster: Cluster;
  /** Names the daemon: the same in each of its lives. */
  readonly holder: string;
  /** Told how many steps may be with worker processes at a time, whenever that changes. */
  credited(steps: number): void;
  /** How long a worker process that went away without a word is still told of, in ms. */
  readonly forgetAfterMs: number;
  /** The turns of requests that were under way when the daemon started. Default: nobody is told of them. */
  readonly turns?: {
    /** Called for each of them before any step is credited. */
    adopted(turn: CarriedTurn): void;
    /** Called when one is over, with the outcome of its request, if that is known. */
    ended(turn: CarriedTurn, outcome: StepOutcome | undefined): void;
  };
  /** Where the worker processes are kept that were lost with steps. Default: they are forgotten with the dispatcher. */
  readonly deaths?: DeathStore;
  /** Called once where another daemon has taken over: nothing may be done with the queues any more. */
  superseded(): void;
  /** Told that the lease is this daemon's, again each time that it is renewed, and while the daemon waits for it, who has it. Default: nobody is told. */
  readonly watch?: Pick<QueuesWatch, 'failed' | 'renewed' | 'waits'>;
  /** How long a turn may be used, in ms of real time. Default 14 s. */
  readonly sendWithinMs?: number;
  warn(what: string, error?: unknown): void;
}
