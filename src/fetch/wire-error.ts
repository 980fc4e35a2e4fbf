import { errors } from 'undici';
import { RefusedAddress } from './address.ts';
import type { FetchFailure } from './failure.ts';

/** More headers than this are not read. */
export const maxHeadersBytes = 64 * 1024;

/**
 * The failure behind an error of the connection, or `undefined` for one of ours, such as a header that cannot be written.
 *
 * @param headCame - a connection that breaks before the head is a site out of reach, later it is a page cut short.
 */
export function wireFailure(error: Error, headCame: boolean): FetchFailure | undefined {
  if (error instanceof RefusedAddress) return { code: 'refused_address', address: error.address };
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return wireFailure(error.errors[0], headCame);
  if (error instanceof errors.HTTPParserError) return parserFailure(error, headCame);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  switch (code) {
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_INVALID_RETURN_VALUE':
    case 'UND_ERR_NOT_SUPPORTED':
      return undefined;
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return { code: 'cancelled' };
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { code: 'too_large', limitBytes: maxHeadersBytes };
    default:
      return { code: headCame ? 'truncated' : 'unreachable', cause: describe(error, code) };
  }
}

/** A response that broke the rules; if there was nothing more to parse, only by ending where it may not. */
function parserFailure(error: Error, headCame: boolean): FetchFailure {
  if (headCame && 'data' in error && error.data === '')
    return { code: 'truncated', cause: 'connection closed in the middle of a response' };
  return { code: 'bad_response', cause: /\((?<reason>.+)\)/.exec(error.message)?.groups?.['reason'] ?? error.message };
}

function describe(error: Error, code: string): string {
  return sentences[code] ?? (error.message || code || error.name);
}

/** In plain words, what comes often; the rest is told in the words of the system. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'name look-up failed for now',
  ENETUNREACH: 'network unreachable',
  EHOSTUNREACH: 'host unreachable',
  ETIMEDOUT: 'the system gave up connecting',
  CERT_HAS_EXPIRED: 'certificate expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'self-signed certificate',
  UND_ERR_SOCKET: 'connection closed by the site',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'fewer bytes than content-length says',
};
