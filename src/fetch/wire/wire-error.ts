import { errors } from 'undici';
import { RefusedAddress } from '../address.ts';
import type { FetchFailure } from '../failure.ts';
import { tlsFault } from './tls-fault.ts';

/** The largest size of a response head, in bytes. */
export const maxHeadersBytes = 64 * 1024;

/** How far an exchange was when its connection failed. */
export interface Progress {
  /** Whether the head had come: a connection that breaks before it is a site out of reach, later a page cut short. */
  readonly headCame: boolean;
  /** Whether a proxy had yet to make the connection. */
  readonly atProxy: boolean;
}

/**
 * The failure for an error of a connection; `undefined` for an error of ours, such as a header that cannot be written.
 */
export function wireFailure(error: Error, progress: Progress): FetchFailure | undefined {
  if (error instanceof RefusedAddress) {
    const { address, range, needs } = error;
    return { code: 'refused_address', address, range, ...(needs.length > 0 && { needs }) };
  }
  if (error instanceof AggregateError && error.errors[0] instanceof Error)
    return wireFailure(error.errors[0], progress);
  if (error instanceof errors.HTTPParserError) return parserFailure(error, progress.headCame);
  const code = codeOf(error);
  const proxyStatus = proxyAnswer.exec(error.message)?.groups?.['status'];
  if (proxyStatus !== undefined) return { code: 'proxy_failed', cause: `answered with status ${proxyStatus}` };
  if (certificateCodes.test(code)) return { code: 'bad_certificate', cause: describe(error, code) };
  switch (code) {
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_INVALID_RETURN_VALUE':
    case 'UND_ERR_NOT_SUPPORTED':
      return undefined;
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return { code: 'cancelled' };
    // Undici's word for any broken rule of HTTP where a length was declared.
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      if (progress.headCame) return { code: 'truncated', cause: 'fewer bytes than content-length says' };
      return { code: 'bad_response', cause: 'its head contradicts itself on the length of the body' };
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { code: 'too_large', limitBytes: maxHeadersBytes, part: 'head' };
    default:
      return { code: brokenCode(progress), cause: describe(causeOf(error), codeOf(causeOf(error))) };
  }
}

function brokenCode({ headCame, atProxy }: Progress): 'truncated' | 'unreachable' | 'proxy_failed' {
  if (headCame) return 'truncated';
  return atProxy ? 'proxy_failed' : 'unreachable';
}

/** Undici's message for an answer of a proxy other than 200. */
const proxyAnswer = /^Proxy (?:response|Authentication Required) \((?<status>\d{3})\)/;

/** Node's codes for certificates that OpenSSL or Node itself refused. */
const certificateCodes =
  /^(?:CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(?:CA|PURPOSE)$|HOSTNAME_MISMATCH$|PATH_LENGTH_|ERR_TLS_CERT_)/;

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The error behind a proxy's error, which itself only says that there was one. */
function causeOf(error: Error): Error {
  return codeOf(error).startsWith('UND_ERR_PRX_') && error.cause instanceof Error ? error.cause : error;
}

/**
 * The failure for a response that breaks the rules of HTTP. If the parser had no more data, it only ended too early.
 */
function parserFailure(error: Error, headCame: boolean): FetchFailure {
  if (headCame && 'data' in error && error.data === '')
    return { code: 'truncated', cause: 'connection closed in the middle of a response' };
  return { code: 'bad_response', cause: /\((?<reason>.+)\)/.exec(error.message)?.groups?.['reason'] ?? error.message };
}

function describe(error: Error, code: string): string {
  return sentences[code] ?? tlsFault(error) ?? (error.message || code || error.name);
}

/** Plain words for frequent errors. The rest is shown in the words of the system. */
const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'name look-up failed for now',
  ENETUNREACH: 'network unreachable',
  EHOSTUNREACH: 'host unreachable',
  ETIMEDOUT: 'the system gave up connecting',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in one that is signed by itself',
  UNABLE_TO_GET_ISSUER_CERT: 'who issued it is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'who issued it is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'who issued it is not known here',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  UND_ERR_SOCKET: 'connection closed by the site',
};
