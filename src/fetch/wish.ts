import type { Policy } from './policy.ts';

/** Somebody's wish to send one request. */
export interface Wish {
  /** The politeness key to ask; several sources may share one. */
  readonly key: string;
  readonly policy: Policy;
  /** Of two wishes for one key, the one due earlier comes first. */
  readonly dueAt: number;
  readonly id: symbol;
  /** How long the turn may stay out from when its request is sent: what `turnMs` makes of the request's limit. */
  readonly sentMs?: number | undefined;
  /** The source that wishes, for people and for its circuit. */
  readonly source?: string | undefined;
}
