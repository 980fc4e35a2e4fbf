import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Ref } from '../../src/actor/types.ts';
import { VirtualClock } from '../../src/clock.ts';
import type { LedgerRow } from '../../src/fetch/ledger/ledger-row.ts';
import type { Policy } from '../../src/fetch/ledger/policy.ts';
import type { TurnOutcome } from '../../src/fetch/ledger/turn-outcome.ts';
import type { Offer } from '../../src/fetch/ledger/host-line.ts';
import { hosts, type HostsDeps, type HostsMessage } from '../../workers/hosts.ts';
import { createGate } from '../../workers/gate.ts';

/** Wall time at the start of the clock. */
export const startedAt = Date.UTC(2026, 0, 1);

/** With every gap drawn from the middle: one request a second. */
export const polite: Policy = { concurrency: 1, delayMs: 1_000, minDelayMs: 500 };

/** One at a time, without a gap. */
export const hasty: Policy = { concurrency: 1, delayMs: 0, minDelayMs: 0 };

/** The outcome of most turns. */
export const answered: TurnOutcome = { kind: 'answered' };

/** A signal that does not fire. */
export const never: AbortSignal = new AbortController().signal;

/** Starts the `hosts` actor on a clock of its own; it ends with the test. */
export async function startHosts(t: TestContext, given: Partial<HostsDeps> = {}) {
  const clock = new VirtualClock(startedAt);
  const system = createSystem({ clock });
  const saved = new Map<string, LedgerRow>();
  let saves = 0;
  const deps: HostsDeps = {
    clock,
    registry: new Registry<'hosts', HostsMessage>(),
    random: () => 0.5,
    loadHosts: () => saved,
    saveHosts(rows) {
      saves += 1;
      for (const [key, row] of rows) {
        if (row) saved.set(key, row);
        else saved.delete(key);
      }
    },
    hasRoom: () => true,
    granted: () => assert.fail('no target was offered'),
    maxInFlight: 256,
    ...given,
  };
  const ref = await spawn();

  return { ref, saved, clock, system, saves: () => saves, again: spawn, pass };

  /** Another call is another life with the same deps. */
  async function spawn(): Promise<Ref<HostsMessage>> {
    const spawned = await system.spawn<HostsMessage>((self) => hosts(self, deps), { id: 'hosts' });
    if (spawned.ok !== true) assert.fail('hosts did not start');
    t.after(() => system.exit(spawned.ref, 'shutdown'));
    return spawned.ref;
  }

  /** Lets virtual time pass, and all that it brings come to its end. */
  async function pass(ms: number): Promise<void> {
    const until = clock.monotonic() + ms;
    await system.idle();
    while (clock.monotonic() < until) {
      clock.advance(Math.min(clock.next() ?? until, until) - clock.monotonic());
      await system.idle();
    }
  }
}

/** A turn that was granted. */
export interface Turn {
  sent(): void;
  done(outcome: TurnOutcome): void;
}

/** Offers a request and takes its turn. */
export async function takeTurn(ref: Ref<HostsMessage>, offer: Offer, signal: AbortSignal): Promise<Turn> {
  const gate = createGate(ref);
  const grant = await gate.take(offer, signal);
  return { sent: () => grant.sent(), done: (outcome) => gate.done(grant, outcome) };
}

/** A turn asked for, and what has come of it. */
export interface Wished {
  turn?: Turn;
  error?: unknown;
  /** Resolves either way. */
  readonly ended: Promise<void>;
}

/** Asks for a turn. */
export function wish(ref: Ref<HostsMessage>, key: string, { dueAt = 0, policy = polite, signal = never } = {}): Wished {
  const wished: Wished = {
    ended: takeTurn(ref, { key, policy, dueAt }, signal).then(
      (turn) => void (wished.turn = turn),
      (error: unknown) => void (wished.error = error),
    ),
  };
  return wished;
}
