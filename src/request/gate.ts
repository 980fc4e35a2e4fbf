import type { SourceCircuit, TargetOutcome } from '../fetch/ledger/circuit.ts';
import type { Offer } from '../fetch/ledger/host-line.ts';
import type { Lease } from '../fetch/ledger/turn-leases.ts';
import type { TurnOutcome } from '../fetch/ledger/turn-outcome.ts';

/** The right to send one request to one host. */
export interface Grant {
  readonly lease: Lease;
  /** Reports that the request went out; the gap to the next request of the host counts from here. Further calls do nothing. */
  sent(): void;
}

/** A request that waits for its turn. */
export interface RequestWish extends Offer {
  /** Whether other offers of the source wait for this one, as for a robots.txt or a log-in. It passes them. */
  readonly isPrerequisite?: boolean | undefined;
  /** Brings about what must be known before the request is sent, as its turn is about to be granted; `undefined` where nothing is missing. */
  prepare?(): Promise<unknown> | undefined;
}

/** The gate to the host ledgers. A caller takes a turn, sends one request, and gives the turn back. */
export interface Gate {
  /**
   * Puts a request into its line and waits for its turn. The caller must give the turn back by `done`. Rejects with the signal's reason
   * when that fires first, with a `CallError` when the ledgers end, and with what `check` throws. No turn stays taken then.
   *
   * @param check - decides as the turn has come whether it is used. For any answer but `allowed` the turn is given back unused, and `take`
   *   resolves with the answer. Default: each turn is used.
   */
  take<V = never>(wish: RequestWish, signal: AbortSignal, check?: () => 'allowed' | V): Promise<Grant | V>;
  /** Gives a turn back with the outcome of its request. Further calls do nothing. */
  done(grant: Grant, outcome: TurnOutcome): void;
}

/** The turn with which a scrape begins, with the rank by which its target waited for it. */
export interface FirstTurn extends Pick<Offer, 'key' | 'dueAt' | 'deadlineAt' | 'isManual'> {
  /** Whether the turn has waited so long for its target that it may expire before a request is sent. */
  isLate(): boolean;
  /** Takes the turn for a request, which gives it back by `Gate.done`; `undefined` when it is late, or was taken or given back before. */
  take(): Grant | undefined;
  /** Gives the turn back unused, unless it was taken. */
  giveBack(): void;
  /** Gives the turn back unused, and the place in the circuit that its target has taken up. */
  decline(): void;
}

/** The circuits of sources. The circuit of a source is open while most of its targets fail; then hardly any may be requested. */
export interface Circuits {
  /** Reports the verdict on a target that was granted a turn. */
  ended(source: string, outcome: TargetOutcome): void;
  /** The state of one circuit; `undefined` where nothing is known of it. Rejects with a `CallError` when the ledgers end. */
  of(source: string): Promise<SourceCircuit | undefined>;
}
