import type { Child } from './child.ts';
import { typeOf } from './child-spec.ts';
import type { Life } from './life.ts';
import { memoryBytes } from './memory.ts';
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
  /** What the kernel keeps for the life, about; see `memoryBytes`. 0 without a life. */
  readonly memoryBytes: number;
  /** How the last life of this child ended, or why it did not start. */
  readonly lastExit?: ExitReason;
  readonly children: readonly LifeView[];
}

/** A life and those below it. */
export function viewLife(life: Life): LifeView {
  const children = life.viewChildren?.() ?? [];
  return {
    id: life.id,
    name: life.name,
    kind: life.viewChildren === undefined ? 'actor' : 'supervisor',
    state: life.phase,
    mailbox: life.mailboxSize,
    restarts: 0,
    ageMs: life.kernel.clock.monotonic() - life.startedAt,
    memoryBytes: memoryBytes(life, children.length),
    children,
  };
}

/** A child of a supervisor, with what is remembered of its earlier lives. */
export function viewChild(supervisor: Life, { spec, life, state, restarts, lastExit }: Child): LifeView {
  const exit = lastExit === undefined ? {} : { lastExit };
  const shown = state === 'running' ? life : lifeStarting(supervisor, spec.id);
  if (shown !== undefined) return { ...viewLife(shown), restarts, ...exit };
  const kind = typeOf(spec) === 'supervisor' ? 'supervisor' : 'actor';
  const nothing = { mailbox: 0, ageMs: 0, memoryBytes: 0, children: [] };
  return { id: spec.id, name: spec.id, kind, state, restarts, ...nothing, ...exit };
}

/** The supervisor does not know the life of a child before it has started, but is linked to it. */
function lifeStarting(supervisor: Life, id: string): Life | undefined {
  for (const life of supervisor.linkedChildren ?? []) {
    if (life.phase === 'starting' && life.name === id) return life;
  }
  return undefined;
}
