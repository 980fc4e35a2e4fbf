import { strangerAt } from '../../src/definition/source.ts';
import type { Policy, ThrottleOptions } from '../../src/fetch/ledger/policy.ts';
import type { FetchLimits } from '../../src/fetch/request.ts';
import type { RetryPolicy } from '../../src/fetch/retry.ts';
import { requestOf } from '../../src/provider/requests.ts';
import { policyOf } from '../../src/request/turn.ts';
import { allowanceOf } from '../../src/scrape/decide.ts';

const url = 'https://site.test/';
const source = strangerAt(url);
const { autoThrottle, ...policy } = policyOf(source, undefined);
if (autoThrottle === undefined) throw new Error('a source without settings has no throttle');

/** The limits of a source that sets none. */
export const defaultLimits: FetchLimits = requestOf(source, url).limits;

/** The policy of a source that sets none, without the throttle. */
export const defaultPolicy: Policy = policy;

/** The throttle of a source that sets none. */
export const defaultThrottle: ThrottleOptions = autoThrottle;

/** The retries of a source that sets none. */
export const defaultRetry: RetryPolicy = allowanceOf(source, { now: 0, nextDueAt: Infinity, draw: 0.5 }).retry;
