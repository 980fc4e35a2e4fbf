import type { AddressNeed } from './address.ts';

/** The ways in which a fetch is expected to fail. They are values, not errors. */
export type FetchFailure =
  | {
      readonly code: 'timeout';
      readonly stage: 'connect' | 'headers' | 'body' | 'total' | 'render';
      readonly afterMs: number;
    }
  | { readonly code: 'unreachable'; readonly cause: string }
  | { readonly code: 'bad_certificate'; readonly cause: string }
  | { readonly code: 'proxy_failed'; readonly cause: string }
  /** `excerpt` is the beginning of the body, as one line of text; missing if there was none. */
  | { readonly code: 'status'; readonly status: number; readonly retryAfterMs?: number; readonly excerpt?: string }
  /** `part` is missing for the body. */
  | { readonly code: 'too_large'; readonly limitBytes: number; readonly part?: 'head' }
  /** `mediaType` is the one that the response says. */
  | { readonly code: 'media_type'; readonly mediaType: string; readonly accepted: readonly string[] }
  | { readonly code: 'truncated'; readonly cause: string }
  | { readonly code: 'bad_response'; readonly cause: string }
  | { readonly code: 'bad_encoding'; readonly encoding: string }
  | { readonly code: 'bad_redirect'; readonly location: string }
  | { readonly code: 'url_too_long'; readonly length: number; readonly limit: number }
  /** `range` says what kind of address it is. */
  /** `needs`: what would allow the address; missing where nothing does. */
  | {
      readonly code: 'refused_address';
      readonly address: string;
      readonly range: string;
      readonly needs?: readonly AddressNeed[];
    }
  /** `cause` says what to install. */
  | { readonly code: 'renderer_missing'; readonly cause: string }
  | { readonly code: 'render_crashed'; readonly cause: string }
  /** `number` counts from 1; `reason` says what was expected and what was there. */
  | { readonly code: 'action_failed'; readonly number: number; readonly action: string; readonly reason: string }
  | { readonly code: 'cancelled' };

/** A failed exchange as the ledger and retries see it. */
export interface FailedExchange {
  readonly code: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The failures that may mean that the site is overloaded or out of reach. */
export const networkFailures: ReadonlySet<string> = new Set<FetchFailure['code']>([
  'timeout',
  'unreachable',
  'truncated',
  'bad_response',
  'proxy_failed',
]);

/** The failure as one lower-case sentence for people. */
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
      return `${failure.part === 'head' ? 'its response head is ' : ''}larger than the limit of ${size(failure.limitBytes)}`;
    case 'media_type':
      return `is of type "${failure.mediaType}", expected ${failure.accepted.join(' or ')}`;
    case 'truncated':
      return `cut short: ${failure.cause}`;
    case 'bad_response':
      return `not an HTTP response: ${failure.cause}`;
    case 'bad_encoding':
      return `the body is not the "${failure.encoding}" it says it is, or no encoding that was asked for`;
    case 'bad_redirect':
      if (/^(?!GET)[A-Z]+ /.test(failure.location))
        return `the page sends a form in the browser ("${failure.location}"), expected it to lead elsewhere by GET`;
      return `redirected to "${failure.location}", expected an http or https URL`;
    case 'url_too_long':
      return `the URL has ${failure.length} characters, expected at most ${failure.limit}`;
    case 'refused_address':
      return `the address ${failure.address} may not be asked (${failure.range})${needsText(failure.needs ?? [])}`;
    case 'renderer_missing':
      return `no browser to render the page with: ${failure.cause}`;
    case 'render_crashed':
      return `the browser broke down over the page: ${failure.cause}`;
    case 'action_failed':
      return `action ${failure.number} in the browser, "${failure.action}": ${failure.reason}`;
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

const settings: Readonly<Record<AddressNeed, string>> = {
  // Refused only to a daemon that nobody could write to.
  contact: '`bot.contact` in heronry.yaml, so that sites know whom to write to',
  allowPrivate: "`allowPrivate: true` in the source's definition",
};

function needsText(needs: readonly AddressNeed[]): string {
  return needs.length === 0 ? '' : `: it needs ${needs.map((need) => settings[need]).join(', and ')}`;
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
