import * as z from 'zod';
import { expected } from './expected.ts';

/** Headers that other keys of the definition set, or the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'if-modified-since',
  'if-none-match',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const expectedFree = expected('a header that the daemon does not set itself');

/** The name of a header that a request of a definition may have. */
export const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, expected('the name of a header'))
  .refine(isFree, expectedFree);

/** The name of the header that carries a token; `authorization`, the default, may be named here. */
export const TokenHeader = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,100}$/, expected('the name of a header'))
  .refine((name) => name.toLowerCase() === 'authorization' || isFree(name), expectedFree);

/** The value of a header: one line of ASCII. */
export const HeaderValue = z.string().regex(/^[\t\x20-\x7e]{0,2000}$/, expected('a line of plain text'));

function isFree(name: string): boolean {
  return !ownHeaders.has(name.toLowerCase());
}
