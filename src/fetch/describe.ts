import type { FetchFailure } from './failure.ts';

/** One lower-case sentence for people. */
export function describeFailure(failure: FetchFailure): string {
  switch (failure.code) {
    case 'timeout':
      return `no answer within ${duration(failure.afterMs)} while waiting for ${awaited[failure.stage]}`;
    case 'unreachable':
      return `could not reach the site: ${failure.cause}`;
    case 'bad_certificate':
      return `the site's certificate is not to be trusted: ${failure.cause}`;
    case 'proxy_failed':
      return `the proxy did not let the request through: ${failure.cause}`;
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
    case 'url_too_long':
      return `the URL has ${failure.length} characters, expected at most ${failure.limit}`;
    case 'refused_address':
      return `the address ${failure.address} may not be asked (${failure.range})${settingHint(failure.range)}`;
    case 'renderer_missing':
      return `no browser to render the page with: ${failure.cause}`;
    case 'render_crashed':
      return `the browser broke down over the page: ${failure.cause}`;
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
  render: 'the page to be rendered',
} as const;

/** Ranges that a definition may allow. */
const allowable = ['loopback', 'private use', 'link-local', 'site-local', 'shared by a carrier', 'benchmarking'];

function settingHint(range: string): string {
  // Refused only to a daemon that nobody could write to.
  if (range === 'public') return ': set `bot.contact` in heronry.yaml, so that sites know whom to write to';
  return allowable.includes(range) ? ": `allowPrivate: true` in the source's definition allows it" : '';
}

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
