import type * as z from 'zod';

/** Who may call: `read` looks, `operate` changes what is tracked, `admin` changes the daemon itself. */
export type Role = 'read' | 'operate' | 'admin';

/** One entry of the table of control methods, from which the socket, HTTP, the command line and the docs are made. */
export interface MethodSpec {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
  readonly role: Role;
  /** One sentence for people. */
  readonly doc: string;
  /** What each of its notifications carries, when it goes on notifying after its result. */
  readonly notification?: z.ZodType;
}
