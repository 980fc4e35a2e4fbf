import * as z from 'zod';
import { AuditView } from '../../view/audit.ts';
import { Instant } from '../../view/fields.ts';
import { Limit, nextOfBefore } from './fields.ts';
import type { MethodSpec } from './method.ts';

/** Methods on what callers changed and were denied. */
export const auditMethods = {
  'audit.list': {
    params: z.strictObject({
      who: z
        .string()
        .max(100)
        .describe('Only calls by this caller: the id or the label of a token, or `local`.')
        .exactOptional(),
      method: z.string().max(64).describe('Only calls of this method, such as `project.add`.').exactOptional(),
      since: Instant.describe('Only calls at this instant or later.').exactOptional(),
      before: z.string().max(200).describe(nextOfBefore).exactOptional(),
      limit: Limit,
    }),
    result: z.strictObject({ entries: z.array(AuditView).readonly(), next: z.string().optional() }),
    role: 'admin',
    scope: 'daemon',
    doc: 'Lists the changes that callers made or tried to make, also at the control socket, and the calls over HTTP that were denied, the newest first. The newest 100,000 changes and 10,000 denied calls are kept, for 400 days.',
  },
} as const satisfies Record<string, MethodSpec>;
