import { countOf } from './few.ts';
import type { Life } from './life.ts';

/** Bytes on Node's heap, as measured. */
const bytesOf = { life: 240, child: 100, message: 48, link: 30, timer: 48, key: 190, monitor: 250, signal: 110 };

/**
 * About how many bytes of the heap the kernel keeps for a life: its record, timers, links, monitors and keys, the records
 * of its children, and for each message that waits a slot and an object of two fields. JavaScript tells nobody what the
 * actor's own variables, or what its messages point at, take: those are not counted.
 */
export function memoryBytes(life: Life, children: number): number {
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
