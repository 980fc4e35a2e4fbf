import * as z from 'zod';
import { Role } from '../../schema/role.ts';
import { Instant } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';

/** The longest life of a token that expires, in milliseconds: ten years. */
const longestLifeMs = 3_653 * 86_400_000;

/** A token of the HTTP API, without its secret. */
export const TokenView = z.strictObject({
  id: z.string(),
  label: z.string(),
  role: Role,
  createdAt: Instant,
  /** The first instant at which it is not accepted; missing where it does not expire. */
  expiresAt: Instant.optional(),
});
export type TokenView = z.infer<typeof TokenView>;

/** Methods on the tokens of the HTTP API. */
export const tokenMethods = {
  'token.create': {
    params: z.strictObject({
      /** What it is for, for people. */
      label: z.string().trim().min(1).max(100),
      role: Role.default('read'),
      /** How long it is accepted. Default: until it is revoked. */
      forMs: z.int().min(1_000).max(longestLifeMs).exactOptional(),
    }),
    result: TokenView.extend({
      /** What a caller sends; it is shown this once. */
      token: z.string(),
    }),
    role: 'admin',
    doc: 'Makes a token for the HTTP API.',
  },
  'token.list': {
    params: z.strictObject({}),
    result: z.strictObject({ tokens: z.array(TokenView).readonly() }),
    role: 'admin',
    doc: 'Lists the tokens of the HTTP API, the oldest first, also those that have expired.',
  },
  'token.revoke': {
    params: z.strictObject({ id: z.string().min(1).max(64) }),
    result: TokenView,
    role: 'admin',
    doc: 'Removes a token: it is not accepted any more, and its open streams are closed within 5 s.',
  },
} as const satisfies Record<string, MethodSpec>;
