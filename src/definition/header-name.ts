import { expected } from './expected.ts';

/** Set by what the definition says elsewhere, or by the connection. */
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

/** Whether a definition may name the header, of which nobody else then says anything. */
export function isFreeHeader(name: string): boolean {
  return !ownHeaders.has(name.toLowerCase());
}

/** The sentence for a header that is not free. */
export const expectedFree = expected('a header that the daemon does not set itself');
