import type { Ref } from '../src/actor/types.ts';
import type { Clock } from '../src/clock.ts';
import type { Timers } from '../src/fetch/abort.ts';
import type { CircuitAnswer, SourceCircuit } from '../src/fetch/ledger/circuit.ts';
import type { Offer, OfferId } from '../src/fetch/ledger/host-line.ts';
import type { ExpectedWait } from '../src/fetch/ledger/ledger-view.ts';
import type { Lease } from '../src/fetch/ledger/turn-leases.ts';
import type { TurnOutcome } from '../src/fetch/ledger/turn-outcome.ts';
import type { Circuits, Gate, Grant } from '../src/request/gate.ts';
import type { HostPorts } from '../src/request/ports.ts';
import type { HostsMessage } from './hosts.ts';

type Granted = Lease | 'withdrawn';

/** An offer that waits in a line, or for the circuit of its source. */
interface WaitingOffer {
  readonly offer: Offer;
  /** The turn, or the next one where the circuit held the offer back. */
  granted: Promise<Granted>;
  isTaken: boolean;
  /** Ends the pause for the circuit; `undefined` where there was none. */
  endPause: (() => void) | undefined;
}

/** The ports of requests to the actor `hosts`. */
export function hostPorts(hosts: Ref<HostsMessage>, clock: Timers & Pick<Clock, 'now'>): HostPorts {
  return {
    gate: createGate(hosts, clock),
    circuits: createCircuits(hosts),
    expectedWait: ({ key, policy }) =>
      hosts.ask<ExpectedWait>((reply) => ({ type: 'expected-wait', key, policy, reply }), Infinity),
  };
}

/** The circuits that the actor `hosts` keeps. */
export function createCircuits(hosts: Ref<HostsMessage>): Circuits {
  return {
    mayAsk: (source, target) =>
      hosts.ask<CircuitAnswer>((reply) => ({ type: 'may-ask', source, target, reply }), Infinity),
    ended: (source, outcome) => hosts.send({ type: 'target-done', source, ...outcome }),
    of: (source) => hosts.ask<SourceCircuit | undefined>((reply) => ({ type: 'circuit', source, reply }), Infinity),
  };
}

/** The gate to the ledgers that the actor `hosts` keeps. */
export function createGate(hosts: Ref<HostsMessage>, clock: Timers & Pick<Clock, 'now'>): Gate {
  const circuits = createCircuits(hosts);
  const waiting = new Map<OfferId, WaitingOffer>();
  const leases = new WeakMap<Grant, Lease>();

  return {
    offer(offer) {
      const id = Symbol(offer.key);
      const granted = enter(id, offer);
      // `take` rejects with the error.
      granted.catch(() => undefined);
      waiting.set(id, { offer, granted, isTaken: false, endPause: undefined });
      return id;
    },
    withdraw,
    take,
    done(grant, outcome) {
      const lease = leases.get(grant);
      leases.delete(grant);
      if (lease !== undefined) giveBack(lease, outcome);
    },
  };

  function enter(id: OfferId, offer: Offer): Promise<Granted> {
    return hosts.ask<Granted>((reply) => ({ type: 'offer', ...offer, id, reply }), Infinity);
  }

  /** Puts an offer back into its line when the circuit of its source may let its target through. */
  async function enterAt(at: number, id: OfferId, entry: WaitingOffer): Promise<Granted> {
    const { promise: paused, resolve } = Promise.withResolvers<void>();
    entry.endPause = resolve;
    const timer = clock.at(clock.monotonic() + Math.max(1, at - clock.now()), resolve);
    await paused;
    clock.cancel(timer);
    return waiting.has(id) ? enter(id, entry.offer) : 'withdrawn';
  }

  function withdraw(id: OfferId): void {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    hosts.send({ type: 'withdraw', id });
    entry.endPause?.();
    // A turn that is granted before `hosts` gets the withdrawal is given back unused.
    entry.granted.then(giveBackUnused, () => undefined);
  }

  async function take<V = never>(id: OfferId, signal: AbortSignal, check?: () => 'allowed' | V): Promise<Grant | V> {
    const entry = waiting.get(id);
    if (entry === undefined || entry.isTaken)
      throw new Error('expected an offer that waits, got one that was taken or withdrawn');
    const { offer } = entry;
    entry.isTaken = true;
    const cut = (): void => withdraw(id);
    signal.addEventListener('abort', cut);
    if (signal.aborted) cut();
    try {
      for (;;) {
        const lease = await entry.granted;
        // The turn of an offer that was withdrawn is given back by `withdraw`.
        if (lease === 'withdrawn' || !waiting.has(id)) throw withdrawn(offer, signal);
        let verdict: 'allowed' | V | undefined;
        try {
          verdict = check?.() ?? 'allowed';
        } finally {
          // A turn that is refused does not ask the circuit, so that it takes up no probe.
          if (verdict !== 'allowed') giveBackUnused(lease);
        }
        if (verdict !== 'allowed') return verdict;
        const answer = await circuitAnswer(offer);
        if (!waiting.has(id)) throw withdrawn(offer, signal);
        if (answer.mayAsk) return grantOf(lease);
        giveBackUnused(lease);
        entry.granted = enterAt(answer.nextAt, id, entry);
      }
    } finally {
      signal.removeEventListener('abort', cut);
      waiting.delete(id);
    }
  }

  async function circuitAnswer({ source, target }: Offer): Promise<CircuitAnswer> {
    return source === undefined || target === undefined ? { mayAsk: true } : circuits.mayAsk(source, target);
  }

  function grantOf(lease: Lease): Grant {
    let isSent = false;
    const grant: Grant = {
      sent() {
        if (isSent || !leases.has(grant)) return;
        isSent = true;
        hosts.send({ type: 'sent', lease });
      },
    };
    leases.set(grant, lease);
    return grant;
  }

  function giveBack(lease: Lease, outcome: TurnOutcome): void {
    hosts.send({ type: 'done', lease, outcome });
  }

  function giveBackUnused(granted: Granted): void {
    if (granted !== 'withdrawn') giveBack(granted, { kind: 'unused' });
  }
}

function withdrawn({ key }: Offer, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : new Error(`the offer of a request to ${key} was withdrawn`);
}
