import type { FetchFailure } from './failure.ts';

/** One lower-case sentence for people. */
export function describeFailure(failure: FetchFailure): string {
  switch (failure.code) {
    case 'timeout':
      return `no answer within ${duration(failure.afterMs)} while waiting for ${awaited[failure.stage]}`;
    case 'unreachable':
      return `could not reach the site: ${failure.cause}`;
    case 'status':
      return `answered with status ${failure.status}${retryHint(failure.retryAfterMs)}`;
    case 'too_large':
      return `larger than the limit of ${size(failure.limitBytes)}`;
    case 'truncated':
      return `cut short: ${failure.cause}`;
    case 'bad_response':
      return `not an HTTP response: ${failure.cause}`;
    case 'bad_encoding':
      return `the body is not the "${failure.encoding}" it says it is, or no encoding that was asked for`;
    case 'bad_redirect':
      return `redirected to "${failure.location}", expected an http or https URL`;
    case 'refused_address':
      return `the address ${failure.address} may not be asked`;
    case 'cancelled':
      return 'cancelled';
    default:
      return failure satisfies never;
  }
}

const awaited = {
  connect: 'a connection',
  headers: 'the response head',
  body: 'more of the body',
  total: 'the whole response',
} as const;

function retryHint(retryAfterMs: number | undefined): string {
  return retryAfterMs === undefined ? '' : `, asking to wait ${duration(retryAfterMs)}`;
}

function duration(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${Math.round(bytes / 1024 / 1024)} MiB`;
}
