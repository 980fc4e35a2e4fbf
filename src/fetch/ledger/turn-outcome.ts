import { defined } from '../../defined.ts';
import { type FailedExchange, type FetchFailure, networkFailures } from '../failure.ts';

/** The outcome of a turn as politeness counts it. `unused` says nothing of the host, whether or not it was asked. */
export type TurnOutcome = Known & {
  /** The number of further requests made under the turn, such as by the scripts of a rendered page. */
  readonly more?: number;
};

type Known =
  | ({ readonly kind: 'answered' } & Response)
  | ({ readonly kind: 'refused'; readonly retryAfterMs?: number } & Response)
  | ({ readonly kind: 'failed' } & Response)
  | { readonly kind: 'unused' };

/** The response of a turn. Without a status the throttle learns nothing from it. */
interface Response {
  readonly status?: number;
  /** Default: from when the turn was reported sent until it came back. */
  readonly latencyMs?: number;
}

/** Failures of our own, before or during the request. They say nothing of the host. */
const ours: ReadonlySet<string> = new Set<
  FetchFailure['code'] | 'time_limit' | 'unavailable' | 'worker_lost' | 'stalled'
>([
  'refused_address',
  'url_too_long',
  'cancelled',
  'time_limit',
  'unavailable',
  'renderer_missing',
  'render_crashed',
  'worker_lost',
  'stalled',
]);

/**
 * The outcome of a step for the key that was asked. A page, a redirect and a page that could not be read are all answers.
 *
 * @param trouble - the failure; `undefined` when there was none.
 * @param response - the status of the answer if one came, and how long it took.
 */
export function turnOutcome(
  trouble: FailedExchange | undefined,
  response: { readonly status?: number | undefined; readonly latencyMs?: number | undefined } = {},
): Known {
  const status = trouble?.status ?? response.status;
  const { latencyMs } = response;
  const answer = defined({ status, latencyMs });
  if (!trouble) return { kind: 'answered', ...answer };
  const { code, retryAfterMs } = trouble;
  if (ours.has(code)) return { kind: 'unused' };
  if (code !== 'status') return { kind: networkFailures.has(code) ? 'failed' : 'answered', ...answer };
  if (status === 429 || status === 503) return { kind: 'refused', ...defined({ retryAfterMs }), ...answer };
  return { kind: status !== undefined && status >= 500 ? 'failed' : 'answered', ...answer };
}
