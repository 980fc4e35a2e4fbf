import type { ExitReason } from './types.ts';

/**
 * What a supervisor reports of a child. `child_terminated`, `start_error` and `shutdown_error` (the child did not end as
 * asked) are OTP's. `intensity_reached` announces the end of the supervisor itself; `gave_up` says that only the child is
 * not restarted.
 */
export type SupervisorContext = 'child_terminated' | 'start_error' | 'shutdown_error' | 'intensity_reached' | 'gave_up';

/** One event in the lives of a system, for a log; ids are those of `Ref`. A start that failed is reported by its supervisor only. */
export type Report =
  | { readonly type: 'started'; readonly id: string }
  | { readonly type: 'ended'; readonly id: string; readonly reason: ExitReason; readonly ageMs: number }
  | {
      readonly type: 'supervisor';
      readonly id: string;
      readonly context: SupervisorContext;
      /** The id in the child's spec. */
      readonly child: string;
      /** How the child ended, or why it did not start. */
      readonly reason: ExitReason;
    }
  /** Code of a life that has ended threw, or a supervisor's `gaveUp` did. The error ends no life. */
  | { readonly type: 'stray'; readonly id: string; readonly reason: ExitReason }
  /** A supervisor received a message that it does not know, and dropped it. */
  | { readonly type: 'unexpected'; readonly id: string; readonly message: unknown }
  /** More messages wait than `mailboxThreshold`. Told once, and again only after no more than half of it waited. */
  | { readonly type: 'mailbox'; readonly id: string; readonly length: number };

/** One life in the tree that `System.inspect` returns, or one child of a supervisor that has no life at present. */
export interface LifeView {
  /** The life's id; for a child without a life, the id in its spec. */
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
  /** Roughly how many bytes the kernel keeps for the life, without the actor's own variables; 0 without a life. */
  readonly memoryBytes: number;
  /** How the last life of this child ended, or why it did not start. */
  readonly lastExit?: ExitReason;
  readonly children: readonly LifeView[];
}
