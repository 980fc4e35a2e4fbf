import type * as z from 'zod';
import type { Role } from '../../schema/role.ts';

/**
 * What a caller that is limited to labels or to sources may reach by a method.
 *
 * - `daemon`: nothing, as it is about more than single projects.
 * - `filtered`: what the handler lets it see by the `labels` of its context.
 * - `project`: the project that the parameter of this name stands for, which one that is limited to labels has to give.
 * - `source`, `ticket`: the source, or the sources of the ticket, that the parameter of this name stands for. Only an author that is limited to
 *   sources reaches these.
 */
export type Scope =
  | 'daemon'
  | 'filtered'
  | { readonly project: string }
  | { readonly source: string }
  | { readonly ticket: string };

/** An entry of the table of control methods. */
export interface MethodSpec {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
  /** The least role of a caller. */
  readonly role: Role;
  readonly scope: Scope;
  /** What the method does, in a sentence for people. */
  readonly doc: string;
  /** Set when the method goes on after its result: it notifies of events (`src/event/catalogue.ts`). */
  readonly notifies?: 'events';
}
