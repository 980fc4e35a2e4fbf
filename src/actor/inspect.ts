import { defined } from '../defined.ts';
import type { Child } from './child.ts';
import { typeOf } from './child-spec.ts';
import type { Life } from './life.ts';
import { countOf } from './one-or-set.ts';
import type { LifeView } from './report.ts';

/** Measured bytes on Node's heap. */
const bytesOf = { life: 288, child: 40, message: 48, link: 30, timer: 48, key: 90, monitor: 250, signal: 110 };

/** A life and the lives below it. */
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
  const shown = state === 'running' ? life : lifeStarting(supervisor, spec.id);
  if (shown !== undefined) return { ...viewLife(shown), restarts, ...defined({ lastExit }) };
  const kind = typeOf(spec) === 'supervisor' ? 'supervisor' : 'actor';
  const nothing = { mailbox: 0, ageMs: 0, memoryBytes: 0, children: [] };
  return { id: spec.id, name: spec.id, kind, state, restarts, ...nothing, ...defined({ lastExit }) };
}

/** The life of a child that is starting: its supervisor does not know it yet. */
function lifeStarting(supervisor: Life, id: string): Life | undefined {
  for (const life of supervisor.children ?? []) {
    if (life.phase === 'starting' && life.name === id) return life;
  }
  return undefined;
}

/**
 * Roughly how many bytes of the heap the kernel keeps for a life: its record, timers, links, monitors and keys, the records
 * of its children, and for each message that waits a slot and an object of two fields. What the actor's own variables
 * take, or what its messages point at, JavaScript does not tell: those are not counted.
 */
function memoryBytes(life: Life, children: number): number {
  return (
    bytesOf.life +
    bytesOf.child * children +
    bytesOf.message * life.mailboxSize +
    bytesOf.link * countOf(life.links) +
    bytesOf.timer * life.kernel.clock.countFor(life) +
    bytesOf.key * countOf(life.holds) +
    bytesOf.monitor * (life.monitors?.size ?? 0) +
    (life.controller === undefined ? 0 : bytesOf.signal)
  );
}
