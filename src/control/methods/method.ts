import type * as z from 'zod';

/**
 * The role that a method needs: `read` to look, `operate` to change what is tracked, `admin` to change the daemon
 * itself.
 */
export type Role = 'read' | 'operate' | 'admin';

/** An entry of the table of control methods. */
export interface MethodSpec {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
  readonly role: Role;
  /** What the method does, in a sentence for people. */
  readonly doc: string;
  /** Set when the method goes on after its result: it notifies of events (`src/event/catalogue.ts`). */
  readonly notifies?: 'events';
}
