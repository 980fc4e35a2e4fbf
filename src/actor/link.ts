import { itemsOf, withItem, withoutItem } from './few.ts';
import type { Life } from './life.ts';
import { Ring } from './ring.ts';
import { SystemMessage } from './system-message.ts';
import type { ExitReason, Ref } from './types.ts';

/** Links two lives: the end of one is an exit signal to the other. */
export function link(one: Life, other: Life): void {
  if (one.parent === other) return linkToParent(one, other);
  if (other.parent === one) return linkToParent(other, one);
  one.links = withItem(one.links, other);
  other.links = withItem(other.links, one);
}

function linkToParent(child: Life, parent: Life): void {
  if (child.isLinkedToParent) return;
  child.isLinkedToParent = true;
  parent.linkedChildren ??= new Ring();
  parent.linkedChildren.add(child);
}

export function unlink(one: Life, other: Life): void {
  if (one.parent === other) return unlinkFromParent(one, other);
  if (other.parent === one) return unlinkFromParent(other, one);
  one.links = withoutItem(one.links, other);
  other.links = withoutItem(other.links, one);
}

function unlinkFromParent(child: Life, parent: Life): void {
  child.isLinkedToParent = false;
  parent.linkedChildren?.delete(child);
}

/** Sends an exit signal as `exit(Pid, Reason)` does: `kill` cannot be trapped and shows as `killed`. */
export function exit(target: Life, from: Ref<never>, reason: ExitReason): void {
  if (reason === 'kill') target.end('killed');
  else if (reason === 'normal' && from === target && target.wrapExit === undefined) target.end('normal');
  else signalExit(target, from, reason);
}

/** What an exit signal does: it ends a life that does not trap exits, unless it is `normal`; else it becomes a message. */
export function signalExit(target: Life, from: Ref<never>, reason: ExitReason): void {
  const { wrapExit } = target;
  if (wrapExit === undefined) {
    if (reason !== 'normal') target.end(reason);
  } else if (from === (target.parent ?? target.kernel.outside)) {
    target.stopInTurn(reason);
  } else if (wrapExit !== null) {
    target.send(new SystemMessage((behaviour) => behaviour.receive(wrapExit({ from, reason }))));
  }
}

/** Tells the watches of a life that ended, then those linked to it. */
export function tellOfEnd(life: Life): void {
  for (let watch = life.watches; watch !== undefined; watch = life.watches) watch.fire(life.reason);
  if (life.isLinkedToParent && life.parent?.linkedChildren?.delete(life)) signalExit(life.parent, life, life.reason);
  for (const other of itemsOf(life.links)) {
    other.links = withoutItem(other.links, life);
    signalExit(other, life, life.reason);
  }
  const children = life.linkedChildren;
  for (let child = children?.first; child !== undefined; child = children?.first) {
    unlinkFromParent(child, life);
    child.child = undefined;
    signalExit(child, life, life.reason);
  }
}
