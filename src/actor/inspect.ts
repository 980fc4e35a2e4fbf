import type { Child } from './child.ts';
import { typeOf } from './child-spec.ts';
import type { Life } from './life.ts';
import type { ExitReason } from './types.ts';

/** One life, or one child of a supervisor that has no life at present, as an operator sees it. */
export interface LifeView {
  /** The life's id; for a child without a life, that of its spec. */
  readonly id: string;
  /** The id in the child's spec, or given to `spawn`. */
  readonly name: string;
  readonly kind: 'actor' | 'supervisor';
  readonly state: 'starting' | 'running' | 'suspended' | 'stopping' | 'ended' | 'restarting' | 'stopped';
  /** Messages waiting. */
  readonly mailbox: number;
  /** How often its supervisor restarted it. */
  readonly restarts: number;
  /** Since the life began, in milliseconds; 0 without a life. */
  readonly ageMs: number;
  /** How the last life of this child ended. */
  readonly lastExit?: ExitReason;
  readonly children: readonly LifeView[];
}

/** A life and those below it. */
export function viewLife(life: Life): LifeView {
  return {
    id: life.id,
    name: life.name,
    kind: life.viewChildren === undefined ? 'actor' : 'supervisor',
    state: life.phase,
    mailbox: life.mailboxSize,
    restarts: 0,
    ageMs: life.kernel.clock.monotonic() - life.startedAt,
    children: life.viewChildren?.() ?? [],
  };
}

/** A child of a supervisor, with what is remembered of its earlier lives. */
export function viewChild({ spec, life, state, restarts, lastExit }: Child): LifeView {
  const exit = lastExit === undefined ? {} : { lastExit };
  if (life !== undefined && state === 'running') return { ...viewLife(life), restarts, ...exit };
  const kind = typeOf(spec) === 'supervisor' ? 'supervisor' : 'actor';
  return { id: spec.id, name: spec.id, kind, state, mailbox: 0, restarts, ageMs: 0, ...exit, children: [] };
}
