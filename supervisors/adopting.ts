import { dynamicSupervisor, type DynamicSupervisorMessage } from '../src/actor/dynamic-supervisor.ts';
import type { Actor, ExitReason } from '../src/actor/types.ts';
import type { Kind } from '../workers/reconciler.ts';

export interface AdoptingDeps {
  /** Told of each child that used up its budget. */
  gaveUp(kind: Kind, id: string, reason: ExitReason): void;
}

/** Takes in whatever the reconciler starts of one kind: 3 restarts in 5 s for each child, and a child that needs more is given up. */
export function adopting(kind: Kind, deps: AdoptingDeps): Actor<DynamicSupervisorMessage> {
  return dynamicSupervisor({
    budget: 'per_child',
    intensity: 3,
    periodMs: 5_000,
    gaveUp: (spec, reason) => deps.gaveUp(kind, spec.id, reason),
  });
}
