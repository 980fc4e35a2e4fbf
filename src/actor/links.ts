import type { Life } from './life.ts';
import { SystemMessage } from './mailbox.ts';
import { itemsOf, withItem, withoutItem } from './one-or-set.ts';
import type { ExitReason, Ref } from './types.ts';

/** Links two lives: when one ends, the other gets an exit signal. Linking twice is one link. */
export function link(one: Life, other: Life): void {
  if (one.parent === other) one.isLinkedToParent = true;
  else if (other.parent === one) other.isLinkedToParent = true;
  else {
    one.links = withItem(one.links, other);
    other.links = withItem(other.links, one);
  }
}

/** Removes the link between two lives, if there is one. */
export function unlink(one: Life, other: Life): void {
  if (one.parent === other) one.isLinkedToParent = false;
  else if (other.parent === one) other.isLinkedToParent = false;
  else {
    one.links = withoutItem(one.links, other);
    other.links = withoutItem(other.links, one);
  }
}

/** Sends an exit signal as `exit(Pid, Reason)` does: `kill` cannot be trapped and shows as `killed`. */
export function exit(target: Life, from: Ref<never>, reason: ExitReason): void {
  if (reason === 'kill') target.end('killed');
  else if (reason === 'normal' && from === target.ref && target.wrapExit === undefined) target.end('normal');
  else signalExit(target, from, reason);
}

/**
 * Delivers an exit signal. A life that does not trap exits ends with its reason, unless that is `normal`. A life that does
 * stops in its turn if the signal is its parent's; any other signal becomes a message.
 */
export function signalExit(target: Life, from: Ref<never>, reason: ExitReason): void {
  const { wrapExit } = target;
  if (wrapExit === undefined) {
    if (reason !== 'normal') target.end(reason);
  } else if (from === (target.parent?.ref ?? target.kernel.outside)) {
    target.stopInTurn(reason);
  } else if (wrapExit !== null) {
    target.send(new SystemMessage((behaviour) => behaviour.receive(wrapExit({ from, reason }))));
  }
}

/** Tells of the end of a life: first to its watches, then to the lives linked to it. */
export function tellOfEnd(life: Life): void {
  for (let watch = life.watches; watch !== undefined; watch = life.watches) watch.fire(life.reason);
  const { parent } = life;
  if (life.keptAs === undefined) parent?.children?.delete(life);
  if (parent !== undefined && life.isLinkedToParent) signalExit(parent, life.ref, life.reason);
  for (const other of itemsOf(life.links)) {
    other.links = withoutItem(other.links, life);
    signalExit(other, life.ref, life.reason);
  }
  const { children } = life;
  for (let child = children?.first; child !== undefined; child = children?.first) {
    children?.delete(child);
    child.keptAs = undefined;
    child.past = undefined;
    if (!child.isLinkedToParent) continue;
    child.isLinkedToParent = false;
    signalExit(child, life.ref, life.reason);
  }
}
