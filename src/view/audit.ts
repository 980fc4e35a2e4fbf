import * as z from 'zod';
import { Instant } from './fields.ts';

/** A change that somebody made or tried to make, or a call that was denied. It has ids, and no other values that were sent. */
export const AuditView = z.strictObject({
  at: Instant,
  /** The id of the token, of the log-in, or `local` for whoever may open the control socket; missing where there was no token in force. */
  who: z.string().exactOptional(),
  /** What the token is for. */
  label: z.string().exactOptional(),
  /** The address that the request came from. */
  from: z.string().exactOptional(),
  /** The control method that was called, or `log-in` or `log-out` of a browser; missing for a request that reached no method, such as one for another host. */
  method: z.string().exactOptional(),
  /** The id of the project, source, ticket, target or other thing that it is about. */
  subject: z.string().exactOptional(),
  /** `failed`: the change was refused for what it is. `denied`: the caller may not do that. */
  outcome: z.enum(['done', 'failed', 'denied']),
  /** Why it failed or was denied. */
  code: z.string().exactOptional(),
  /** The number of denied calls before this one that were too many to be kept. */
  unlogged: z.int().exactOptional(),
});
export type AuditView = Readonly<z.infer<typeof AuditView>>;
