import * as z from 'zod';
import { Role } from '../../schema/role.ts';
import { SourceId } from '../../schema/slug.ts';
import { Instant } from '../../view/fields.ts';
import type { MethodSpec } from './method.ts';

/** The longest life of a token that expires, in milliseconds: ten years. */
const longestLifeMs = 3_653 * 86_400_000;

const Labels = z.array(z.string().trim().min(1).max(64)).min(1).max(32).readonly();
const Sources = z.array(SourceId).min(1).max(100).readonly();

/** A token of the HTTP API, without its secret. */
export const TokenView = z.strictObject({
  id: z.string(),
  label: z.string(),
  role: Role,
  /** It sees only projects that have one of these labels; missing where it sees all. */
  labels: Labels.exactOptional(),
  /** It works on the tickets and the definitions of these sources alone; missing where it may on all. */
  sources: Sources.exactOptional(),
  createdAt: Instant,
  /** The first instant at which it is not accepted; missing where it does not expire. */
  expiresAt: Instant.optional(),
});
export type TokenView = z.infer<typeof TokenView>;

/** Methods on the tokens of the HTTP API. */
export const tokenMethods = {
  'token.create': {
    params: z
      .strictObject({
        label: z.string().trim().min(1).max(100).describe('What the token is for, for people.'),
        role: Role.default('read').describe(
          'What the token may do: `read` to look, `author` to work on definitions and tickets, `operate` to change what is tracked, `admin` to change the daemon itself; each with all before it.',
        ),
        labels: Labels.describe(
          'The token sees only projects that have one of these labels; its role is `read` or `operate` then.',
        ).exactOptional(),
        sources: Sources.describe(
          'The token may work on the tickets and the definitions of these sources alone, and read all; its role is `author` then.',
        ).exactOptional(),
        forMs: z
          .int()
          .min(1_000)
          .max(longestLifeMs)
          .describe('How long the token is accepted. Default: until it is revoked.')
          .exactOptional(),
      })
      .refine(({ labels, role }) => labels === undefined || role === 'read' || role === 'operate', {
        error: 'expected "read" or "operate" for a token that is limited to labels',
        path: ['role'],
      })
      .refine(({ sources, role }) => sources === undefined || role === 'author', {
        error: 'expected "author" for a token that is limited to sources',
        path: ['role'],
      }),
    result: TokenView.extend({
      /** What a caller sends; it is shown this once. */
      token: z.string(),
    }),
    role: 'admin',
    scope: 'daemon',
    doc: 'Makes a token for the HTTP API.',
  },
  'token.list': {
    params: z.strictObject({}),
    result: z.strictObject({ tokens: z.array(TokenView).readonly() }),
    role: 'admin',
    scope: 'daemon',
    doc: 'Lists the tokens of the HTTP API, the oldest first, also those that have expired.',
  },
  'token.revoke': {
    params: z.strictObject({
      id: z.string().min(1).max(64).describe('The id of the token, as `token.list` shows it.'),
    }),
    result: TokenView,
    role: 'admin',
    scope: 'daemon',
    doc: 'Removes a token: it is not accepted any more, and its open streams are closed within 5 s.',
  },
} as const satisfies Record<string, MethodSpec>;
