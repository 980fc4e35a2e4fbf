import type { Ref } from '../src/actor/types.ts';
import type { SourceCircuit } from '../src/fetch/ledger/circuit.ts';
import type { ExpectedWait } from '../src/fetch/ledger/ledger-view.ts';
import type { Lease } from '../src/fetch/ledger/turn-leases.ts';
import type { FirstTurn, Gate, Grant, RequestWish } from '../src/request/gate.ts';
import type { HostPorts } from '../src/request/ports.ts';
import type { TargetOffer } from '../src/request/target-offer.ts';
import type { HostsMessage } from './hosts.ts';

/** The gate of requests, and the turns with which scrapes begin. */
export interface HostsGate extends Gate {
  /**
   * The turn that the ledgers handed to a target.
   *
   * @param isLate - whether the turn may expire before a request is sent.
   */
  firstTurn(offer: TargetOffer, lease: Lease, isLate: () => boolean): FirstTurn;
  /** Takes back the offer of a target, and its turn where that was granted and is not used yet. */
  withdraw(offer: Pick<TargetOffer, 'id' | 'project'>): void;
}

/** The ports of requests to the actor `hosts`. */
export function hostPorts(hosts: Ref<HostsMessage>): HostPorts & { readonly gate: HostsGate } {
  return {
    gate: createGate(hosts),
    circuits: {
      ended: (source, outcome) => hosts.send({ type: 'target-done', source, ...outcome }),
      of: (source) => hosts.ask<SourceCircuit | undefined>((reply) => ({ type: 'circuit', source, reply }), Infinity),
    },
    expectedWait: ({ key, policy }) =>
      hosts.ask<ExpectedWait>((reply) => ({ type: 'expected-wait', key, policy, reply }), Infinity),
  };
}

/** The gate to the ledgers that the actor `hosts` keeps. */
export function createGate(hosts: Ref<HostsMessage>): HostsGate {
  const leases = new WeakMap<Grant, Lease>();
  /** The turns of targets that are not used yet. Their projects may end before they hear of them. */
  const unused = new Map<number, { readonly turn: FirstTurn; readonly project: string }>();

  return {
    async take<V>(wish: RequestWish, signal: AbortSignal, check?: () => 'allowed' | V): Promise<Grant | V> {
      const lease = await leaseFor(wish, signal);
      let verdict: 'allowed' | V | undefined;
      try {
        verdict = check?.() ?? 'allowed';
      } finally {
        if (verdict !== 'allowed') decline(lease, wish);
      }
      return verdict === 'allowed' ? grantOf(lease) : verdict;
    },
    done(grant, outcome) {
      const lease = leases.get(grant);
      leases.delete(grant);
      if (lease !== undefined) hosts.send({ type: 'done', lease, outcome });
    },
    firstTurn({ key, dueAt, deadlineAt, isManual, source, project, id }, lease, isLate) {
      let isFree = true;
      const take = (): Grant | undefined => {
        if (!isFree || isLate()) return undefined;
        end();
        return grantOf(lease);
      };
      const turn: FirstTurn = {
        key,
        dueAt,
        deadlineAt,
        isManual,
        isLate,
        take,
        giveBack() {
          if (isFree) hosts.send({ type: 'done', lease, outcome: { kind: 'unused' } });
          end();
        },
        decline() {
          if (isFree) decline(lease, { source, target: id });
          end();
        },
      };
      unused.set(id, { turn, project });
      return turn;

      function end(): void {
        isFree = false;
        if (unused.get(id)?.turn === turn) unused.delete(id);
      }
    },
    withdraw({ id, project }) {
      hosts.send({ type: 'withdraw', id, project });
      const given = unused.get(id);
      if (given?.project === project) given.turn.decline();
    },
  };

  /** Waits in line. Rejects with the signal's reason when that fires first; a turn that is granted all the same is given back. */
  async function leaseFor(wish: RequestWish, signal: AbortSignal): Promise<Lease> {
    signal.throwIfAborted();
    const id = Symbol(wish.key);
    const leave = (): void => hosts.send({ type: 'withdraw', id });
    signal.addEventListener('abort', leave);
    try {
      const granted = await hosts.ask<Lease | 'withdrawn'>(
        (reply) => ({ type: 'offer', offer: { ...wish, id, reply } }),
        Infinity,
      );
      if (granted === 'withdrawn') throw signal.reason;
      if (signal.aborted) decline(granted, wish);
      signal.throwIfAborted();
      return granted;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  function decline(lease: Lease, { source, target }: Pick<RequestWish, 'source' | 'target'>): void {
    hosts.send({ type: 'declined', lease, of: { source, target } });
  }

  function grantOf(lease: Lease): Grant {
    let isSent = false;
    const grant: Grant = {
      lease,
      sent() {
        if (isSent || !leases.has(grant)) return;
        isSent = true;
        hosts.send({ type: 'sent', lease });
      },
    };
    leases.set(grant, lease);
    return grant;
  }
}
