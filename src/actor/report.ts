import type { ExitReason } from './types.ts';

/**
 * What a supervisor has to say of a child. `child_terminated`, `start_error` and `shutdown_error` (it did not end as asked)
 * are OTP's; `intensity_reached` is the supervisor's own end, `gave_up` only that of the child.
 */
export type SupervisorContext = 'child_terminated' | 'start_error' | 'shutdown_error' | 'intensity_reached' | 'gave_up';

/** What the kernel tells the outside of its lives; ids are those of `Ref`. A start that failed is no life. */
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
  /** Code of a life that has ended threw, and nobody caught it. It harms nobody. */
  | { readonly type: 'stray'; readonly id: string; readonly reason: ExitReason }
  /** More messages wait than `mailboxThreshold`. Told once, and again only after no more than half of it waited. */
  | { readonly type: 'mailbox'; readonly id: string; readonly length: number };
