import type { Ref } from '../src/actor/types.ts';
import type { Lease } from '../src/fetch/out-turns.ts';
import type { TurnOutcome } from '../src/fetch/turn-outcome.ts';
import type { Wish } from '../src/fetch/wish.ts';
import type { HostsMessage } from './hosts.ts';

/** Leave to send one request. */
export interface Turn {
  /** Tells that the request went out: the gap to the next one counts from here. */
  sent(): void;
  /** Gives the turn back; further calls do nothing. */
  done(outcome: TurnOutcome): void;
}

/**
 * Waits for leave to send one request. Rejects with the signal's reason when that fires first, or with a `CallError`
 * when the ledgers' life ends; either way nothing stays taken. Who has the turn must call `done`.
 */
export async function takeTurn(hosts: Ref<HostsMessage>, wish: Omit<Wish, 'id'>, signal: AbortSignal): Promise<Turn> {
  signal.throwIfAborted();
  const id = Symbol(wish.key);
  const withdraw = () => hosts.send({ type: 'withdraw', id });
  signal.addEventListener('abort', withdraw);
  try {
    const lease = await hosts.ask<Lease | 'withdrawn'>((reply) => ({ type: 'ask-turn', ...wish, id, reply }), Infinity);
    // The turn and the withdrawal may have crossed.
    if (lease !== 'withdrawn' && signal.aborted) hosts.send({ type: 'done', lease, outcome: { kind: 'unused' } });
    signal.throwIfAborted();
    if (lease === 'withdrawn') throw new Error(`the wish for a turn of ${wish.key} was withdrawn by another`);
    return turnOf(hosts, lease);
  } finally {
    signal.removeEventListener('abort', withdraw);
  }
}

function turnOf(hosts: Ref<HostsMessage>, lease: Lease): Turn {
  let state: 'taken' | 'sent' | 'done' = 'taken';
  return {
    sent() {
      if (state !== 'taken') return;
      state = 'sent';
      hosts.send({ type: 'sent', lease });
    },
    done(outcome) {
      if (state === 'done') return;
      state = 'done';
      hosts.send({ type: 'done', lease, outcome });
    },
  };
}
