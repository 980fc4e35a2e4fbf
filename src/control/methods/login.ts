import * as z from 'zod';
import { Instant } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';

/** Methods on the log-ins of browsers. */
export const loginMethods = {
  'login.invite': {
    params: z.strictObject({}),
    result: z.strictObject({
      /** To be opened in a browser. */
      url: z.string(),
      /** The first instant at which the address does not log in any more. */
      expiresAt: Instant,
    }),
    role: 'admin',
    scope: 'daemon',
    doc: 'Makes an address of the dashboard that logs a browser in as an admin, once and within two minutes.',
  },
  'login.end': {
    params: z.strictObject({}),
    result: z.strictObject({
      /** How many there were. */
      logIns: z.int(),
    }),
    role: 'admin',
    scope: 'daemon',
    doc: 'Ends all log-ins of browsers; their open streams are closed within 5 s.',
  },
} as const satisfies Record<string, MethodSpec>;
