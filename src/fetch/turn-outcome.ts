import type { FetchFailure } from './failure.ts';

/** What came of a turn, as far as politeness cares; `unused` when that says nothing of the host, which may have been asked. */
export type TurnOutcome = Known & {
  /** Requests that were made under the turn besides its own, as by the scripts of a page that was rendered. */
  readonly more?: number;
};

type Known =
  | ({ readonly kind: 'answered' } & Response)
  | ({ readonly kind: 'refused'; readonly retryAfterMs?: number } & Response)
  | ({ readonly kind: 'failed' } & Response)
  | { readonly kind: 'unused' };

/** What the throttle learns from; nothing without a status. */
interface Response {
  readonly status?: number;
  /** Default: from when the turn was reported sent until it came back. */
  readonly latencyMs?: number;
}

/** What politeness must know of a failed step: its code, and what the head said if one came. */
export interface Trouble {
  readonly code: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Failures that may mean that the site has more to do than it can; the others are answers like any other. */
export const networkFailures: ReadonlySet<string> = new Set<FetchFailure['code']>([
  'timeout',
  'unreachable',
  'truncated',
  'bad_response',
  'proxy_failed',
]);

/** Failures of our own, before anything was asked or while the host was busy with it: they say nothing of the host. */
const ours: ReadonlySet<string> = new Set<FetchFailure['code'] | 'time_limit' | 'unavailable'>([
  'refused_address',
  'url_too_long',
  'cancelled',
  'time_limit',
  'unavailable',
  'renderer_missing',
  'render_crashed',
]);

/**
 * What a step means for the key that was asked. A page, a redirect, and a page that could not be read are answers.
 *
 * @param trouble - the failure; `undefined` when there was none.
 * @param response - the status of the answer if one came, and how long it took.
 */
export function turnOutcome(
  trouble: Trouble | undefined,
  response: { readonly status?: number | undefined; readonly latencyMs?: number | undefined } = {},
): Known {
  const status = trouble?.status ?? response.status;
  const { latencyMs } = response;
  const told = { ...(status !== undefined && { status }), ...(latencyMs !== undefined && { latencyMs }) };
  if (!trouble) return { kind: 'answered', ...told };
  const { code, retryAfterMs } = trouble;
  if (ours.has(code)) return { kind: 'unused' };
  if (code !== 'status') return { kind: networkFailures.has(code) ? 'failed' : 'answered', ...told };
  if (status === 429 || status === 503)
    return { kind: 'refused', ...(retryAfterMs !== undefined && { retryAfterMs }), ...told };
  return { kind: status !== undefined && status >= 500 ? 'failed' : 'answered', ...told };
}
