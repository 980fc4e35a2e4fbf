import type { LifeView } from '../../actor/inspect.ts';
import { describeReason } from '../../actor/errors.ts';
import type { Handlers } from '../methods.ts';
import type { TreeNode } from '../methods/tree.ts';
import { ControlError } from '../error.ts';
import type { HandlerDeps } from './deps.ts';

export function treeHandlers(deps: HandlerDeps): Pick<Handlers, 'tree.get'> {
  return {
    'tree.get': ({ depth, limit }) => {
      const [root] = deps.tree();
      if (root === undefined) throw new ControlError('not_ready', 'the tree is not up');
      return nodeOf(root, depth, limit);
    },
  };
}

function nodeOf(life: LifeView, depth: number, limit: number): TreeNode {
  const { name, kind, state, mailbox, restarts, ageMs, memoryBytes, lastExit, children } = life;
  const shown = depth > 1 ? children.slice(0, limit) : [];
  const more = children.length - shown.length;
  return {
    id: name,
    kind,
    state,
    mailbox,
    restarts,
    ageMs: Math.round(ageMs),
    memoryBytes,
    ...(lastExit !== undefined && { lastExit: describeReason(lastExit) }),
    ...(kind === 'supervisor' && { children: shown.map((child) => nodeOf(child, depth - 1, limit)) }),
    ...(more > 0 && { more }),
  };
}
