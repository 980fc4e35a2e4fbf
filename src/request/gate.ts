import type { CircuitAnswer, SourceCircuit, TargetOutcome } from '../fetch/ledger/circuit.ts';
import type { Offer, OfferId } from '../fetch/ledger/host-line.ts';
import type { TurnOutcome } from '../fetch/ledger/turn-outcome.ts';

/** The right to send one request to one host. */
export interface Grant {
  /** Reports that the request went out; the gap to the next request of the host counts from here. Further calls do nothing. */
  sent(): void;
}

/** The gate to the host ledgers. A caller offers a request, takes its turn when that is granted, and gives the turn back. */
export interface Gate {
  /** Puts a request into the line of its host. Each offer must be taken or withdrawn. */
  offer(offer: Offer): OfferId;
  /**
   * Withdraws an offer that waits; a `take` that waits for it rejects. Does nothing for an offer whose `take` has ended, or that was
   * withdrawn.
   */
  withdraw(id: OfferId): void;
  /**
   * Waits for the turn of an offer, and while the circuit of its source holds its target back. The caller must give the turn back by
   * `done`. Rejects with the signal's reason when that fires first, with a `CallError` when the ledgers end, with what `check` throws, and
   * with an `Error` for an offer that is withdrawn, or that `take` was called for before. No turn stays taken then.
   *
   * @param check - decides, each time that a turn has come and before the circuit is asked, whether the turn is used. For any answer but
   *   `allowed` the turn is given back unused, the offer is over, and `take` resolves with the answer. Default: each turn is used.
   */
  take<V = never>(id: OfferId, signal: AbortSignal, check?: () => 'allowed' | V): Promise<Grant | V>;
  /** Gives a turn back with the outcome of its request. Further calls do nothing. */
  done(grant: Grant, outcome: TurnOutcome): void;
}

/** The circuits of sources. The circuit of a source is open while most of its targets fail; then hardly any may be requested. */
export interface Circuits {
  /** Whether a target may be requested now; if so, it takes up a probe of an open circuit. Rejects with a `CallError` when the ledgers end. */
  mayAsk(source: string, target: number): Promise<CircuitAnswer>;
  /** Reports the verdict on a target that `mayAsk` let through. */
  ended(source: string, outcome: TargetOutcome): void;
  /** The state of one circuit; `undefined` where nothing is known of it. Rejects with a `CallError` when the ledgers end. */
  of(source: string): Promise<SourceCircuit | undefined>;
}
