import type { Policy } from './policy.ts';

/** Somebody's wish to send one request. */
export interface Wish {
  /** The politeness key to ask; several sources may share one. */
  readonly key: string;
  readonly policy: Policy;
  /** Of two wishes for one key, the one due earlier comes first, where neither has a deadline. */
  readonly dueAt: number;
  /**
   * By when what it is for has to be verified, of a re-check for the sake of a promise: these come by their deadlines, and have a
   * share of the key's turns.
   */
  readonly deadlineAt?: number | undefined;
  readonly id: symbol;
  /** How long the turn may stay out from when its request is sent: what `turnMs` makes of the request's limit. */
  readonly sentMs?: number | undefined;
  /** The source that wishes, for people and for its circuit. */
  readonly source?: string | undefined;
}
