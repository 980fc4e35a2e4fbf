import * as z from 'zod';
import type { MethodSpec } from '../method.ts';

/** One life of the supervision tree and the lives under it. */
export interface TreeNode {
  readonly id: string;
  readonly kind: 'actor' | 'supervisor';
  readonly state: string;
  /** Messages that wait. */
  readonly mailbox: number;
  /** How often it was started again. */
  readonly restarts: number;
  readonly ageMs: number;
  /** About what the daemon's kernel keeps for it: not what its own code keeps. */
  readonly memoryBytes: number;
  /** Why the life before this one ended. */
  readonly lastExit?: string | undefined;
  readonly children?: readonly TreeNode[] | undefined;
  /** Children left out of the answer. */
  readonly more?: number | undefined;
}

/** One life of the supervision tree and the lives under it. */
export const TreeView: z.ZodType<TreeNode> = z.lazy(() =>
  z.strictObject({
    id: z.string(),
    kind: z.enum(['actor', 'supervisor']),
    state: z.string(),
    mailbox: z.int(),
    restarts: z.int(),
    ageMs: z.number(),
    memoryBytes: z.int(),
    lastExit: z.string().optional(),
    children: z.array(TreeView).readonly().optional(),
    more: z.int().optional(),
  }),
);

/** Methods on the supervision tree. */
export const treeMethods = {
  'tree.get': {
    params: z.strictObject({
      /** How many levels to show. */
      depth: z.int().min(1).max(16).default(16),
      /** Children shown per supervisor. */
      limit: z.int().min(1).max(10_000).default(100),
    }),
    result: TreeView,
    role: 'read',
    doc: 'Shows the supervision tree as it runs.',
  },
} as const satisfies Record<string, MethodSpec>;
