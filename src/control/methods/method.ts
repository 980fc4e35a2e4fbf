import type * as z from 'zod';
import type { Role } from '../../schema/role.ts';

/** An entry of the table of control methods. */
export interface MethodSpec {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
  /** The least role of a caller. */
  readonly role: Role;
  /** What the method does, in a sentence for people. */
  readonly doc: string;
  /** Set when the method goes on after its result: it notifies of events (`src/event/catalogue.ts`). */
  readonly notifies?: 'events';
}
